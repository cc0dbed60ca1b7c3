#include "table/deletions.h"

#include "meta/paths.h"

namespace mica {

std::shared_ptr<const DeletionVector> ReadDeletions(const Table& table, const DeletionFile& file) {
  return std::make_shared<const DeletionVector>(
      ReadDeletionVector(table.file_system(), file.path, file.offset, file.length));
}

IndexManifestEntry WriteDeletionIndex(const Table& table, const std::string& partition, int32_t bucket,
                                      const std::map<std::string, std::shared_ptr<const DeletionVector>>& vectors) {
  IndexManifestEntry entry;
  entry.partition = partition;
  entry.bucket = bucket;
  entry.index_type = std::string(kDeletionVectorsType);
  entry.file_name = IndexFileNamer().Next();
  entry.row_count = static_cast<int64_t>(vectors.size());
  const std::string path = table.paths().IndexFilePath(partition, bucket, entry.file_name);
  std::vector<const DeletionVector*> blocks;
  for (const auto& [file, vector] : vectors) blocks.push_back(vector.get());
  DeletionVectorFile written;
  try {
    written = WriteDeletionVectors(table.file_system(), path, blocks, table.options().Bool("deletion-vectors.bitmap64", false));
  } catch (...) {
    try {
      table.file_system().DeleteFile(path);
    } catch (const Error&) {
      // An orphan: nothing refers to it.
    }
    throw;
  }
  entry.file_size = written.file_bytes;
  auto& ranges = entry.deletion_vector_ranges.emplace();
  for (const auto& [file, vector] : vectors) {
    const DeletionVectorPlace& place = written.places[ranges.size()];
    ranges.push_back({file, place.offset, place.length, vector->cardinality()});
  }
  return entry;
}

namespace {

// Imported files may have equal names in different partitions.
std::string KeyOf(std::string_view partition, int32_t bucket, std::string_view data_file) {
  return fmt::format("{}/{}/{}", data_file, bucket, partition);
}

}  // namespace

SnapshotDeletions::SnapshotDeletions(const Table& table, const Snapshot& snapshot) {
  if (!snapshot.index_manifest) return;
  for (IndexManifestEntry& entry : table.manifests().ReadIndex(*snapshot.index_manifest)) {
    if (entry.index_type != kDeletionVectorsType) continue;
    const std::string path = table.paths().IndexFilePath(entry);
    if (entry.deletion_vector_ranges) {
      for (const DeletionVectorRange& range : *entry.deletion_vector_ranges) {
        DeletionFile file{path, range.offset, range.length, range.cardinality};
        const bool is_new =
            files_.emplace(KeyOf(entry.partition, entry.bucket, range.data_file_name), std::move(file)).second;
        if (!is_new) {
          throw Corrupt("Snapshot {} of table '{}' has two deletion vectors for the file '{}'", snapshot.id,
                        table.name().ToString(), range.data_file_name);
        }
      }
    }
    by_bucket_[{entry.partition, entry.bucket}].push_back(entries_.size());
    entries_.push_back(std::move(entry));
  }
}

const DeletionFile* SnapshotDeletions::Find(std::string_view partition, int32_t bucket,
                                            std::string_view data_file) const {
  if (files_.empty()) return nullptr;
  auto found = files_.find(KeyOf(partition, bucket, data_file));
  return found == files_.end() ? nullptr : &found->second;
}

std::vector<std::optional<DeletionFile>> SnapshotDeletions::Of(const Split& split) const {
  std::vector<std::optional<DeletionFile>> of_files;
  if (files_.empty()) return of_files;
  for (size_t i = 0; i < split.files.size(); ++i) {
    const DeletionFile* file = Find(split.partition, split.bucket, split.files[i].file_name);
    if (file == nullptr) continue;
    of_files.resize(split.files.size());
    of_files[i] = *file;
  }
  return of_files;
}

std::vector<IndexManifestEntry> SnapshotDeletions::Entries(std::string_view partition, int32_t bucket) const {
  std::vector<IndexManifestEntry> entries;
  auto found = by_bucket_.find({std::string(partition), bucket});
  if (found == by_bucket_.end()) return entries;
  for (size_t i : found->second) entries.push_back(entries_[i]);
  return entries;
}

}  // namespace mica
