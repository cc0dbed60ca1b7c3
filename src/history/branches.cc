#include "history/branches.h"

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "history/dead_branches.h"
#include "history/lines.h"
#include "history/tags.h"
#include "meta/branch.h"

namespace mica {

namespace {

std::string AnchorOf(const std::string& branch) { return "branch-" + branch; }

Line LineOf(const Table& table, const std::string& branch) {
  std::string root = BranchRoot(table.root(), branch);
  return {branch, root, SnapshotStore(table.file_system_ptr(), root)};
}

TablePtr TableOf(const Table& table, const Line& line) {
  TableName name{table.name().database, WithBranch(SplitBranch(table.name().table).table, line.branch)};
  return Table::Open(table.file_system_ptr(), std::move(name), table.root());
}

// A tag of the line that holds this snapshot for ever.
void MakeAnchor(const Table& table, const std::string& name, const Snapshot& snapshot) {
  if (auto known = table.snapshots().FindTag(name)) {
    if (known->snapshot == snapshot && !known->time_retained_nanos) return;
    throw AlreadyExists("Cannot create a branch that begins with tag '{}': there is such a tag, of another snapshot. Delete or "
                        "rename it, or give 'tag'", name);
  }
  Tag tag;
  tag.snapshot = snapshot;
  std::string path = table.snapshots().TagPath(name);
  if (!table.file_system().CreateAtomically(path, tag.ToJson())) {
    throw Conflict("Tag '{}' was made by somebody else meanwhile", name);
  }
  // Whoever expires a snapshot takes it away before looking at the tags: what is still there now is held.
  bool held = table.snapshots().Exists(snapshot.id);
  for (const std::string& other : table.snapshots().TagNames()) {
    if (held || other == name) continue;
    auto holder = table.snapshots().FindTag(other);
    held = holder && holder->snapshot == snapshot;
  }
  if (held) return;
  table.file_system().DeleteFile(path);
  throw NotFound("Cannot create tag '{}': the snapshot {} expired meanwhile", name, snapshot.id);
}

struct Beginning {
  Snapshot snapshot;
  std::map<std::string, Tag> tags;  // those that the branch gets
};

std::optional<Beginning> BeginningOf(const Table& table, const BranchRequest& request) {
  if (request.empty) return std::nullopt;
  Beginning beginning;
  std::string anchor = AnchorOf(request.name);
  if (request.tag) {
    Tag tag = table.snapshots().GetTag(*request.tag);
    beginning.snapshot = tag.snapshot;
    if (!tag.time_retained_nanos) anchor = *request.tag;
    beginning.tags.emplace(*request.tag, std::move(tag));
  } else if (request.snapshot_id) {
    beginning.snapshot = FindSnapshotOrTagged(table, *request.snapshot_id);
  } else {
    auto latest = table.snapshots().Latest();
    if (!latest) return std::nullopt;
    beginning.snapshot = *std::move(latest);
  }
  if (anchor != request.tag) MakeAnchor(table, anchor, beginning.snapshot);
  beginning.tags.insert_or_assign(anchor, table.snapshots().GetTag(anchor));
  if (BranchOf(table) == kMainBranch) return beginning;
  // What anchors this line anchors a branch of it too.
  std::vector<Line> others = OtherLines(table);
  for (const std::string& name : table.snapshots().TagNames()) {
    auto tag = table.snapshots().FindTag(name);
    bool shared = tag && tag->snapshot.id <= beginning.snapshot.id && std::any_of(others.begin(), others.end(), [&](Line& line) {
                    auto copy = line.snapshots.FindTag(name);
                    return copy && copy->snapshot == tag->snapshot;
                  });
    if (shared) beginning.tags.emplace(name, *tag);
  }
  return beginning;
}

// The newest first, schema-0 last: with it the branch is there.
std::vector<int64_t> SchemasToCopy(const Table& table, const std::optional<Beginning>& beginning) {
  std::vector<int64_t> ids = table.schemas().Ids();
  if (beginning) std::erase_if(ids, [&](int64_t id) { return id > beginning->snapshot.schema_id; });
  std::reverse(ids.begin(), ids.end());
  if (ids.empty() || ids.back() != 0) {
    throw Unsupported("Cannot create a branch of table '{}': its first schema is gone", table.name().ToString());
  }
  return ids;
}

void RefuseNamedByOptions(const Table& table, const std::string& branch, std::string_view change) {
  for (Line& line : AllLines(table)) {
    auto schema = SchemaStore(table.file_system_ptr(), line.root).Latest();
    if (!schema || line.branch == branch) continue;
    for (const char* key : {"scan.fallback-branch", "scan.primary-branch"}) {
      auto option = schema->options.find(key);
      if (option == schema->options.end() || option->second != branch) continue;
      throw InvalidArgument("Cannot {} the branch '{}': the option '{}' of branch '{}' names it. Remove the option first", change,
                            branch, key, line.branch);
    }
  }
}

void CheckCanGo(const Table& table, const std::string& branch, std::string_view change) {
  if (branch == kMainBranch) throw InvalidArgument("Cannot {} the branch 'main': it is the table itself", change);
  auto folders = BranchFolders(table.file_system(), table.root());
  bool there = std::any_of(folders.begin(), folders.end(), [&](const BranchFolder& folder) { return folder.name == branch; });
  if (!there) ThrowNoBranch(table.file_system(), table.root(), branch);
  if (BranchOf(table) == branch) {
    throw InvalidArgument("Cannot {} the branch '{}' from itself: name the table without its branch", change, branch);
  }
  RefuseNamedByOptions(table, branch, change);
}

// Anchors that nobody needs any more: of a branch that is gone, and no other branch has them.
void ReleaseAnchors(const Table& table, const std::map<std::string, Tag>& tags, Executor& executor) {
  for (const auto& [name, tag] : tags) {
    if (!name.starts_with("branch-") || BranchExists(table.file_system(), table.root(), name.substr(7))) continue;
    for (Line& line : AllLines(table)) {
      auto copy = line.snapshots.FindTag(name);
      if (!copy || copy->snapshot != tag.snapshot) continue;
      try {
        DeleteTags(*TableOf(table, line), {name}, TagMissing::kIgnore, executor);
      } catch (const Error& error) {
        // Another branch begins with it too, or the line is not finished.
        if (error.kind() != ErrorKind::kInvalidArgument && error.kind() != ErrorKind::kNotFound) throw;
      }
    }
  }
}

// Tags that say that a branch, which is gone, has files of another line too.
void ReleaseMerges(const Table& table, const std::string& branch, Executor& executor) {
  for (Line& line : AllLines(table)) {
    if (!line.snapshots.FindTag(MergeTagOf(branch))) continue;
    try {
      DeleteTags(*TableOf(table, line), {MergeTagOf(branch)}, TagMissing::kIgnore, executor);
    } catch (const Error& error) {
      // A branch begins with it, or the line is not finished.
      if (error.kind() != ErrorKind::kInvalidArgument && error.kind() != ErrorKind::kNotFound) throw;
    }
  }
}

std::map<std::string, Tag> TagsOf(Line& line) {
  std::map<std::string, Tag> tags;
  for (const std::string& name : line.snapshots.TagNames()) {
    if (auto tag = line.snapshots.FindTag(name)) tags.emplace(name, *std::move(tag));
  }
  return tags;
}

}  // namespace

void CreateBranch(const Table& table, const BranchRequest& request) {
  CheckBranchName(request.name);
  if (int{request.tag.has_value()} + int{request.snapshot_id.has_value()} + int{request.empty} > 1) {
    throw InvalidArgument("A branch begins with a tag, with a snapshot or empty: only one of them can be given");
  }
  FileSystem& fs = table.file_system();
  if (BranchExists(fs, table.root(), request.name)) {
    if (request.ignore_if_exists) return;
    throw AlreadyExists("Branch name '{}' already exists", request.name);
  }
  auto beginning = BeginningOf(table, request);
  std::vector<int64_t> schemas = SchemasToCopy(table, beginning);
  Line branch = LineOf(table, request.name);
  // What a run that ended has left.
  fs.DeleteFolder(branch.root);
  if (beginning) {
    for (const auto& [name, tag] : beginning->tags) {
      // With the bytes of the line it comes from.
      fs.ReplaceAtomically(branch.snapshots.TagPath(name), fs.ReadFile(table.snapshots().TagPath(name)));
    }
    fs.ReplaceAtomically(branch.snapshots.PathOf(beginning->snapshot.id), beginning->snapshot.ToJson());
  }
  SchemaStore to(table.file_system_ptr(), branch.root);
  for (int64_t id : schemas) {
    std::string content = fs.ReadFile(table.schemas().PathOf(id));
    if (id > 0) {
      fs.ReplaceAtomically(to.PathOf(id), content);
      continue;
    }
    bool anchored = true;
    if (beginning) {
      for (const auto& [name, tag] : beginning->tags) {
        auto held = table.snapshots().FindTag(name);
        anchored = anchored && held && held->snapshot == tag.snapshot && branch.snapshots.FindTag(name) == tag;
      }
    }
    if (!anchored || branch.snapshots.Ids().size() != (beginning ? 1u : 0u)) {
      throw Conflict("Cannot create the branch '{}': its tag or its folder was changed meanwhile. Try again", request.name);
    }
    if (!fs.CreateAtomically(to.PathOf(id), content)) {
      throw Conflict("The branch '{}' was made by somebody else meanwhile", request.name);
    }
  }
}

void DeleteBranches(const Table& table, const std::vector<std::string>& names, Executor& executor) {
  for (const std::string& name : names) {
    if (Trim(name).empty()) throw InvalidArgument("Branch name '{}' is blank", name);
    CheckCanGo(table, name, "delete");
  }
  FileSystem& fs = table.file_system();
  for (const std::string& name : names) {
    Line line = LineOf(table, name);
    std::map<std::string, Tag> tags = TagsOf(line);
    NoteDeadBranch(table, line);
    fs.DeleteFile(SchemaStore(table.file_system_ptr(), line.root).PathOf(0));
    fs.DeleteFolder(line.root);
    ReleaseAnchors(table, tags, executor);
    ReleaseMerges(table, name, executor);
  }
  CleanDeadBranches(table, executor);
}

void RenameBranch(const Table& table, const std::string& from, const std::string& to) {
  CheckBranchName(to);
  CheckCanGo(table, from, "rename");
  FileSystem& fs = table.file_system();
  if (BranchExists(fs, table.root(), to)) throw AlreadyExists("Branch name '{}' already exists", to);
  Line branch = LineOf(table, from);
  // The anchor has the name of its branch. A second one first: ended in between, both are there.
  std::vector<Line> anchored;
  std::string old_anchor = AnchorOf(from), new_anchor = AnchorOf(to);
  if (auto anchor = branch.snapshots.FindTag(old_anchor)) {
    for (Line& line : AllLines(table)) {
      auto copy = line.snapshots.FindTag(old_anchor);
      if (copy && copy->snapshot == anchor->snapshot) anchored.push_back(std::move(line));
    }
    for (Line& line : anchored) {
      auto known = line.snapshots.FindTag(new_anchor);
      if (known && known->snapshot != anchor->snapshot) {
        throw AlreadyExists("Cannot rename the branch '{}' to '{}': there is a tag '{}' of another snapshot", from, to, new_anchor);
      }
    }
    for (Line& line : anchored) fs.ReplaceAtomically(line.snapshots.TagPath(new_anchor), anchor->ToJson());
  }
  fs.DeleteFolder(BranchRoot(table.root(), to));
  fs.Rename(branch.root, BranchRoot(table.root(), to));
  for (Line& line : AllLines(table)) {
    auto merged = line.snapshots.FindTag(MergeTagOf(from));
    if (!merged) continue;
    fs.ReplaceAtomically(line.snapshots.TagPath(MergeTagOf(to)), merged->ToJson());
    fs.DeleteFile(line.snapshots.TagPath(MergeTagOf(from)));
  }
  for (Line& line : anchored) {
    Line now = line.branch == from ? LineOf(table, to) : std::move(line);
    fs.DeleteFile(now.snapshots.TagPath(old_anchor));
  }
}

}  // namespace mica
