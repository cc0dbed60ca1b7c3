// FastForward of branches.h.
#include <algorithm>

#include "base/error.h"
#include "history/branches.h"
#include "history/lines.h"
#include "history/retired_snapshots.h"
#include "history/tags.h"
#include "meta/branch.h"
#include "meta/versioned_folder.h"

namespace mica {

namespace {

class Forward {
 public:
  Forward(const Table& table, const std::string& branch, Executor& executor)
      : table_(table),
        fs_(table.file_system()),
        own_(table.snapshots()),
        executor_(executor),
        branch_{branch, BranchRoot(table.root(), branch),
                SnapshotStore(table.file_system_ptr(), BranchRoot(table.root(), branch))},
        anchor_("branch-" + branch) {}

  void Run() {
    ids_ = branch_.snapshots.Ids();
    if (ids_.empty()) {
      throw InvalidArgument("Cannot fast forward branch {}, because it does not have snapshot", branch_.branch);
    }
    latest_ = branch_.snapshots.Get(ids_.back());
    FindFork();
    CheckTags();
    DropOwn();
    TakeSchemas();
    TakeSnapshots();
    TakeTags();
    Anchor();
    DropEarlier();
    TrimBranch();
  }

 private:
  // The newest state that both lines have.
  void FindFork() {
    auto offer = [&](const Snapshot& state) {
      if (fork_ && fork_->id >= state.id) return;
      bool common = own_.Exists(state.id) && own_.Get(state.id) == state;
      for (const auto& [name, tag] : own_tags_) common = common || tag.snapshot == state;
      if (common) fork_ = state;
    };
    for (const std::string& name : own_.TagNames()) {
      if (auto tag = own_.FindTag(name)) own_tags_.emplace(name, *std::move(tag));
    }
    for (const std::string& name : branch_.snapshots.TagNames()) {
      if (auto tag = branch_.snapshots.FindTag(name)) branch_tags_.emplace(name, *std::move(tag));
    }
    for (int64_t id : ids_) offer(branch_.snapshots.Get(id));
    for (const auto& [name, tag] : branch_tags_) offer(tag.snapshot);
    fork_id_ = fork_ ? fork_->id : 0;
  }

  bool IsOurs(const std::string& name, const Tag& tag) const {
    auto copy = branch_tags_.find(name);
    return copy != branch_tags_.end() && copy->second.snapshot == tag.snapshot;
  }

  // Before anything is touched.
  void CheckTags() const {
    for (const auto& [name, tag] : own_tags_) {
      if (IsOurs(name, tag)) continue;
      if (tag.snapshot.id > fork_id_) RefuseAnchor(table_, name, tag, "fast forward beyond");
      bool meets_another = tag.snapshot.id <= fork_id_ && (branch_tags_.contains(name) || name == anchor_);
      if (!meets_another) continue;
      throw AlreadyExists("Cannot fast forward branch '{}': the tag '{}' is of another snapshot there. Rename one of them",
                          branch_.branch, name);
    }
  }

  // What this line did since the branch began: tags first, for none may be left whose id another snapshot could take; then
  // the newest first, so that there is always a latest one.
  void DropOwn() {
    for (const auto& [name, tag] : own_tags_) {
      if (tag.snapshot.id > fork_id_ && !IsOurs(name, tag)) fs_.DeleteFile(own_.TagPath(name));
    }
    std::vector<int64_t> later;
    for (int64_t id : own_.Ids()) {
      bool same = std::binary_search(ids_.begin(), ids_.end(), id) && own_.Get(id) == branch_.snapshots.Get(id);
      if (id > fork_id_ && !same) later.push_back(id);
    }
    if (later.empty()) return;
    if (fork_ && !own_.Exists(fork_id_)) {
      revived_ = true;
      fs_.ReplaceAtomically(own_.PathOf(fork_id_), fork_->ToJson());
      WriteEarliestHint(table_, fork_id_);
    }
    if (fork_) {
      own_.MoveLatestHintBack(fork_id_);
    } else {
      fs_.DeleteFile(MetadataRoot(table_) + "/snapshot/LATEST");
    }
    for (auto id = later.rbegin(); id != later.rend(); ++id) fs_.DeleteFile(own_.PathOf(*id));
    std::string changelogs = JoinPath(MetadataRoot(table_), "changelog");
    for (int64_t id : ListVersions(fs_, changelogs, "changelog-")) {
      if (id > fork_id_) fs_.DeleteFile(fmt::format("{}/changelog-{}", changelogs, id));
    }
  }

  void TakeSchemas() {
    SchemaStore own(table_.file_system_ptr(), MetadataRoot(table_)), theirs(table_.file_system_ptr(), branch_.root);
    std::vector<int64_t> ids = theirs.Ids(), before = own.Ids();
    for (int64_t id : ids) {
      std::string content = fs_.ReadFile(theirs.PathOf(id));
      bool same = std::binary_search(before.begin(), before.end(), id) && fs_.ReadFile(own.PathOf(id)) == content;
      if (!same) fs_.ReplaceAtomically(own.PathOf(id), content);
    }
    for (auto id = before.rbegin(); id != before.rend() && *id > ids.back(); ++id) fs_.DeleteFile(own.PathOf(*id));
  }

  void TakeSnapshots() {
    for (int64_t id : ids_) {
      if (id <= fork_id_) continue;
      Snapshot snapshot = branch_.snapshots.Get(id);
      if (fs_.CreateAtomically(own_.PathOf(id), fs_.ReadFile(branch_.snapshots.PathOf(id))) || own_.Get(id) == snapshot) continue;
      throw Conflict("Cannot fast forward branch '{}': somebody committed snapshot {} to table '{}' meanwhile. Try again",
                     branch_.branch, id, table_.name().ToString());
    }
    own_.WriteLatestHint(latest_.id);
  }

  void TakeTags() {
    for (const auto& [name, tag] : branch_tags_) {
      if (!own_tags_.contains(name) || !IsOurs(name, own_tags_.at(name))) fs_.ReplaceAtomically(own_.TagPath(name), tag.ToJson());
    }
  }

  // From here on the two lines have the latest snapshot in common.
  void Anchor() {
    Tag tag;
    tag.snapshot = latest_;
    fs_.ReplaceAtomically(branch_.snapshots.TagPath(anchor_), tag.ToJson());
    fs_.ReplaceAtomically(own_.TagPath(anchor_), tag.ToJson());
  }

  // Snapshots have no gaps: where the branch has expired the one after the common state, what is before goes too. So does
  // the common state where it came back only to be read meanwhile.
  void DropEarlier() {
    if (!revived_ && ids_.front() <= fork_id_ + 1) return;
    RetiredSnapshots retired(table_, executor_);
    for (int64_t id : own_.Ids()) {
      if (id > fork_id_ || id == latest_.id) break;
      retired.Add(own_.Get(id));
      fs_.DeleteFile(own_.PathOf(id));
    }
    WriteEarliestHint(table_, own_.Ids().front());
    retired.Clean();
  }

  // What both would have would be deleted by the one that expires first, in engines that look at one line only.
  void TrimBranch() {
    for (int64_t id : ids_) {
      if (id < latest_.id) fs_.DeleteFile(branch_.snapshots.PathOf(id));
    }
    std::string changelogs = JoinPath(branch_.root, "changelog");
    for (int64_t id : ListVersions(fs_, changelogs, "changelog-")) fs_.DeleteFile(fmt::format("{}/changelog-{}", changelogs, id));
    std::vector<Line> others = AllLines(table_);
    std::erase_if(others, [&](const Line& line) { return line.root == branch_.root || line.root == MetadataRoot(table_); });
    for (const auto& [name, tag] : branch_tags_) {
      bool needed = name == anchor_;
      for (Line& line : others) {
        auto copy = line.snapshots.FindTag(name);
        needed = needed || (copy && copy->snapshot == tag.snapshot);
      }
      if (!needed) fs_.DeleteFile(branch_.snapshots.TagPath(name));
    }
    fs_.DeleteFile(branch_.root + "/snapshot/EARLIEST");
  }

  const Table& table_;
  FileSystem& fs_;
  SnapshotStore& own_;
  Executor& executor_;
  Line branch_;
  std::string anchor_;
  std::vector<int64_t> ids_;
  Snapshot latest_;
  std::optional<Snapshot> fork_;
  int64_t fork_id_ = 0;
  bool revived_ = false;
  std::map<std::string, Tag> own_tags_, branch_tags_;
};

}  // namespace

void FastForward(const Table& table, const std::string& branch, Executor& executor) {
  if (branch == kMainBranch) throw InvalidArgument("Branch name 'main' do not use in fast-forward");
  if (branch == BranchOf(table)) throw InvalidArgument("Fast-forward from the current branch '{}' is not allowed", branch);
  if (!BranchExists(table.file_system(), table.root(), branch)) ThrowNoBranch(table.file_system(), table.root(), branch);
  Forward(table, branch, executor).Run();
}

}  // namespace mica
