// The model of Engine 10: random writes, compactions, tags, branches, fast-forwards, rollbacks, expiries and orphan cleans over
// several lines of one table, of which three branches at least are always there. After each step every snapshot and tag of every
// line reads as it was recorded, and after a clean no file is left that nothing refers to. A line keeps a bounded number of
// states, so that a run takes time by its steps alone. MICA_STEPS=N makes longer runs, MICA_SEED=N one run (again).
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "catalog/scratch_table.h"
#include "compaction/compact.h"
#include "history/branches.h"
#include "history/expire_snapshots.h"
#include "history/lines.h"
#include "history/orphan_files.h"
#include "history/rollback.h"
#include "history/tags.h"
#include "meta/branch.h"
#include "table/restore.h"

namespace mica {
namespace {

using Texts = std::vector<std::string>;

enum class Kind { kAppend, kKeyed, kDeletionVectors, kChangelog };

class Lines {
  struct LineModel {
    std::map<int64_t, Texts> snapshots;
    std::map<std::string, Texts> tags;
  };

  int64_t Random(int64_t below) { return static_cast<int64_t>(random_() % static_cast<uint32_t>(below)); }

  template <typename Map>
  auto Pick(Map& map) {
    return std::next(map.begin(), Random(static_cast<int64_t>(map.size())));
  }

 public:
  Lines(uint32_t seed, Kind kind) : random_(seed) {
    Options options;
    options["manifest.merge-min-count"] = "3";
    std::vector<std::string> keys;
    if (kind == Kind::kAppend) {
      options["bucket"] = "-1";
      options["compaction.min.file-num"] = "2";
    } else {
      keys = {"p", "k"};
      options["bucket"] = "1";
      options["num-sorted-run.compaction-trigger"] = "3";
    }
    if (kind == Kind::kDeletionVectors) options["deletion-vectors.enabled"] = "true";
    if (kind == Kind::kChangelog) options["changelog-producer"] = "input";
    scratch_.Create({Column("p", DataType::Int()), Column("k", DataType::Int()), Column("v", DataType::String())}, {"p"}, keys,
                    options);
    lines_["main"];
  }

  const std::string& log() const { return log_; }

  void Step() {
    std::string branch = Pick(lines_)->first;
    LineModel& line = lines_[branch];
    TablePtr table = Open(branch);
    if (lines_.size() <= kBranches) return MakeBranch(table, branch);
    if (line.snapshots.size() > kSnapshots) return Expire(table, branch);
    if (line.tags.size() > kTags && Random(2) == 0) return DropTag(table, branch, line);
    switch (Random(22)) {
      case 0: case 1: case 2: case 3: case 4: return Write(table, branch);
      case 5: case 6: return Overwrite(table, branch);
      case 7: case 8: return Compact(table, branch);
      case 9: case 10: return MakeTag(table, branch, line);
      case 11: return DropTag(table, branch, line);
      case 12: case 13: return MakeBranch(table, branch);
      case 14: return DropBranch();
      case 15: return Forward();
      case 16: return Rollback(table, branch, line);
      case 17: case 18: return Expire(table, branch);
      case 19: case 20: return Merge();
      default: return Clean();
    }
  }

  // Every state that is listed reads as when it was first seen.
  void Verify() {
    std::vector<std::string> names = BranchNames(*scratch_.fs, Open("main")->root());
    Texts expected;
    for (const auto& [branch, line] : lines_) {
      if (branch != "main") expected.push_back(branch);
    }
    ASSERT_EQ(names, expected) << log_;
    for (auto& [branch, line] : lines_) {
      TablePtr table = Open(branch);
      std::map<int64_t, Texts> listed;
      for (int64_t id : table->snapshots().Ids()) {
        TimeTravel travel;
        travel.snapshot_id = id;
        Texts rows = Scan(*table, nullptr, {}, travel).rows;
        auto known = line.snapshots.find(id);
        if (known != line.snapshots.end()) {
          ASSERT_EQ(rows, known->second) << branch << " at " << id << log_;
        }
        listed.emplace(id, std::move(rows));
      }
      line.snapshots = std::move(listed);
      std::map<std::string, Texts> tags;
      for (const std::string& name : table->snapshots().TagNames()) {
        TimeTravel travel;
        travel.tag = name;
        Texts rows = Scan(*table, nullptr, {}, travel).rows;
        auto known = line.tags.find(name);
        if (known != line.tags.end()) {
          ASSERT_EQ(rows, known->second) << branch << " at " << name << log_;
        }
        tags.emplace(name, std::move(rows));
      }
      line.tags = std::move(tags);
    }
  }

 private:
  TablePtr Open(const std::string& branch) { return scratch_.Get(WithBranch("t", branch)); }
  void Note(const std::string& what) { log_ += "\n  " + what; }

  void Write(const TablePtr& table, const std::string& branch) {
    Note("write " + branch);
    Rows rows;
    for (int64_t i = Random(3) + 1; i > 0; --i) {
      rows.push_back({Number(Random(2)), Number(Random(4)), Text("v" + std::to_string(value_++))});
    }
    std::vector<CommitMessage> messages = WriteRows(table, rows);
    CommitWritten(table, std::nullopt, {}, &messages);
  }

  void Overwrite(const TablePtr& table, const std::string& branch) {
    Note("overwrite " + branch);
    OverwriteScope scope;
    if (Random(2) == 0) scope.partition["p"] = Number(1);
    WriteSettings settings;
    settings.ignore_existing = true;
    std::vector<CommitMessage> messages =
        WriteRows(table, {{Number(1), Number(Random(4)), Text("o" + std::to_string(value_++))}}, {}, settings);
    CommitWritten(table, scope, {}, &messages);
  }

  void Compact(const TablePtr& table, const std::string& branch) {
    Note("compact " + branch);
    CompactTable(table, {}, {});
  }

  void MakeTag(const TablePtr& table, const std::string& branch, LineModel& line) {
    if (line.snapshots.empty()) return;
    TagRequest request;
    request.name = "tag" + std::to_string(next_name_++);
    request.snapshot_id = Pick(line.snapshots)->first;
    Note(fmt::format("tag {} of {} at {}", request.name, branch, *request.snapshot_id));
    CreateTag(*table, request, TagExists::kFail, SystemClock(), InlineExecutor());
  }

  void DropTag(const TablePtr& table, const std::string& branch, LineModel& line) {
    if (line.tags.empty()) return;
    std::string name = Pick(line.tags)->first;
    Note("delete tag " + name + " of " + branch);
    try {
      DeleteTags(*table, {name}, TagMissing::kFail, InlineExecutor());
      line.tags.erase(name);
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::kInvalidArgument) << error.what();
    }
  }

  void MakeBranch(const TablePtr& table, const std::string& from) {
    if (lines_.size() > kBranches + 2) return;
    BranchRequest request;
    request.name = "b" + std::to_string(next_name_++);
    LineModel& line = lines_[from];
    if (!line.tags.empty() && Random(2) == 0) request.tag = Pick(line.tags)->first;
    Note(fmt::format("branch {} of {} at {}", request.name, from, request.tag.value_or("latest")));
    CreateBranch(*table, request);
    Texts rows;
    if (request.tag) {
      rows = line.tags.at(*request.tag);
    } else if (!line.snapshots.empty()) {
      rows = line.snapshots.rbegin()->second;
    }
    lines_[request.name];
    ASSERT_EQ(Scan(*Open(request.name)).rows, rows) << log_;
  }

  void DropBranch() {
    if (lines_.size() <= kBranches + 1) return;
    auto line = Pick(lines_);
    if (line->first == "main") return;
    Note("delete " + line->first);
    DeleteBranches(*Open("main"), {line->first}, InlineExecutor());
    lines_.erase(line);
  }

  void Forward() {
    auto from = Pick(lines_), to = Pick(lines_);
    if (from == to || from->first == "main" || from->second.snapshots.empty()) return;
    Note("fast forward " + to->first + " to " + from->first);
    Texts rows = from->second.snapshots.rbegin()->second;
    try {
      FastForward(*Open(to->first), from->first, InlineExecutor());
    } catch (const Error& error) {
      bool in_the_way = error.kind() == ErrorKind::kInvalidArgument || error.kind() == ErrorKind::kAlreadyExists;
      ASSERT_TRUE(in_the_way) << error.what();
      Note(std::string("  refused: ") + error.what());
      return;
    }
    ASSERT_EQ(Scan(*Open(to->first)).rows, rows) << log_;
    ASSERT_EQ(Scan(*Open(from->first)).rows, rows) << log_;
    // Numbers are used again.
    to->second.snapshots.clear();
    to->second.tags.clear();
    from->second.tags.clear();
  }

  // Succeeds only between lines that nothing was ever taken away from: a later one has what both had.
  void Merge() {
    auto from = Pick(lines_), to = Pick(lines_);
    if (from == to) return;
    Note("merge " + from->first + " into " + to->first);
    std::set<std::string> rows;
    for (auto line : {from, to}) {
      if (!line->second.snapshots.empty()) rows.insert(line->second.snapshots.rbegin()->second.begin(), line->second.snapshots.rbegin()->second.end());
    }
    try {
      MergeBranch(Open(from->first), Open(to->first), {}, InlineExecutor());
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::kInvalidArgument) << error.what();
      Note(std::string("  refused: ") + error.what());
      return;
    }
    // These tags move on with each merge.
    from->second.tags.erase(MergeTagOf(to->first));
    to->second.tags.erase(MergeTagOf(from->first));
    // Each row was written once, with a value of its own.
    ASSERT_EQ(Scan(*Open(to->first)).rows, Texts(rows.begin(), rows.end())) << log_;
  }

  void Rollback(const TablePtr& table, const std::string& branch, LineModel& line) {
    if (line.snapshots.empty()) return;
    auto target = Pick(line.snapshots);
    Texts rows = target->second;
    Snapshot snapshot = table->snapshots().Get(target->first);
    bool deleting = Random(3) == 0;
    Note(fmt::format("roll {} back to {}{}", branch, target->first, deleting ? ", deleting" : ""));
    if (deleting) {
      try {
        RollbackDeletingLater(*table, snapshot);
      } catch (const Error& error) {
        ASSERT_EQ(error.kind(), ErrorKind::kInvalidArgument) << error.what();
        return;
      }
      line.snapshots.erase(std::next(target), line.snapshots.end());
      line.tags.clear();
    } else {
      RollbackAsLatest(table, snapshot, {});
    }
    ASSERT_EQ(Scan(*Open(branch)).rows, rows) << log_;
  }

  void Expire(const TablePtr& table, const std::string& branch) {
    int64_t keep = 1 + Random(3);
    Note(fmt::format("expire {} to {}", branch, keep));
    ExpireSnapshots(*table, {.retain_max = keep, .retain_min = keep}, SystemClock()(), InlineExecutor());
  }

  void Clean() {
    Note("clean");
    TablePtr table = Open("main");
    RemoveOrphanFiles(*table, INT64_MAX, /*dry_run=*/false, InlineExecutor());
    // Looked at another way: the files of all states, and the files on disk. What a manifest lists may stay, though a later
    // entry takes it away: only merging manifests forgets it.
    std::set<std::string> used, listed;
    auto list = [&](const std::string& name, std::optional<int64_t> size) {
      for (const ManifestFileMeta& manifest : table->manifests().ReadList(name, size)) {
        for (const ManifestEntry& entry : table->manifests().Read(manifest.file_name, manifest.file_size)) {
          listed.insert(table->paths().DataFilePath(entry.partition, entry.bucket, entry.file));
        }
      }
    };
    for (Line& line : AllLines(*table)) {
      LineStates states = StatesOf(line);
      std::vector<Snapshot> all = states.snapshots;
      all.insert(all.end(), states.tags.begin(), states.tags.end());
      for (const Snapshot& state : all) {
        list(state.base_manifest_list, state.base_manifest_list_size);
        list(state.delta_manifest_list, state.delta_manifest_list_size);
        for (const ManifestEntry& entry : LiveEntries(table->manifests(), state, {}, nullptr, InlineExecutor())) {
          used.insert(table->paths().DataFilePath(entry.partition, entry.bucket, entry.file));
        }
      }
      for (const Snapshot& state : states.snapshots) {
        if (!state.changelog_manifest_list) continue;
        const bool first = state.id == states.snapshots.front().id;  // perhaps of a tag, which does not hold its changelog
        if (first && !scratch_.fs->Exists(table->manifests().PathOf(*state.changelog_manifest_list))) continue;
        for (const auto& manifest : table->manifests().ReadList(*state.changelog_manifest_list, std::nullopt)) {
          for (const ManifestEntry& entry : table->manifests().Read(manifest.file_name, manifest.file_size)) {
            used.insert(table->paths().DataFilePath(entry.partition, entry.bucket, entry.file));
          }
        }
      }
    }
    std::set<std::string> found;
    for (const FileStatus& partition : scratch_.fs->List(table->root())) {
      for (const FileStatus& bucket : scratch_.fs->List(partition.path)) {
        if (!BaseName(bucket.path).starts_with("bucket-")) continue;
        for (const FileStatus& file : scratch_.fs->List(bucket.path)) found.insert(file.path);
      }
    }
    listed.insert(used.begin(), used.end());
    ASSERT_TRUE(std::includes(found.begin(), found.end(), used.begin(), used.end())) << "a file is gone" << log_;
    ASSERT_TRUE(std::includes(listed.begin(), listed.end(), found.begin(), found.end())) << "a file is left" << log_;
  }

  static constexpr size_t kBranches = 3;
  // About so many of a line; more take longer and show nothing else.
  static constexpr size_t kSnapshots = 8, kTags = 5;

  std::minstd_rand random_;
  ScratchCatalog scratch_;
  std::map<std::string, LineModel> lines_;
  int64_t value_ = 0;
  int next_name_ = 0;
  std::string log_;
};

constexpr uint32_t kRuns = 4;

void RunSequences(Kind kind) {
  const char* steps = std::getenv("MICA_STEPS");
  const char* given = std::getenv("MICA_SEED");
  int64_t count = steps != nullptr ? std::strtoll(steps, nullptr, 10) : 50;
  for (uint32_t run = 1; run <= kRuns; ++run) {
    uint32_t seed = given != nullptr ? static_cast<uint32_t>(std::strtoul(given, nullptr, 10)) : run;
    Lines lines(seed, kind);
    for (int64_t step = 0; step < count; ++step) {
      SCOPED_TRACE(fmt::format("seed {}, step {}", seed, step));
      try {
        lines.Step();
        if (::testing::Test::HasFatalFailure()) return;
        lines.Verify();
      } catch (const std::exception& error) {
        FAIL() << error.what() << lines.log();
      }
      if (::testing::Test::HasFatalFailure()) return;
    }
    if (given != nullptr) return;
  }
}

// Two that merge at once see the same files missing.
TEST(MergeBranch, AFileIsAddedOnce) {
  ScratchCatalog scratch;
  TablePtr table = scratch.Create({Column("id", DataType::Int())}, {}, {}, {{"bucket", "-1"}});
  Insert(table, {{Number(1)}});
  CreateBranch(*table, {.name = "b"});
  TablePtr branch = scratch.Get(WithBranch("t", "b"));
  std::vector<CommitMessage> messages = WriteRows(branch, {{Number(2)}});
  CommitRows(branch, messages);
  EXPECT_EQ(MergeBranch(branch, table, {}, InlineExecutor()), 1);
  EXPECT_EQ(MergeBranch(branch, table, {}, InlineExecutor()), 0);
  try {
    AddSharedFiles(table, {}, messages);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kConflict) << error.what();
  }
  EXPECT_EQ(Scan(*scratch.Get()).rows, (Texts{"1", "2"}));
}

TEST(Lines, OfAnAppendTableKeepWhatEachOfThemNeeds) { RunSequences(Kind::kAppend); }
TEST(Lines, OfAKeyedTableKeepWhatEachOfThemNeeds) { RunSequences(Kind::kKeyed); }
TEST(Lines, OfATableWithDeletionVectorsKeepWhatEachOfThemNeeds) { RunSequences(Kind::kDeletionVectors); }
TEST(Lines, OfATableWithChangelogKeepWhatEachOfThemNeeds) { RunSequences(Kind::kChangelog); }

}  // namespace
}  // namespace mica
