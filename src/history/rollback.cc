#include "history/rollback.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "base/uuid.h"
#include "history/lines.h"
#include "history/retired_snapshots.h"
#include "history/tags.h"
#include "io/file_copy.h"
#include "meta/versioned_folder.h"
#include "table/restore.h"

namespace mica {

namespace {

Snapshot LatestOrRefuse(const Table& table) {
  auto latest = table.snapshots().Latest();
  if (!latest) throw NotFound("Latest snapshot is null, can not rollback: the table '{}' is empty", table.name().ToString());
  return *std::move(latest);
}

// Copies files under new names in their folders, each once however often it is asked for.
class Copies {
 public:
  explicit Copies(const Table& table)
      : table_(table), uuid_(RandomUuid()), prefix_(table.options().Text("data-file.prefix", "data-")) {}

  ManifestEntry Copy(const ManifestEntry& entry) {
    auto [place, is_new] = files_.try_emplace(entry.Identity());
    if (!is_new) return place->second;
    ManifestEntry copy = entry;
    const std::string& old_name = entry.file.file_name;
    size_t dot = old_name.find('.');
    std::string stem = fmt::format("{}{}-{}", prefix_, uuid_, count_++);
    copy.file.file_name = stem + (dot == std::string::npos ? std::string() : old_name.substr(dot));
    if (entry.file.external_path) {
      copy.file.external_path = JoinPath(ParentPath(*entry.file.external_path), copy.file.file_name);
    }
    for (std::string& extra : copy.file.extra_files) {
      // What follows the data file's name, or its name without the extension, tells the kind of file.
      size_t same = extra.starts_with(old_name) ? old_name.size() : std::min(dot, extra.find('.'));
      extra = (extra.starts_with(old_name) ? copy.file.file_name : fmt::format("{}{}-{}", prefix_, uuid_, count_++)) +
              (same == std::string::npos ? std::string() : extra.substr(same));
    }
    std::vector<std::string> from = table_.paths().DataFilePaths(entry.partition, entry.bucket, entry.file);
    std::vector<std::string> to = table_.paths().DataFilePaths(copy.partition, copy.bucket, copy.file);
    for (size_t i = 0; i < from.size(); ++i) Make(from[i], to[i]);
    return place->second = copy;
  }

  IndexManifestEntry CopyIndex(const IndexManifestEntry& entry) {
    auto [place, is_new] = index_files_.try_emplace(entry.file_name, entry);
    if (!is_new) return place->second;
    IndexManifestEntry& copy = place->second;
    copy.file_name = names_.Next();
    if (entry.external_path) copy.external_path = JoinPath(ParentPath(*entry.external_path), copy.file_name);
    Make(table_.paths().IndexFilePath(entry), table_.paths().IndexFilePath(copy));
    return copy;
  }

  // After a rollback that did not happen.
  void Remove() {
    for (const std::string& path : made_) {
      try {
        table_.file_system().DeleteFile(path);
      } catch (const Error&) {
        // An orphan; cleaning up must not hide the error that led here.
      }
    }
  }

 private:
  void Make(const std::string& from, const std::string& to) {
    made_.push_back(to);
    try {
      CopyFile(table_.file_system(), from, std::nullopt, table_.file_system(), to);
    } catch (Error& error) {
      error.Add(fmt::format("the file '{}' has to come back", BaseName(from)));
      throw;
    }
  }

  const Table& table_;
  std::string uuid_;
  std::string prefix_;
  int count_ = 0;
  IndexFileNamer names_;
  std::unordered_map<std::string, ManifestEntry> files_;
  std::unordered_map<std::string, IndexManifestEntry> index_files_;
  std::vector<std::string> made_;
};

}  // namespace

RollbackResult RollbackAsLatest(TablePtr table, const Snapshot& target, CommitSettings settings) {
  Snapshot latest = LatestOrRefuse(*table);
  settings.commit_user = "rollback-by-copy-" + RandomUuid();
  Copies copies(*table);
  FileCopier copier;
  copier.copy_file = [&](const ManifestEntry& entry) { return copies.Copy(entry); };
  copier.copy_index_file = [&](const IndexManifestEntry& entry) { return copies.CopyIndex(entry); };
  try {
    CommitResult result = RestoreSnapshot(table, settings, target, copier);
    return {latest.id, target.id, result.snapshot_ids.back()};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kOutcomeUnknown) copies.Remove();
    throw;
  }
}

RollbackResult RollbackDeletingLater(const Table& table, const Snapshot& target) {
  FileSystem& fs = table.file_system();
  SnapshotStore& snapshots = table.snapshots();
  Snapshot latest = LatestOrRefuse(table);
  int64_t id = target.id;
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
  if (expired) fs.ReplaceAtomically(snapshots.PathOf(id), target.ToJson());
  snapshots.MoveLatestHintBack(id);
  std::vector<int64_t> ids = snapshots.Ids();
  std::sort(ids.rbegin(), ids.rend());
  for (int64_t later : ids) {
    if (later > id) fs.DeleteFile(snapshots.PathOf(later));
  }
  std::string changelogs = JoinPath(MetadataRoot(table), "changelog");
  std::vector<int64_t> changelog_ids = ListVersions(fs, changelogs, "changelog-");
  std::sort(changelog_ids.rbegin(), changelog_ids.rend());
  for (int64_t later : changelog_ids) {
    if (later > id) fs.DeleteFile(fmt::format("{}/changelog-{}", changelogs, later));
  }
  if (expired) WriteEarliestHint(table, id);
  return {latest.id, id, id};
}

}  // namespace mica
