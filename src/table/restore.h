// Snapshots without new files: an older state that comes back, new statistics, merged manifests. All are published as
// commit.h says.
#pragma once

#include <string>

#include "table/commit.h"

namespace mica {

// An OVERWRITE snapshot with the files, the schema and the index of an older one. Throws Conflict.
CommitResult RestoreSnapshot(const TablePtr& table, CommitSettings settings, const Snapshot& target);

// An ANALYZE snapshot: the files of the latest one with the statistics of a file (M-1206).
CommitResult UpdateStatistics(const TablePtr& table, CommitSettings settings, const std::string& file_name);

// A COMPACT snapshot with the same files in fewer manifests (M-1013); none when there is nothing to merge.
CommitResult CompactManifests(const TablePtr& table, CommitSettings settings);

}  // namespace mica
