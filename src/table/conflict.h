// Says whether a set of changes still fits the state it would be committed onto (Engine 1.5).
#pragma once

#include <string>
#include <vector>

#include "meta/manifest.h"
#include "meta/snapshot.h"
#include "table/table.h"

namespace mica {

struct CommitChanges {
  std::vector<ManifestEntry> files;
  std::vector<ManifestEntry> changelog;
  std::vector<IndexManifestEntry> new_index_files;
  std::vector<IndexManifestEntry> deleted_index_files;
  bool empty() const {
    return files.empty() && changelog.empty() && new_index_files.empty() && deleted_index_files.empty();
  }
};

// `live` are the entries of the changed partitions in the latest snapshot. Throws Conflict naming file and snapshot.
// `same_buckets`: the bucket count of a partition may not change (every kind but OVERWRITE).
void CheckConflicts(const Table& table, const std::vector<ManifestEntry>& live, const CommitChanges& changes,
                    bool same_buckets);

// The same for deletion vectors; `index` are the live index files of the latest snapshot. Rows that others deleted
// meanwhile must not come back, and vectors must not be lost with files that others rewrote (Engine 1.5, 1.8).
void CheckVectorConflicts(const Table& table, const std::vector<ManifestEntry>& live,
                          const std::vector<IndexManifestEntry>& index, const CommitChanges& changes);

}  // namespace mica
