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

}  // namespace mica
