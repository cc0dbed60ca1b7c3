// The deletion vectors of a snapshot (Engine 5, Format 10): which data file has one, and writing the index files of
// further ones.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "index/deletion_vector.h"
#include "meta/snapshot.h"
#include "table/split.h"
#include "table/table.h"

namespace mica {

std::shared_ptr<const DeletionVector> ReadDeletions(const Table& table, const DeletionFile& file);

// Writes the vectors of data files of one bucket into a new index file; what the index manifest says of it. The file is
// deleted when this throws.
IndexManifestEntry WriteDeletionIndex(const Table& table, const std::string& partition, int32_t bucket,
                                      const std::map<std::string, std::shared_ptr<const DeletionVector>>& vectors);

// Immutable after construction; thread safe.
class SnapshotDeletions {
 public:
  SnapshotDeletions() = default;
  // Reads the index manifest of the snapshot, if it has one.
  SnapshotDeletions(const Table& table, const Snapshot& snapshot);

  bool empty() const { return files_.empty(); }
  // nullptr: no row of the data file is deleted.
  const DeletionFile* Find(std::string_view partition, int32_t bucket, std::string_view data_file) const;
  // The vectors of a split's files; empty when there are none.
  std::vector<std::optional<DeletionFile>> Of(const Split& split) const;
  // The index entries of one partition and bucket.
  std::vector<IndexManifestEntry> Entries(std::string_view partition, int32_t bucket) const;

 private:
  std::vector<IndexManifestEntry> entries_;
  std::map<std::pair<std::string, int32_t>, std::vector<size_t>> by_bucket_;
  std::unordered_map<std::string, DeletionFile> files_;
};

}  // namespace mica
