// MergeBranch of branches.h. What a line has beyond the other cannot be told from what the other has deleted, unless both still
// have their whole history and nothing in it was ever taken away: then the files that only one of them has are what it added.
#include <algorithm>
#include <map>
#include <unordered_set>

#include "base/error.h"
#include "history/branches.h"
#include "meta/branch.h"
#include "history/lines.h"
#include "table/live_files.h"
#include "table/restore.h"
#include "history/tags.h"

namespace mica {

namespace {

constexpr std::string_view kNeeds = "merge_branch needs the whole history of both lines, and only appends in it. Use INSERT INTO "
                                    "... SELECT, or fast_forward";

Snapshot LatestOf(const Table& table, std::string_view message) {
  auto latest = table.snapshots().Latest();
  if (!latest) throw InvalidArgument("Cannot {} branch '{}', because it does not have snapshot", message, BranchOf(table));
  return *std::move(latest);
}

void CheckHistory(const Table& table, const Snapshot& latest) {
  const std::string branch = BranchOf(table);
  std::vector<int64_t> ids = table.snapshots().Ids();
  if (ids.front() != 1 || static_cast<int64_t>(ids.size()) != ids.back()) {
    throw InvalidArgument("Cannot merge: branch '{}' does not have all its snapshots from 1 to {} any more. {}", branch,
                          latest.id, kNeeds);
  }
  for (int64_t id : ids) {
    Snapshot snapshot = table.snapshots().Get(id);
    if (snapshot.commit_kind == CommitKind::kAppend || snapshot.commit_kind == CommitKind::kAnalyze) continue;
    throw InvalidArgument("Cannot merge: snapshot {} on branch '{}' is a compaction or an overwrite. {}", id, branch, kNeeds);
  }
  bool deletes = latest.index_manifest.has_value();
  for (const auto& [list, size] : {std::pair(latest.base_manifest_list, latest.base_manifest_list_size),
                                   std::pair(latest.delta_manifest_list, latest.delta_manifest_list_size)}) {
    for (const ManifestFileMeta& manifest : table.manifests().ReadList(list, size)) deletes |= manifest.deleted_count > 0;
  }
  if (deletes) throw InvalidArgument("Cannot merge: rows were deleted on branch '{}'. {}", branch, kNeeds);
}

void CheckTables(const Table& source, const Table& target) {
  const std::string from = BranchOf(source), to = BranchOf(target);
  if (from == to) throw InvalidArgument("Cannot merge branch '{}' into itself", from);
  for (const Table* table : {&source, &target}) {
    if (table->schema().has_primary_key()) {
      throw InvalidArgument("Branch merge is only supported for append-only tables, but branch '{}' has primary keys. Use INSERT "
                            "INTO ... SELECT", BranchOf(*table));
    }
    CheckWritable(table->schema());
  }
  if (source.schema().fields != target.schema().fields || source.schema().partition_keys != target.schema().partition_keys) {
    throw InvalidArgument("Cannot merge branch '{}' into '{}': their columns differ. Change the columns of one of them first", from, to);
  }
}

// Files are read by the number of their schema, which both lines must mean the same by.
void CheckSchemas(const Table& source, const Table& target, const std::vector<ManifestEntry>& files) {
  std::unordered_set<int64_t> seen;
  std::vector<int64_t> known = target.schemas().Ids();
  for (const ManifestEntry& entry : files) {
    const int64_t id = entry.file.schema_id;
    if (!seen.insert(id).second) continue;
    if (std::binary_search(known.begin(), known.end(), id) &&
        source.schemas().Get(id)->fields == target.schemas().Get(id)->fields) {
      continue;
    }
    throw InvalidArgument("Cannot merge branch '{}' into '{}': files of it have schema {}, which is another one there. Use INSERT "
                          "INTO ... SELECT", BranchOf(source), BranchOf(target), id);
  }
}

// A tag that says to engines which look at one line only that the other line has these files too. As nothing is ever taken
// away, a later state holds all that an earlier one did.
void HoldFor(const Table& table, const std::string& other, const Snapshot& snapshot) {
  Tag tag;
  tag.snapshot = snapshot;
  table.file_system().ReplaceAtomically(table.snapshots().TagPath(MergeTagOf(other)), tag.ToJson());
}

}  // namespace

std::string MergeTagOf(const std::string& other) { return "merge-" + other; }

int64_t MergeBranch(const TablePtr& source, const TablePtr& target, const CommitSettings& settings, Executor& executor) {
  CheckTables(*source, *target);
  const std::string from = BranchOf(*source), to = BranchOf(*target);
  const Snapshot latest = LatestOf(*source, "merge");
  CheckHistory(*source, latest);
  CheckHistory(*target, LatestOf(*target, "merge into"));
  for (const auto& [table, other] : {std::pair(source, to), std::pair(target, from)}) {
    if (auto tag = table->snapshots().FindTag(MergeTagOf(other))) RefuseAnchor(*table, MergeTagOf(other), *tag, "replace");
  }

  std::unordered_set<std::string> present;
  ManifestFilter names;
  names.without_stats = true;
  for (const ManifestEntry& entry : LiveEntries(target->manifests(), *target->snapshots().Latest(), names, nullptr, executor)) {
    present.insert(entry.Identity());
  }
  std::vector<ManifestEntry> files = LiveEntries(source->manifests(), latest, {}, nullptr, executor);
  std::erase_if(files, [&](const ManifestEntry& entry) { return present.contains(entry.Identity()); });
  CheckSchemas(*source, *target, files);

  // An earlier run may have ended before the second tag was there.
  const bool begun = source->snapshots().FindTag(MergeTagOf(to)).has_value();
  if (files.empty() && !begun) return 0;
  HoldFor(*source, to, latest);
  std::map<std::pair<std::string, int32_t>, CommitMessage> messages;
  for (ManifestEntry& entry : files) {
    CommitMessage& message = messages[{entry.partition, entry.bucket}];
    message.partition = entry.partition;
    message.bucket = entry.bucket;
    message.total_buckets = entry.total_buckets;
    message.data.new_files.push_back(std::move(entry.file));
  }
  std::vector<CommitMessage> list;
  for (auto& [bucket, message] : messages) list.push_back(std::move(message));
  if (!list.empty()) AddSharedFiles(target, settings, list);
  HoldFor(*target, from, *target->snapshots().Latest());
  return static_cast<int64_t>(files.size());
}

}  // namespace mica
