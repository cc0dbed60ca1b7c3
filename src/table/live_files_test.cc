// Live files against a model: ADD and DELETE entries over manifests of all sizes, decoded in parts by several threads.
#include "table/live_files.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "io/memory_file_system.h"

namespace mica {
namespace {

const DataType kPartitionType = DataType::Int();

std::string PartitionOf(int64_t value) {
  std::vector<Value> values = {value};
  return BinaryRow::Of(values, std::span(&kPartitionType, 1)).Serialize();
}

// Writes manifests of random entries and keeps what must be live.
class ManifestModel {
 public:
  explicit ManifestModel(uint32_t seed) : random_(seed) {}

  std::vector<ManifestFileMeta> AddManifest(int64_t entry_count) {
    std::vector<ManifestEntry> entries;
    // What this manifest adds it does not delete: entries of one manifest are merged before they are written.
    std::vector<std::string> deletable;
    for (const auto& [identity, entry] : live_) deletable.push_back(identity);
    std::shuffle(deletable.begin(), deletable.end(), random_);
    for (int64_t i = 0; i < entry_count; ++i) {
      if (random_() % 3 == 0 && !deletable.empty()) {
        auto gone = live_.extract(deletable.back());
        deletable.pop_back();
        entries.push_back(gone.mapped());
        entries.back().kind = FileKind::kDelete;
        continue;
      }
      ManifestEntry entry;
      entry.partition = PartitionOf(static_cast<int64_t>(random_() % 5));
      entry.bucket = static_cast<int32_t>(random_() % 4);
      entry.total_buckets = 4;
      entry.file.file_name = fmt::format("data-{:016x}-{}.parquet", random_(), next_++);
      entry.file.file_size = static_cast<int64_t>(random_() % 100'000);
      entry.file.row_count = static_cast<int64_t>(random_() % 1000);
      entry.file.min_key = entry.file.max_key = BinaryRow().Serialize();
      entry.file.key_stats = entry.file.value_stats = SimpleStats::Empty();
      entry.file.level = static_cast<int32_t>(random_() % 3);
      if (random_() % 4 == 0) entry.file.value_stats_cols = {"a", "b"};
      if (random_() % 4 == 0) entry.file.external_path = "s3://elsewhere/" + entry.file.file_name;
      if (random_() % 4 == 0) entry.file.file_source = FileSource::kCompact;
      live_.emplace(entry.Identity(), entry);
      entries.push_back(std::move(entry));
    }
    // An upgrade: the same file at another level, in one manifest.
    if (!live_.empty() && random_() % 2 == 0) {
      auto old = live_.extract(live_.begin());
      bool here = std::any_of(entries.begin(), entries.end(),
                              [&](const ManifestEntry& entry) { return entry.Identity() == old.key(); });
      if (here) {
        live_.insert(std::move(old));
      } else {
        entries.push_back(old.mapped());
        entries.back().kind = FileKind::kDelete;
        entries.push_back(old.mapped());
        entries.back().file.level += 3;
        live_.emplace(entries.back().Identity(), entries.back());
      }
    }
    return store_.Write(entries, std::span(&kPartitionType, 1), 0);
  }

  Snapshot Commit(const std::vector<ManifestFileMeta>& base, const std::vector<ManifestFileMeta>& delta) {
    Snapshot snapshot;
    std::tie(snapshot.base_manifest_list, snapshot.base_manifest_list_size) = store_.WriteList(base);
    std::tie(snapshot.delta_manifest_list, snapshot.delta_manifest_list_size) = store_.WriteList(delta);
    return snapshot;
  }

  ManifestStore& store() { return store_; }
  const std::map<std::string, ManifestEntry>& live() const { return live_; }

 private:
  std::mt19937_64 random_;
  ManifestStore store_{std::make_shared<MemoryFileSystem>(), "/t", {}};
  std::map<std::string, ManifestEntry> live_;
  int64_t next_ = 0;
};

TEST(LiveFilesTest, PartsReadByManyThreadsGiveWhatAModelSays) {
  const uint32_t seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::printf("seed %u\n", seed);
  ManifestModel model(seed);
  std::vector<ManifestFileMeta> base, delta;
  // One manifest of many parts, others of one.
  for (int64_t count : {12'000, 1, 300, 5'000, 20}) {
    for (auto& manifest : model.AddManifest(count)) base.push_back(std::move(manifest));
  }
  for (int64_t count : {700, 3}) {
    for (auto& manifest : model.AddManifest(count)) delta.push_back(std::move(manifest));
  }
  Snapshot snapshot = model.Commit(base, delta);
  ThreadExecutor threads(4);
  const std::string wanted = PartitionOf(3);
  for (Executor* executor : {static_cast<Executor*>(&threads), &InlineExecutor()}) {
    auto entries = LiveEntries(model.store(), snapshot, {}, nullptr, *executor);
    std::map<std::string, ManifestEntry> found;
    for (ManifestEntry& entry : entries) found.emplace(entry.Identity(), std::move(entry));
    EXPECT_EQ(found.size(), entries.size());
    EXPECT_TRUE(found == model.live());

    LiveFilter filter;
    filter.entries.keep = [&](std::string_view partition, int32_t bucket, int32_t) {
      return partition == wanted && bucket < 2;
    };
    filter.keep_file = [](const ManifestEntry& entry) { return entry.file.row_count >= 500; };
    PartitionTexts texts;
    LiveCounts counts;
    auto files = LiveFilesOf(model.store(), snapshot, filter, *executor, &texts, &counts);
    std::set<std::string> names, expected;
    for (const LiveFile& file : files) {
      EXPECT_EQ(*file.partition, wanted);
      names.insert(FileIdentity(*file.partition, file.bucket, *file.file));
    }
    int64_t matching = 0, matching_bytes = 0;
    SnapshotTotals totals;
    for (const auto& [identity, entry] : model.live()) {
      ++totals.files;
      totals.bytes += entry.file.file_size;
      if (entry.partition != wanted || entry.bucket >= 2) continue;
      ++matching;
      matching_bytes += entry.file.file_size;
      if (entry.file.row_count >= 500) expected.insert(identity);
    }
    EXPECT_EQ(names, expected);
    EXPECT_EQ(names.size(), files.size());
    EXPECT_EQ(counts.files, matching);
    EXPECT_EQ(counts.bytes, matching_bytes);
    SnapshotTotals found_totals = TotalsOf(model.store(), snapshot, *executor);
    EXPECT_EQ(found_totals.files, totals.files);
    EXPECT_EQ(found_totals.bytes, totals.bytes);
  }
}

TEST(LiveFilesTest, OrderIsThatOfTheManifests) {
  ManifestModel model(7);
  auto base = model.AddManifest(10'000);
  auto delta = model.AddManifest(0);
  Snapshot snapshot = model.Commit(base, delta);
  ThreadExecutor threads(4);
  auto parallel = LiveEntries(model.store(), snapshot, {}, nullptr, threads);
  auto inline_entries = LiveEntries(model.store(), snapshot, {}, nullptr, InlineExecutor());
  EXPECT_EQ(parallel, inline_entries);
}

TEST(LiveFilesTest, ADamagedManifestIsNamedByEveryThread) {
  ManifestModel model(9);
  auto base = model.AddManifest(9'000);
  Snapshot snapshot = model.Commit(base, {});
  FileSystem& fs = model.store().file_system();
  std::string path = model.store().PathOf(base[0].file_name);
  std::string content = fs.ReadFile(path);
  content.back() = static_cast<char>(content.back() ^ 0x55);  // of the last sync marker
  fs.ReplaceAtomically(path, content);
  ThreadExecutor threads(4);
  try {
    LiveEntries(model.store(), snapshot, {}, nullptr, threads);
    FAIL() << "read a damaged manifest";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
    EXPECT_NE(std::string(error.what()).find(base[0].file_name), std::string::npos);
  }
}

}  // namespace
}  // namespace mica
