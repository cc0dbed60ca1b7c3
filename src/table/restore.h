// Snapshots without rows of a writer: an older state that comes back, new statistics, merged manifests. All are published
// as commit.h says.
#pragma once

#include <functional>
#include <string>

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

// An ANALYZE snapshot: the files of the latest one with the statistics of a file (M-1206).
CommitResult UpdateStatistics(const TablePtr& table, CommitSettings settings, const std::string& file_name);

// A COMPACT snapshot with the same files in fewer manifests (M-1013); none when there is nothing to merge.
CommitResult CompactManifests(const TablePtr& table, CommitSettings settings);

}  // namespace mica
