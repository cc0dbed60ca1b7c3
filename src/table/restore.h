// Snapshots without rows of a writer: an older state that comes back, files of another table, new statistics, merged
// manifests. All are published as commit.h says.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "table/commit.h"

namespace mica {

// Gives what comes back a file of its own.
struct FileCopier {
  std::function<ManifestEntry(const ManifestEntry& entry)> copy_file;
  std::function<IndexManifestEntry(const IndexManifestEntry& entry)> copy_index_file;
};

// An OVERWRITE snapshot with the content and the schema of an older one. What the latest snapshot still has stays;
// what it has not comes back through `copier`, which is asked once for each file. Throws Conflict.
CommitResult RestoreSnapshot(const TablePtr& table, CommitSettings settings, const Snapshot& target, const FileCopier& copier);

// The files that some partitions are to have. Those that stay need no second copy.
struct FileReplacement {
  std::function<bool(const std::vector<Value>& partition)> in_scope;
  std::optional<int64_t> base;                    // the snapshot it was planned on; nothing: there was none
  std::unordered_set<std::string> staying;        // Identity() of entries that are live
  std::unordered_set<std::string> staying_index;  // names of index files that are live
  std::vector<CommitMessage> messages;            // what comes, in `data`
};

// An OVERWRITE snapshot, none when nothing comes or goes. Throws Conflict when a file that was to stay is gone, when one that
// comes is there, and when a commit of a user that begins with `rivals` came after the base.
CommitResult ReplaceFiles(const TablePtr& table, CommitSettings settings, const FileReplacement& replacement,
                          const std::string& rivals);

// An APPEND snapshot with files that another line has (M-0641). Throws Conflict when one of them is there already.
CommitResult AddSharedFiles(const TablePtr& table, CommitSettings settings, const std::vector<CommitMessage>& messages);

// An ANALYZE snapshot: the files of the latest one with the statistics of a file (M-1206).
CommitResult UpdateStatistics(const TablePtr& table, CommitSettings settings, const std::string& file_name);

// A COMPACT snapshot with the same files in fewer manifests (M-1013); none when there is nothing to merge.
CommitResult CompactManifests(const TablePtr& table, CommitSettings settings);

}  // namespace mica
