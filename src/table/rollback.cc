#include "table/rollback.h"

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "base/uuid.h"
#include "meta/versioned_folder.h"
#include "table/restore.h"
#include "table/retired_snapshots.h"
#include "table/scan.h"
#include "table/tags.h"

namespace mica {

namespace {

Snapshot LatestOrRefuse(const Table& table) {
  auto latest = table.snapshots().Latest();
  if (!latest) throw NotFound("Latest snapshot is null, can not rollback: the table '{}' is empty", table.name().ToString());
  return *std::move(latest);
}

// A rollback to a state whose files were deleted by hand would only show at the next read.
void CheckFiles(const Table& table, const Snapshot& target, const Snapshot& latest, Executor& executor) {
  std::unordered_set<std::string> present;
  ManifestFilter filter;
  filter.without_stats = true;
  for (const ManifestEntry& entry : LiveEntries(table.manifests(), latest, filter, nullptr, executor)) {
    present.insert(entry.Identity());
  }
  std::vector<std::string> paths;
  for (const ManifestEntry& entry : LiveEntries(table.manifests(), target, filter, nullptr, executor)) {
    if (present.contains(entry.Identity())) continue;
    for (std::string& path : table.paths().DataFilePaths(entry.partition, entry.bucket, entry.file)) paths.push_back(std::move(path));
  }
  if (target.index_manifest) paths.push_back(table.manifests().PathOf(*target.index_manifest));
  executor.ForEach(paths.size(), [&](size_t i) {
    if (table.file_system().Exists(paths[i])) return;
    throw NotFound("Cannot roll back to snapshot {}: its file '{}' does not exist any more", target.id, paths[i]);
  });
}

// The largest id of a snapshot that a rollback made, unless it is the earliest one: nothing before that can be removed
// again.
std::optional<int64_t> LastRollback(const Table& table) {
  std::vector<int64_t> ids = table.snapshots().Ids();
  for (size_t i = ids.size(); i > 1; --i) {
    if (table.snapshots().Get(ids[i - 1]).commit_user.starts_with(kRollbackPrefix)) return ids[i - 1];
  }
  return std::nullopt;
}

std::optional<std::string> RollbackTagOn(const Table& table, int64_t snapshot_id) {
  for (const std::string& name : table.snapshots().TagNames()) {
    if (!name.starts_with(kRollbackPrefix)) continue;
    auto tag = table.snapshots().FindTag(name);
    if (tag && tag->snapshot.id == snapshot_id) return name;
  }
  return std::nullopt;
}

}  // namespace

RollbackResult RollbackAsLatest(TablePtr table, const RollbackTarget& target, CommitSettings settings) {
  Executor& executor = settings.executor ? *settings.executor : InlineExecutor();
  Snapshot latest = LatestOrRefuse(*table);
  CheckFiles(*table, target.snapshot, latest, executor);
  std::optional<std::string> made;
  if (!target.tagged_by_user && !RollbackTagOn(*table, target.snapshot.id)) {
    CreateRollbackTag(*table, target.snapshot.id);
    made = RollbackTagOn(*table, target.snapshot.id);
  }
  settings.commit_user = std::string(kRollbackPrefix) + RandomUuid();
  try {
    CommitResult result = RestoreSnapshot(table, settings, target.snapshot);
    return {latest.id, target.snapshot.id, result.snapshot_ids.back()};
  } catch (const Error& error) {
    if (made && error.kind() != ErrorKind::kOutcomeUnknown) DropObsoleteRollbackTags(*table, executor);
    throw;
  }
}

RollbackResult RollbackDeletingLater(const Table& table, const RollbackTarget& target) {
  FileSystem& fs = table.file_system();
  SnapshotStore& snapshots = table.snapshots();
  Snapshot latest = LatestOrRefuse(table);
  int64_t id = target.snapshot.id;
  // Later tags first: none may be left whose id a new snapshot could take.
  for (const std::string& name : snapshots.TagNames()) {
    auto tag = snapshots.FindTag(name);
    if (tag && tag->snapshot.id > id) RefuseAnchor(table, name, *tag, "roll back beyond");
  }
  for (const std::string& name : snapshots.TagNames()) {
    auto tag = snapshots.FindTag(name);
    if (tag && tag->snapshot.id > id) fs.DeleteFile(snapshots.TagPath(name));
  }
  bool expired = !snapshots.Exists(id);
  // Only a tag has it: the snapshot comes back before the others go.
  if (expired) fs.ReplaceAtomically(snapshots.PathOf(id), target.snapshot.ToJson());
  snapshots.WriteLatestHint(id);
  std::vector<int64_t> ids = snapshots.Ids();
  std::sort(ids.rbegin(), ids.rend());
  for (int64_t later : ids) {
    if (later > id) fs.DeleteFile(snapshots.PathOf(later));
  }
  std::string changelogs = JoinPath(table.root(), "changelog");
  std::vector<int64_t> changelog_ids = ListVersions(fs, changelogs, "changelog-");
  std::sort(changelog_ids.rbegin(), changelog_ids.rend());
  for (int64_t later : changelog_ids) {
    if (later > id) fs.DeleteFile(fmt::format("{}/changelog-{}", changelogs, later));
  }
  if (expired) WriteEarliestHint(table, id);
  return {latest.id, id, id};
}

bool HoldsForRollback(const Table& table, int64_t tagged_snapshot_id) {
  auto last = LastRollback(table);
  return last && tagged_snapshot_id < *last;
}

void CreateRollbackTag(const Table& table, int64_t snapshot_id) {
  if (RollbackTagOn(table, snapshot_id)) return;
  TagRequest request;
  request.name = fmt::format("{}{}-{}", kRollbackPrefix, snapshot_id, RandomUuid());
  request.snapshot_id = snapshot_id;
  request.without_retention = true;
  CreateTag(table, request, TagExists::kFail, SystemClock(), InlineExecutor());
}

void DropObsoleteRollbackTags(const Table& table, Executor& executor) {
  std::vector<std::string> names;
  for (const std::string& name : table.snapshots().TagNames()) {
    if (name.starts_with(kRollbackPrefix)) names.push_back(name);
  }
  if (names.empty()) return;
  auto last = LastRollback(table);
  std::vector<std::string> obsolete;
  for (const std::string& name : names) {
    auto tag = table.snapshots().FindTag(name);
    if (tag && !(last && tag->snapshot.id < *last)) obsolete.push_back(name);
  }
  if (!obsolete.empty()) DeleteTags(table, obsolete, TagMissing::kIgnore, executor);
}

}  // namespace mica
