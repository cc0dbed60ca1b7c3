#include "history/tags.h"

#include <functional>
#include <map>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "history/lines.h"
#include "history/retired_snapshots.h"
#include "meta/branch.h"
#include "meta/success_file.h"
#include "meta/tag_period.h"

namespace mica {

namespace {

constexpr int64_t kNanosOfMilli = 1'000'000;

void CheckName(const std::string& name, std::string_view what) {
  if (Trim(name).empty()) throw InvalidArgument("{} shouldn't be blank", what);
  for (char c : name) {
    if (c == '/' || c == ':' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      throw InvalidArgument("A tag cannot be named '{}': '/', ':' and control characters are not allowed", name);
    }
  }
}

std::string SuccessPath(const Table& table, const std::string& name) {
  return fmt::format("{}/tag/tag-success-file/{}_SUCCESS", MetadataRoot(table), name);
}

// `tag.create-success-file`: a file beside the tags that says since when the tag is there.
void WriteSuccessFile(const Table& table, const std::string& name, int64_t now) {
  if (!table.options().Bool("tag.create-success-file", false)) return;
  WriteSuccessFile(table.file_system(), SuccessPath(table, name), now);
}

void CheckAutomatic(const Table& table, const std::string& name, const Snapshot& snapshot) {
  if (!IsAutomaticTagName(table.options(), name)) return;
  std::vector<std::string> others;
  for (const std::string& other : table.snapshots().TagNames()) {
    if (!IsAutomaticTagName(table.options(), other)) continue;
    auto tag = table.snapshots().FindTag(other);
    if (tag && tag->snapshot.id == snapshot.id) others.push_back(other);
  }
  if (!others.empty()) {
    throw AlreadyExists("Snapshot {} is already auto-tagged with [{}]", snapshot.id, Join(others, ", "));
  }
}

Snapshot SnapshotToTag(const Table& table, const TagRequest& request) {
  if (!request.snapshot_id) {
    auto latest = table.snapshots().Latest();
    if (!latest) {
      throw NotFound("Cannot create tag '{}' because latest snapshot doesn't exist: the table '{}' is empty", request.name,
                     table.name().ToString());
    }
    return *std::move(latest);
  }
  return FindSnapshotOrTagged(table, *request.snapshot_id);
}

Tag MakeTag(const Table& table, const TagRequest& request, Snapshot snapshot, int64_t now) {
  Tag tag;
  tag.snapshot = std::move(snapshot);
  auto retained = request.time_retained;
  if (!retained && table.options().Find("tag.default-time-retained")) {
    retained = table.options().Duration("tag.default-time-retained", std::chrono::nanoseconds(0));
  }
  if (retained) {
    tag.time_retained_nanos = retained->count();
    tag.create_time_local_nanos = LocalWallMillis(now) * kNanosOfMilli;
  }
  return tag;
}

bool IsHeld(const Table& table, const Snapshot& snapshot, const std::string& except_tag) {
  if (table.snapshots().Exists(snapshot.id)) return true;
  for (const std::string& name : table.snapshots().TagNames()) {
    if (name == except_tag) continue;
    auto tag = table.snapshots().FindTag(name);
    if (tag && tag->snapshot.id == snapshot.id) return true;
  }
  return false;
}

// Publishes a tag file. Expiry moves a snapshot out of sight before it looks at the tags (Engine 10.1), so a snapshot
// that is still there after the tag was written is protected by it.
bool Publish(const Table& table, const std::string& name, const Tag& tag) {
  std::string path = table.snapshots().TagPath(name);
  if (!table.file_system().CreateAtomically(path, tag.ToJson())) return false;
  if (!IsHeld(table, tag.snapshot, name)) {
    table.file_system().DeleteFile(path);
    throw NotFound("Cannot create tag '{}': the snapshot {} expired meanwhile", name, tag.snapshot.id);
  }
  return true;
}

// Whether another engine rolled back to a state that is this old: such a snapshot has files of the state under their old
// names, long after later snapshots took them away.
bool MayHaveComeBack(const Table& table, const Snapshot& state) {
  for (int64_t id : table.snapshots().Ids()) {
    if (id > state.id && table.snapshots().Get(id).commit_user.starts_with("rollback-to-as-latest-")) return true;
  }
  return false;
}

// Takes a tag away from its snapshot. What it alone holds is noted for cleaning before `take_away` does it.
void Release(const Table& table, const std::string& name, const Tag& tag, RetiredSnapshots& retired,
             const std::function<void()>& take_away) {
  bool held = IsHeld(table, tag.snapshot, name);
  if (!held) {
    if (!MayHaveComeBack(table, tag.snapshot)) {
      retired.Add(tag.snapshot);
    } else {
      Log(LogLevel::kInfo, fmt::format("Another engine rolled back table '{}': the files of tag '{}' are left to "
                                       "remove_orphan_files", table.name().ToString(), name));
    }
  }
  take_away();
  // It may have expired since: then nobody else will clean.
  if (held && !IsHeld(table, tag.snapshot, name) && !MayHaveComeBack(table, tag.snapshot)) retired.Add(tag.snapshot);
}

void Replace(const Table& table, const TagRequest& request, const Tag& old, const Clock& clock, Executor& executor) {
  RefuseAnchor(table, request.name, old, "replace");
  int64_t now = clock();
  Tag tag = MakeTag(table, request, SnapshotToTag(table, request), now);
  if (tag.snapshot.id != old.snapshot.id) CheckAutomatic(table, request.name, tag.snapshot);
  std::string path = table.snapshots().TagPath(request.name);
  RetiredSnapshots retired(table, executor);
  Release(table, request.name, old, retired, [&] { table.file_system().ReplaceAtomically(path, tag.ToJson()); });
  if (tag.snapshot.id != old.snapshot.id && !IsHeld(table, tag.snapshot, request.name)) {
    table.file_system().ReplaceAtomically(path, old.ToJson());
    throw NotFound("Cannot replace tag '{}': the snapshot {} expired meanwhile", request.name, tag.snapshot.id);
  }
  retired.Clean();
  WriteSuccessFile(table, request.name, now);
}

// Throws Unsupported where others want to be told of tags in a way that only Java can.
void CheckCallbacks(const Table& table) {
  auto callbacks = table.options().Find("tag.callbacks");
  if (!callbacks || callbacks->empty()) return;
  throw Unsupported("Cannot change the tags of table '{}' with 'tag.callbacks' = '{}': its Java classes would not be called. Take "
                    "the option away first", table.name().ToString(), *callbacks);
}

}  // namespace

void RefuseAnchor(const Table& table, const std::string& name, const Tag& tag, std::string_view change) {
  for (Line& line : OtherLines(table)) {
    auto copy = line.snapshots.FindTag(name);
    if (!copy || copy->snapshot != tag.snapshot) continue;
    if (line.branch == kMainBranch) {
      throw InvalidArgument("Cannot {} tag '{}' of branch '{}': the branch begins with it. Delete the branch instead", change,
                            name, BranchOf(table));
    }
    throw InvalidArgument("Cannot {} tag '{}': the branch '{}' begins with it. Delete the branch first", change, name,
                          line.branch);
  }
}

Snapshot FindSnapshotOrTagged(const Table& table, int64_t id) {
  if (table.snapshots().Exists(id)) return table.snapshots().Get(id);
  for (const std::string& name : table.snapshots().TagNames()) {
    auto tag = table.snapshots().FindTag(name);
    if (tag && tag->snapshot.id == id) return tag->snapshot;
  }
  return table.snapshots().Get(id);  // says which there are
}

void CreateTag(const Table& table, const TagRequest& request, TagExists exists, const Clock& clock, Executor& executor) {
  CheckName(request.name, "Tag name");
  CheckCallbacks(table);
  if (auto old = table.snapshots().FindTag(request.name)) {
    if (exists == TagExists::kFail) throw AlreadyExists("Tag '{}' already exists", request.name);
    if (exists == TagExists::kReplace) Replace(table, request, *old, clock, executor);
    return;
  }
  int64_t now = clock();
  Tag tag = MakeTag(table, request, SnapshotToTag(table, request), now);
  CheckAutomatic(table, request.name, tag.snapshot);
  if (!Publish(table, request.name, tag)) {
    if (exists == TagExists::kKeep) return;
    throw Conflict("Tag '{}' was made by somebody else meanwhile", request.name);
  }
  WriteSuccessFile(table, request.name, now);
}

void ReplaceTag(const Table& table, const TagRequest& request, const Clock& clock, Executor& executor) {
  CheckName(request.name, "Tag name");
  CheckCallbacks(table);
  Replace(table, request, table.snapshots().GetTag(request.name), clock, executor);
}

void DeleteTags(const Table& table, const std::vector<std::string>& names, TagMissing missing, Executor& executor) {
  CheckCallbacks(table);
  std::map<std::string, Tag> tags;
  for (const std::string& name : names) {
    if (Trim(name).empty()) throw InvalidArgument("Tag name shouldn't be blank");
    auto tag = table.snapshots().FindTag(name);
    if (!tag && missing == TagMissing::kFail) tag = table.snapshots().GetTag(name);  // says what there is
    if (!tag) {
      Log(LogLevel::kWarning, fmt::format("Tag '{}' doesn't exist", name));
      continue;
    }
    RefuseAnchor(table, name, *tag, "delete");
    tags.emplace(name, *std::move(tag));
  }
  RetiredSnapshots retired(table, executor);
  for (const auto& [name, tag] : tags) {
    Release(table, name, tag, retired, [&, &name = name] { table.file_system().DeleteFile(table.snapshots().TagPath(name)); });
    if (table.options().Bool("tag.create-success-file", false)) {
      table.file_system().DeleteFile(SuccessPath(table, name));
    }
  }
  // Also when there was nothing to do: an earlier run may have ended before it cleaned.
  retired.Clean();
}

void RenameTag(const Table& table, const std::string& from, const std::string& to) {
  if (Trim(from).empty()) throw InvalidArgument("Original tag name shouldn't be blank");
  CheckName(to, "New tag name");
  Tag tag = table.snapshots().GetTag(from);
  RefuseAnchor(table, from, tag, "rename");
  // A second name first, then without the old one: ended in between, both are there and the data is held.
  if (!table.file_system().CreateAtomically(table.snapshots().TagPath(to), tag.ToJson())) {
    throw AlreadyExists("Tag '{}' already exists", to);
  }
  table.file_system().DeleteFile(table.snapshots().TagPath(from));
}

std::vector<std::string> ExpireTags(const Table& table, std::optional<int64_t> older_than_millis, int64_t now_millis,
                                    Executor& executor) {
  std::vector<std::string> expired;
  int64_t now_local = LocalWallMillis(now_millis);
  for (const std::string& name : table.snapshots().TagNames()) {
    auto tag = table.snapshots().FindTag(name);
    if (!tag) continue;
    std::optional<int64_t> created;
    if (tag->create_time_local_nanos) created = *tag->create_time_local_nanos / kNanosOfMilli;
    bool passed = created && tag->time_retained_nanos && now_local > *created + *tag->time_retained_nanos / kNanosOfMilli;
    if (!passed && older_than_millis) {
      auto status = table.file_system().Stat(table.snapshots().TagPath(name));
      if (!created && status) created = LocalWallMillis(status->modified_millis);
      passed = created && *created < LocalWallMillis(*older_than_millis);
    }
    if (!passed) continue;
    try {
      DeleteTags(table, {name}, TagMissing::kIgnore, executor);
      expired.push_back(name);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInvalidArgument) throw;
      Log(LogLevel::kWarning, error.what());
    }
  }
  return expired;
}

}  // namespace mica
