// What follows a commit, with the clock in the test's hand (M-0602, M-0617 to M-0620, M-1014, M-1016; G-11, G-12).
#include "catalog/scratch_table.h"
#include "compaction/compact.h"
#include "history/changelog_expiry.h"
#include "history/expire_snapshots.h"
#include "history/orphan_files.h"
#include "history/partition_expiry.h"
#include "history/tag_creation.h"
#include "history/tags.h"
#include "meta/consumer.h"

namespace mica {
namespace {

constexpr int64_t kMinute = 60'000, kHour = 60 * kMinute, kDay = 24 * kHour;
// 2024-05-01 00:00 in UTC, which is the zone of these tables.
constexpr int64_t kStart = 1714521600000;

TablePtr MakeTable(ScratchCatalog& scratch, Options options) {
  options.emplace("bucket", "-1");
  options.emplace("sink.process-time-zone", "UTC");
  return scratch.Create({Column("id", DataType::Int()), Column("dt", DataType::String())}, {"dt"}, {}, options);
}

void WriteAt(const TablePtr& table, int64_t now, const std::string& day = "2024-05-01") {
  std::vector<CommitMessage> messages = WriteRows(table, {{Number(1), Text(day)}});
  CommitSettings settings;
  settings.clock = [now] { return now; };
  CommitWritten(table, std::nullopt, settings, &messages);
}

std::vector<std::string> Tags(const Table& table) { return table.snapshots().TagNames(); }

TEST(Retention, DailyTagsComeAfterTheDelayAndTheNewestStay) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch, {{"tag.automatic-creation", "process-time"},
                                       {"tag.creation-delay", "10 min"},
                                       {"tag.num-retained-max", "3"},
                                       {"tag.default-time-retained", "90 d"}});
  WriteAt(table, kStart + 12 * kHour);
  EXPECT_EQ(Tags(*table), (std::vector<std::string>{"2024-04-30"}));
  WriteAt(table, kStart + kDay + 5 * kMinute);
  EXPECT_EQ(Tags(*table).size(), 1u);
  WriteAt(table, kStart + kDay + 11 * kMinute);
  EXPECT_EQ(Tags(*table), (std::vector<std::string>{"2024-04-30", "2024-05-01"}));
  EXPECT_EQ(table->snapshots().GetTag("2024-05-01").snapshot.id, 3);
  EXPECT_EQ(table->snapshots().GetTag("2024-05-01").time_retained_nanos, 90 * kDay * 1'000'000);
  TagRequest by_hand{.name = "2024-05-03", .snapshot_id = 3, .time_retained = {}};
  EXPECT_THROW(CreateTag(*table, by_hand, TagExists::kFail, SystemClock(), InlineExecutor()), Error);
  by_hand.name = "release";
  CreateTag(*table, by_hand, TagExists::kFail, SystemClock(), InlineExecutor());
  for (int64_t day = 2; day <= 5; ++day) WriteAt(table, kStart + day * kDay + kHour);
  EXPECT_EQ(Tags(*table), (std::vector<std::string>{"2024-05-03", "2024-05-04", "2024-05-05", "release"}));
}

TEST(Retention, TagsFollowTheWatermarkAndFillWhatWasMissed) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch, {{"tag.automatic-creation", "watermark"},
                                       {"tag.creation-period", "hourly"},
                                       {"tag.period-formatter", "without_dashes"},
                                       {"tag.automatic-completion", "true"}});
  auto write = [&](int64_t watermark) {
    CommitSettings settings;
    settings.watermark = watermark;
    std::vector<CommitMessage> messages = WriteRows(table, {{Number(1), Text("x")}});
    CommitWritten(table, std::nullopt, settings, &messages);
  };
  WriteAt(table, kStart);
  EXPECT_TRUE(Tags(*table).empty());
  write(kStart + 90 * kMinute);
  EXPECT_EQ(Tags(*table), (std::vector<std::string>{"20240501 00"}));
  write(kStart + 5 * kHour);
  write(kStart + 5 * kHour + kMinute);
  EXPECT_EQ(Tags(*table), (std::vector<std::string>{"20240501 00", "20240501 01", "20240501 02"}));
}

TEST(Retention, EachCommitExpiresWhatTheOptionsSay) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch, {{"snapshot.num-retained.min", "2"}, {"snapshot.num-retained.max", "5"}});
  // M-0604: commit times in minutes after 10:00, and the oldest snapshot after each.
  const std::pair<int64_t, int64_t> commits[] = {{0, 1}, {20, 1}, {40, 1}, {60, 1}, {80, 1}, {90, 2}, {95, 3}, {96, 4}};
  for (auto [minute, oldest] : commits) {
    WriteAt(table, kStart + minute * kMinute);
    EXPECT_EQ(table->snapshots().Ids().front(), oldest) << minute;
  }
  TablePtr writer = table->WithOptions({{"write-only", "true"}});
  WriteAt(writer, kStart + kDay);
  EXPECT_EQ(table->snapshots().Ids().front(), 4);
}

TEST(Retention, IdleConsumersGoBeforeTheSnapshotsThatTheyHold) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch, {{"snapshot.num-retained.min", "1"}, {"consumer.expiration-time", "1 h"}});
  int64_t now = SystemClock()();
  WriteAt(table, now);
  ConsumerStore(table->file_system_ptr(), table->root()).Reset("c", 1);
  WriteAt(table, now + kMinute);
  WriteAt(table, now + 3 * kHour);
  WriteAt(table, now + 6 * kHour);
  EXPECT_TRUE(ConsumerStore(table->file_system_ptr(), table->root()).Ids().empty());
  EXPECT_GT(table->snapshots().Ids().front(), 1);
}

TEST(Retention, PartitionsExpireByTheirValuesOrTheirNewestFile) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch, {{"partition.expiration-time", "2 d"}});
  for (const char* day : {"2024-05-01", "2024-05-02", "2024-05-03", "later"}) WriteAt(table, kStart, day);
  auto expire = [&](PartitionExpiryRequest request, int64_t now) {
    return ExpirePartitions(table, request, {}, now, InlineExecutor());
  };
  EXPECT_TRUE(expire({}, kStart + kDay).empty());
  EXPECT_EQ(expire({}, kStart + 3 * kDay), (std::vector<std::string>{"dt=2024-05-01"}));
  EXPECT_EQ(Scan(*table).rows.size(), 3u);
  EXPECT_TRUE(expire({.strategy = "update-time"}, SystemClock()()).empty());
  EXPECT_EQ(expire({.strategy = "update-time", .max_expires = 2}, SystemClock()() + 3 * kDay).size(), 2u);
}

// P-54: only the least number means that there is no watermark.
TEST(Retention, ANegativeWatermarkNamesADayBefore1970) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch, {{"tag.automatic-creation", "watermark"}});
  for (int64_t watermark : {std::numeric_limits<int64_t>::min(), int64_t{-315'585'870}}) {
    EXPECT_TRUE(Tags(*table).empty());
    CommitSettings settings;
    settings.watermark = watermark;
    std::vector<CommitMessage> messages = WriteRows(table, {{Number(1), Text("x")}});
    CommitWritten(table, std::nullopt, settings, &messages);
  }
  EXPECT_EQ(Tags(*table), (std::vector<std::string>{"1969-12-27"}));
}

// Does something once: after data files were listed, or before one is written.
class Racing final : public FileSystem {
 public:
  std::function<void()> after_list, before_output;

  std::vector<FileStatus> List(const std::string& path) override {
    auto found = inner_.List(path);
    if (path.ends_with("/bucket-0") && after_list) std::exchange(after_list, nullptr)();
    return found;
  }
  std::shared_ptr<arrow::io::RandomAccessFile> OpenInput(const std::string& path, std::optional<int64_t> size) override {
    return inner_.OpenInput(path, size);
  }
  std::shared_ptr<arrow::io::OutputStream> OpenOutput(const std::string& path) override {
    if (path.find("/bucket-0/") != std::string::npos && before_output) std::exchange(before_output, nullptr)();
    return inner_.OpenOutput(path);
  }
  std::optional<FileStatus> Stat(const std::string& path) override { return inner_.Stat(path); }
  void CreateFolder(const std::string& path) override { inner_.CreateFolder(path); }
  bool DeleteFile(const std::string& path) override { return inner_.DeleteFile(path); }
  void DeleteFolder(const std::string& path) override { inner_.DeleteFolder(path); }
  void Rename(const std::string& from, const std::string& to) override { inner_.Rename(from, to); }
  bool CreateAtomically(const std::string& path, std::string_view content) override {
    return inner_.CreateAtomically(path, content);
  }
  void ReplaceAtomically(const std::string& path, std::string_view content) override { inner_.ReplaceAtomically(path, content); }
  bool CanCreateAtomically(std::string* why) override { return inner_.CanCreateAtomically(why); }

 private:
  MemoryFileSystem inner_;
};

// P-65: what is committed between the listing of files and the look at what refers to them is kept, however old the file is.
TEST(Retention, AFileThatIsCommittedWhileOrphansAreLookedForStays) {
  auto racing = std::make_shared<Racing>();
  ScratchCatalog scratch(racing);
  TablePtr table = MakeTable(scratch, {{"write-only", "true"}});
  WriteAt(table, kStart);
  std::vector<CommitMessage> prepared = WriteRows(table, {{Number(2), Text("2024-05-01")}});
  std::string orphan = table->root() + "/dt=2024-05-01/bucket-0/data-orphan-0.parquet";
  racing->ReplaceAtomically(orphan, "x");
  racing->after_list = [&] { CommitRows(table, prepared); };
  EXPECT_EQ(RemoveOrphanFiles(*table, INT64_MAX, false, InlineExecutor()).size(), 1u);
  EXPECT_FALSE(racing->after_list);
  EXPECT_FALSE(scratch.fs->Exists(orphan));
  EXPECT_EQ(Scan(*table).rows.size(), 2u);
}

// P-44: a compaction that was under way does not bring the rows of a dropped partition back.
TEST(Retention, APartitionThatIsDroppedDuringItsCompactionStaysEmpty) {
  auto racing = std::make_shared<Racing>();
  ScratchCatalog scratch(racing);
  TablePtr table = scratch.Create({Column("k", DataType::Int()), Column("dt", DataType::String())}, {"dt"}, {"dt", "k"},
                                  {{"bucket", "1"}, {"write-only", "true"}});
  for (int64_t i = 0; i < 3; ++i) Insert(table, {{Number(i), Text("a")}, {Number(i), Text("b")}});
  TablePtr compacting = table->WithOptions({{"write-only", "false"}});
  racing->before_output = [&] { TableCommit(scratch.Get(), {}).DropPartitions({{{"dt", Text("a")}}}); };
  try {
    CompactTable(compacting, {}, {});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kConflict) << error.what();
  }
  EXPECT_FALSE(racing->before_output);
  EXPECT_EQ(Scan(*scratch.Get()).rows, (std::vector<std::string>{"0|b", "1|b", "2|b"}));
  Insert(table, {{Number(7), Text("a")}});
  CompactTable(compacting, {}, {});
  EXPECT_EQ(Scan(*scratch.Get()).rows, (std::vector<std::string>{"0|b", "1|b", "2|b", "7|a"}));
}

TEST(Retention, ChangelogsOutliveTheirSnapshots) {
  ScratchCatalog scratch;
  TablePtr table = scratch.Create({Column("k", DataType::Int())}, {}, {"k"},
                                  {{"bucket", "1"},
                                   {"changelog-producer", "input"},
                                   {"write-only", "true"},
                                   {"snapshot.num-retained.min", "1"},
                                   {"changelog.num-retained.max", "4"},
                                   {"snapshot.num-retained.max", "2"},
                                   {"changelog.num-retained.min", "1"}});
  for (int64_t i = 0; i < 6; ++i) Insert(table, {{Number(i)}});
  ExpireSnapshots(*table, {}, SystemClock()() + kDay, InlineExecutor());
  EXPECT_EQ(table->snapshots().Ids().size(), 1u);
  std::string folder = table->root() + "/changelog/";
  EXPECT_TRUE(scratch.fs->Exists(folder + "changelog-1"));
  Snapshot first = Snapshot::FromJson(scratch.fs->ReadFile(folder + "changelog-1"), "changelog");
  auto manifests = table->manifests().ReadList(*first.changelog_manifest_list, std::nullopt);
  auto entries = table->manifests().Read(manifests[0].file_name, std::nullopt);
  std::string file = table->paths().DataFilePath(entries[0].partition, entries[0].bucket, entries[0].file);
  EXPECT_TRUE(scratch.fs->Exists(file));
  EXPECT_TRUE(FindOrphanFiles(*table, INT64_MAX, InlineExecutor()).empty());
  EXPECT_EQ(ExpireChangelogs(*table, {}, SystemClock()(), InlineExecutor()), 2);
  EXPECT_FALSE(scratch.fs->Exists(folder + "changelog-2"));
  EXPECT_FALSE(scratch.fs->Exists(file));
  EXPECT_EQ(ExpireChangelogs(*table, {.all = true}, SystemClock()(), InlineExecutor()), 3);
  EXPECT_TRUE(FindOrphanFiles(*table, INT64_MAX, InlineExecutor()).empty());
  EXPECT_EQ(Scan(*table).rows.size(), 6u);
}

TEST(Retention, WhatCannotBeReadMakesNothingAnOrphan) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch, {});
  WriteAt(table, kStart);
  std::string orphan = table->root() + "/dt=2024-05-01/bucket-0/data-orphan-0.parquet";
  scratch.fs->ReplaceAtomically(orphan, "x");
  std::string list = table->manifests().PathOf(table->snapshots().Get(1).delta_manifest_list);
  std::string content = scratch.fs->ReadFile(list);
  scratch.fs->DeleteFile(list);
  EXPECT_THROW(RemoveOrphanFiles(*table, INT64_MAX, false, InlineExecutor()), Error);
  EXPECT_TRUE(scratch.fs->Exists(orphan));
  scratch.fs->ReplaceAtomically(list, content);
  // Too young.
  EXPECT_TRUE(RemoveOrphanFiles(*table, 0, false, InlineExecutor()).empty());
  EXPECT_EQ(RemoveOrphanFiles(*table, INT64_MAX, true, InlineExecutor()).size(), 1u);
  EXPECT_TRUE(scratch.fs->Exists(orphan));
  EXPECT_EQ(RemoveOrphanFiles(*table, INT64_MAX, false, InlineExecutor()).size(), 1u);
  EXPECT_FALSE(scratch.fs->Exists(orphan));
  EXPECT_EQ(Scan(*table).rows.size(), 1u);
}

// The first snapshot may be that of a tag, which does not hold its changelog; later ones hold theirs.
TEST(Retention, OnlyTheFirstSnapshotMayLackItsChangelog) {
  for (int64_t lacks : {1, 2}) {
    ScratchCatalog scratch;
    TablePtr table = scratch.Create({Column("k", DataType::Int())}, {}, {"k"},
                                    {{"bucket", "1"}, {"changelog-producer", "input"}, {"write-only", "true"}});
    for (int64_t i = 0; i < 2; ++i) Insert(table, {{Number(i)}});
    std::string orphan = table->root() + "/bucket-0/data-orphan-0.parquet";
    scratch.fs->ReplaceAtomically(orphan, "x");
    scratch.fs->DeleteFile(table->manifests().PathOf(*table->snapshots().Get(lacks).changelog_manifest_list));
    if (lacks == 1) {
      // And the manifest and file of changes that the list named.
      EXPECT_EQ(RemoveOrphanFiles(*table, INT64_MAX, false, InlineExecutor()).size(), 3u);
    } else {
      EXPECT_THROW(RemoveOrphanFiles(*table, INT64_MAX, false, InlineExecutor()), Error);
    }
    EXPECT_EQ(scratch.fs->Exists(orphan), lacks == 2);
    EXPECT_EQ(Scan(*table).rows.size(), 2u);
  }
}

// P-65: files made long ago are committed while the search goes on, in any of its rounds.
TEST(Retention, WhatIsCommittedDuringTheSearchIsNoOrphan) {
  class Meanwhile final : public Executor {
   public:
    Meanwhile(int round, std::function<void()> act) : round_(round), act_(std::move(act)) {}
    size_t parallelism() const override { return 1; }
    void ForEach(size_t count, const std::function<void(size_t)>& task) override {
      InlineExecutor().ForEach(count, task);
      if (round_-- == 0) act_();
    }

   private:
    int round_;
    std::function<void()> act_;
  };
  for (int round = 0; round < 2; ++round) {
    ScratchCatalog scratch;
    TablePtr table = MakeTable(scratch, {});
    WriteAt(table, kStart);
    std::vector<CommitMessage> prepared = WriteRows(table, {{Number(2), Text("2024-05-02")}});
    const std::vector<CommitMessage> given_up = WriteRows(table, {{Number(3), Text("2024-05-03")}});
    // Another commit keeps the search going on for a round more.
    Meanwhile executor(0, [&] {
      if (round == 1) WriteAt(table, kStart);
      CommitWritten(table, std::nullopt, {}, &prepared);
    });
    EXPECT_EQ(RemoveOrphanFiles(*table, INT64_MAX, false, executor).size(), given_up.size());
    EXPECT_EQ(Scan(*table).rows.size(), round == 1 ? 3u : 2u);
  }
}

TEST(Retention, FilesThatAreGoneCanBeTakenOut) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch, {});
  WriteAt(table, kStart);
  WriteAt(table, kStart, "2024-05-02");
  auto entries = LiveEntries(table->manifests(), table->snapshots().Get(1), {}, nullptr, InlineExecutor());
  scratch.fs->DeleteFile(table->paths().DataFilePath(entries[0].partition, entries[0].bucket, entries[0].file));
  EXPECT_EQ(RemoveMissingFiles(table, true, {}, InlineExecutor()).size(), 1u);
  EXPECT_EQ(table->snapshots().LatestId(), 2);
  EXPECT_EQ(RemoveMissingFiles(table, false, {}, InlineExecutor()).size(), 1u);
  EXPECT_EQ(Scan(*table).rows.size(), 1u);
  EXPECT_TRUE(RemoveMissingFiles(table, false, {}, InlineExecutor()).empty());
}

// Their snapshot has the files of the tag under their old names, which no order of snapshots tells.
TEST(Retention, WhatAnotherEngineRolledBackToIsLeftToTheOrphanClean) {
  ScratchCatalog scratch;
  // Manifests are merged at once: what one of them still names counts as used.
  TablePtr table = MakeTable(scratch, {{"write-only", "true"}, {"manifest.merge-min-count", "1"}});
  WriteAt(table, kStart);
  CreateTag(*table, {.name = "target", .snapshot_id = 1, .time_retained = {}}, TagExists::kFail, SystemClock(), InlineExecutor());
  auto entries = LiveEntries(table->manifests(), table->snapshots().Get(1), {}, nullptr, InlineExecutor());
  std::string file = table->paths().DataFilePath(entries[0].partition, entries[0].bucket, entries[0].file);
  Replace(table, {}, {{Number(2), Text("2024-05-01")}});
  WriteAt(table, kStart);
  Snapshot latest = table->snapshots().Get(3);
  latest.commit_user = "rollback-to-as-latest-x";
  scratch.fs->ReplaceAtomically(table->snapshots().PathOf(3), latest.ToJson());
  table = scratch.Get("t");
  ExpireSnapshots(*table, {.retain_max = 1, .retain_min = 1}, SystemClock()(), InlineExecutor());
  EXPECT_TRUE(scratch.fs->Exists(file));
  DeleteTags(*table, {"target"}, TagMissing::kFail, InlineExecutor());
  EXPECT_TRUE(scratch.fs->Exists(file));
  RemoveOrphanFiles(*table, INT64_MAX, false, InlineExecutor());
  EXPECT_FALSE(scratch.fs->Exists(file));
}

}  // namespace
}  // namespace mica
