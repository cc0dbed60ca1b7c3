// Snapshots, tags, rollbacks and expiry together: whatever is listed reads as it did when it was made, and what nothing needs
// any more is gone (M-0603 to M-0633, P-51, P-52, P-53).
#include <map>
#include <random>

#include "catalog/scratch_table.h"
#include "history/expire_snapshots.h"
#include "history/maintenance.h"
#include "history/rollback.h"
#include "history/tags.h"
#include "io/counting_file_system.h"
#include "meta/consumer.h"

namespace mica {
namespace {

constexpr int64_t kHour = 3'600'000;

TablePtr MakeTable(ScratchCatalog& scratch, Options options = {}) {
  options.emplace("bucket", "1");
  return scratch.Create({Column("p", DataType::Int()), Column("k", DataType::Int()), Column("v", DataType::String())}, {"p"},
                        {"p", "k"}, options);
}

void InsertOne(const TablePtr& table, int64_t value) {
  Insert(table, {{Number(value % 2), Number(value % 3), Text("v" + std::to_string(value))}});
}

ExpireRequest Keeping(int64_t count) { return {.retain_max = count, .retain_min = count}; }

int64_t Expire(const Table& table, const ExpireRequest& request) {
  return ExpireSnapshots(table, request, SystemClock()(), InlineExecutor());
}

TimeTravel AtTag(const std::string& name) {
  TimeTravel travel;
  travel.tag = name;
  return travel;
}

TimeTravel AtSnapshot(int64_t id) {
  TimeTravel travel;
  travel.snapshot_id = id;
  return travel;
}

void MakeTag(const Table& table, const std::string& name, std::optional<int64_t> snapshot_id = {}) {
  TagRequest request;
  request.name = name;
  request.snapshot_id = snapshot_id;
  CreateTag(table, request, TagExists::kFail, SystemClock(), InlineExecutor());
}

size_t FilesBelow(FileSystem& fs, const std::string& folder, const std::string& parent = "") {
  size_t count = 0;
  for (const FileStatus& status : fs.List(folder)) {
    if (status.is_directory) {
      count += FilesBelow(fs, status.path, BaseName(status.path));
    } else if (parent.starts_with("bucket-")) {
      ++count;
    }
  }
  return count;
}

size_t LiveFiles(const Table& table) {
  ManifestFilter filter;
  return LiveEntries(table.manifests(), *table.snapshots().Latest(), filter, nullptr, InlineExecutor()).size();
}

// M-0604: the worked example, with the age of the successor deciding.
TEST(History, ExpiryGoesByTheAgeOfTheSuccessor) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch, {{"snapshot.num-retained.min", "2"}, {"snapshot.num-retained.max", "5"}});
  std::vector<int64_t> minutes = {600, 620, 640, 660, 680, 690, 695, 696};
  std::vector<std::pair<int64_t, int64_t>> kept = {{1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}, {2, 6}, {3, 7}, {4, 8}};
  for (size_t i = 0; i < minutes.size(); ++i) {
    int64_t now = minutes[i] * 60'000;
    CommitSettings settings;
    settings.clock = [&] { return now; };
    CommitRows(table, WriteRows(table, {{Number(0), Number(static_cast<int64_t>(i)), Text("x")}}), settings);
    ExpireSnapshots(*table, {}, now, InlineExecutor());
    std::vector<int64_t> ids = table->snapshots().Ids();
    EXPECT_EQ(std::make_pair(ids.front(), ids.back()), kept[i]) << "after commit " << i + 1;
  }
}

// Where nothing is due, a commit does not list the snapshots: it costs the same however many there are.
TEST(History, CommitsDoNotListSnapshots) {
  auto counting = std::make_shared<CountingFileSystem>(std::make_shared<MemoryFileSystem>());
  ScratchCatalog scratch(counting);
  TablePtr table = MakeTable(scratch);
  const auto lists = [&] { return counting->Counts("*/snapshot*").lists; };
  const auto commits = [&](const TablePtr& to, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      InsertOne(to, i);
      MaintainAfterCommit(to, {}, InlineExecutor());
    }
  };
  commits(table, 20);
  counting->Reset();
  commits(table, 20);
  EXPECT_EQ(lists(), 0);
  commits(table->WithOptions({{"snapshot.num-retained.max", "30"}}), 1);
  EXPECT_GT(lists(), 0);
  EXPECT_EQ(table->snapshots().Ids().front(), 12);
}

// P-53
TEST(History, ExpiryPassesHolesInTheSnapshots) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch);
  for (int64_t i = 0; i < 40; ++i) InsertOne(table, i);
  std::vector<std::string> rows = Scan(*table).rows;
  for (int64_t id = 5; id <= 20; ++id) scratch.fs->DeleteFile(table->snapshots().PathOf(id));
  while (Expire(*table, {.retain_max = 5, .retain_min = 5, .max_deletes = 100}) > 0) {
  }
  EXPECT_EQ(table->snapshots().Ids(), (std::vector<int64_t>{36, 37, 38, 39, 40}));
  EXPECT_EQ(table->snapshots().EarliestId(), 36);
  EXPECT_EQ(Scan(*table).rows, rows);
}

TEST(History, ConsumersKeepWhatTheyHaveNotRead) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch);
  for (int64_t i = 0; i < 6; ++i) InsertOne(table, i);
  ConsumerStore consumers(table->file_system_ptr(), table->root());
  consumers.Reset("slow", 3);
  consumers.Reset("fast", 6);
  EXPECT_EQ(Expire(*table, Keeping(1)), 2);
  EXPECT_EQ(table->snapshots().Ids().front(), 3);
  consumers.Delete("slow");
  EXPECT_EQ(Expire(*table, Keeping(1)), 3);
}

// P-56, M-0636: a branch that another engine made shares the files of the main line.
TEST(History, ExpiryKeepsWhatABranchBeginsWith) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch);
  InsertOne(table, 1);
  MakeTag(*table, "start");
  std::string branch = table->root() + "/branch/branch-b";
  std::string tag = scratch.fs->ReadFile(table->snapshots().TagPath("start"));
  scratch.fs->ReplaceAtomically(branch + "/tag/tag-start", tag);
  scratch.fs->ReplaceAtomically(branch + "/snapshot/snapshot-1", tag);
  Replace(table, {}, {{Number(5), Number(5), Text("new")}});
  Expire(*table, Keeping(1));
  // Its anchor stays, whoever asks.
  EXPECT_THROW(DeleteTags(*table, {"start"}, TagMissing::kFail, InlineExecutor()), Error);
  // Another engine deletes it all the same: the branch's own copy still protects.
  scratch.fs->DeleteFile(table->snapshots().TagPath("start"));
  InsertOne(table, 7);
  Expire(*table, Keeping(1));
  Snapshot begin = SnapshotStore(scratch.fs, branch).Get(1);
  for (const ManifestEntry& entry : LiveEntries(table->manifests(), begin, {}, nullptr, InlineExecutor())) {
    EXPECT_TRUE(scratch.fs->Exists(table->paths().DataFilePath(entry.partition, entry.bucket, entry.file)));
  }
}

TEST(History, AStateThatCannotBeReadProtectsEverything) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch);
  InsertOne(table, 1);
  MakeTag(*table, "first");
  std::string list = table->manifests().PathOf(table->snapshots().Get(1).delta_manifest_list);
  std::string content = scratch.fs->ReadFile(list);
  Replace(table, {}, {{Number(5), Number(5), Text("new")}});
  scratch.fs->DeleteFile(list);
  Expire(*table, Keeping(1));
  EXPECT_EQ(FilesBelow(*scratch.fs, table->root()), 2u);
  scratch.fs->ReplaceAtomically(list, content);
  EXPECT_EQ(Scan(*table, nullptr, {}, AtTag("first")).rows.size(), 1u);
}

TEST(History, ARollbackNamesTheFileThatIsGone) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch);
  InsertOne(table, 1);
  Snapshot first = table->snapshots().Get(1);
  Replace(table, {}, {{Number(5), Number(5), Text("new")}});
  auto entries = LiveEntries(table->manifests(), first, {}, nullptr, InlineExecutor());
  std::string path = table->paths().DataFilePath(entries[0].partition, entries[0].bucket, entries[0].file);
  scratch.fs->DeleteFile(path);
  try {
    RollbackAsLatest(table, first, {});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
    EXPECT_NE(std::string(error.what()).find(BaseName(path)), std::string::npos) << error.what();
  }
  EXPECT_EQ(table->snapshots().LatestId(), 2);
  EXPECT_TRUE(table->snapshots().TagNames().empty());
}

// M-0622
TEST(History, TagsExpireByTheirRetentionOrTheirAge) {
  ScratchCatalog scratch;
  TablePtr table = MakeTable(scratch);
  InsertOne(table, 1);
  int64_t now = SystemClock()();
  auto make = [&](const std::string& name, std::optional<std::chrono::nanoseconds> retained) {
    TagRequest request;
    request.name = name;
    request.time_retained = retained;
    CreateTag(*table, request, TagExists::kFail, [&] { return now; }, InlineExecutor());
  };
  make("short", std::chrono::hours(1));
  make("long", std::chrono::hours(10));
  make("forever", std::nullopt);
  EXPECT_TRUE(ExpireTags(*table, std::nullopt, now + kHour - 1, InlineExecutor()).empty());
  EXPECT_EQ(ExpireTags(*table, std::nullopt, now + 2 * kHour, InlineExecutor()), (std::vector<std::string>{"short"}));
  EXPECT_EQ(ExpireTags(*table, now + 3 * kHour, now + 2 * kHour, InlineExecutor()), (std::vector<std::string>{"forever", "long"}));
}

class Model {
 public:
  Model(uint32_t seed, bool with_deleting_rollbacks)
      : random_(seed), with_deleting_rollbacks_(with_deleting_rollbacks), table_(MakeTable(scratch_)) {}

  void Run(int steps) {
    for (int i = 0; i < steps; ++i) {
      Step();
      Verify();
      if (::testing::Test::HasFailure()) return;
    }
    if (with_deleting_rollbacks_ || snapshots_.empty()) return;
    // Without tags and old snapshots nothing is left but what the newest state needs.
    for (int round = 0; round < 3; ++round) {
      Expire(*table_, {.retain_max = 1, .retain_min = 1, .max_deletes = 1000});
      for (const auto& [name, rows] : tags_) DeleteTags(*table_, {name}, TagMissing::kIgnore, InlineExecutor());
      tags_.clear();
    }
    snapshots_.erase(snapshots_.begin(), std::prev(snapshots_.end()));
    Verify();
    EXPECT_TRUE(table_->snapshots().TagNames().empty());
    EXPECT_EQ(FilesBelow(*scratch_.fs, table_->root()), LiveFiles(*table_));
  }

 private:
  using Rows = std::vector<std::string>;

  int64_t Random(int64_t below) { return static_cast<int64_t>(random_() % static_cast<uint32_t>(below)); }
  std::string NewTagName() { return "tag" + std::to_string(next_tag_++); }

  template <typename Map>
  auto Pick(Map& map) {
    return std::next(map.begin(), Random(static_cast<int64_t>(map.size())));
  }

  void Committed() { snapshots_[*table_->snapshots().LatestId()] = Scan(*table_).rows; }

  void Step() {
    int64_t what = Random(12);
    if (what < 3 || snapshots_.empty()) {
      InsertOne(table_, value_++);
      Committed();
    } else if (what < 6) {
      OverwriteScope scope;
      if (Random(2) == 0) scope.partition["p"] = Number(value_ % 2);
      Replace(table_, scope, {{Number(value_ % 2), Number(Random(3)), Text("r" + std::to_string(value_))}});
      ++value_;
      Committed();
    } else if (what == 6) {
      bool of_tag = !tags_.empty() && Random(3) == 0;
      int64_t id = of_tag ? table_->snapshots().GetTag(Pick(tags_)->first).snapshot.id : Pick(snapshots_)->first;
      std::string name = NewTagName();
      MakeTag(*table_, name, id);
      tags_[name] = Scan(*table_, nullptr, {}, AtTag(name)).rows;
    } else if (what == 7 && !tags_.empty()) {
      auto tag = Pick(tags_);
      DeleteTags(*table_, {tag->first}, TagMissing::kFail, InlineExecutor());
      tags_.erase(tag);
    } else if (what == 8 && !tags_.empty()) {
      auto tag = Pick(tags_);
      auto snapshot = Pick(snapshots_);
      TagRequest request;
      request.name = tag->first;
      request.snapshot_id = snapshot->first;
      ReplaceTag(*table_, request, SystemClock(), InlineExecutor());
      tag->second = snapshot->second;
    } else if (what == 9) {
      int64_t keep = 1 + Random(4);
      Expire(*table_, Keeping(keep));
      while (static_cast<int64_t>(snapshots_.size()) > keep) snapshots_.erase(snapshots_.begin());
    } else if (what >= 10) {
      bool of_tag = !tags_.empty() && Random(2) == 0;
      bool deleting = with_deleting_rollbacks_ && Random(2) == 0;
      Snapshot target;
      Rows rows;
      if (of_tag) {
        auto tag = Pick(tags_);
        target = table_->snapshots().GetTag(tag->first).snapshot;
        rows = tag->second;
      } else {
        auto snapshot = Pick(snapshots_);
        target = table_->snapshots().Get(snapshot->first);
        rows = snapshot->second;
      }
      if (deleting) {
        RollbackDeletingLater(*table_, target);
        std::erase_if(snapshots_, [&](const auto& item) { return item.first > target.id; });
        snapshots_[target.id] = rows;
        std::vector<std::string> left = table_->snapshots().TagNames();
        std::erase_if(tags_, [&](const auto& item) { return std::find(left.begin(), left.end(), item.first) == left.end(); });
      } else {
        RollbackAsLatest(table_, target, {});
        Committed();
      }
      EXPECT_EQ(Scan(*table_).rows, rows);
    }
  }

  void Verify() {
    std::vector<int64_t> ids;
    for (const auto& [id, rows] : snapshots_) ids.push_back(id);
    EXPECT_EQ(table_->snapshots().Ids(), ids);
    for (const auto& [id, rows] : snapshots_) EXPECT_EQ(Scan(*table_, nullptr, {}, AtSnapshot(id)).rows, rows) << id;
    for (const auto& [name, rows] : tags_) EXPECT_EQ(Scan(*table_, nullptr, {}, AtTag(name)).rows, rows) << name;
  }

  std::minstd_rand random_;
  bool with_deleting_rollbacks_;
  ScratchCatalog scratch_;
  TablePtr table_;
  std::map<int64_t, Rows> snapshots_;
  std::map<std::string, Rows> tags_;
  int64_t value_ = 0;
  int next_tag_ = 0;
};

TEST(History, RandomHistoriesReadAsTheyWereAndLeaveNothingBehind) {
  for (uint32_t seed = 1; seed <= 15; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Model(seed, /*with_deleting_rollbacks=*/seed % 3 == 0).Run(40);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace mica
