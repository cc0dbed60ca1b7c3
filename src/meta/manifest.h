// Manifest lists, manifests and index manifests (Format 4): Avro files of entries, read by field name.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "io/file_system.h"
#include "types/binary_row.h"

namespace mica {

class AvroFileWriter;

// Serialized statistics of some columns (Format 4.1); rows are kept serialized until somebody asks.
struct SimpleStats {
  std::string min_values;  // serialized BinaryRow (Format 6.5)
  std::string max_values;
  std::optional<std::vector<std::optional<int64_t>>> null_counts;
  bool operator==(const SimpleStats&) const = default;
  static SimpleStats Empty();  // arity 0
};

// Format 4.2.
struct ManifestFileMeta {
  std::string file_name;
  int64_t file_size = 0;
  int64_t added_count = 0;
  int64_t deleted_count = 0;
  SimpleStats partition_stats;
  int64_t schema_id = 0;
  std::optional<int32_t> min_bucket, max_bucket, min_level, max_level;
  std::optional<int64_t> min_row_id, max_row_id;
  bool operator==(const ManifestFileMeta&) const = default;
};

enum class FileKind : int32_t { kAdd = 0, kDelete = 1 };
enum class FileSource : int32_t { kAppend = 0, kCompact = 1 };

// Format 4.3, `_FILE`.
struct DataFileMeta {
  std::string file_name;
  int64_t file_size = 0;
  int64_t row_count = 0;
  std::string min_key;  // serialized BinaryRow
  std::string max_key;
  SimpleStats key_stats;
  SimpleStats value_stats;
  int64_t min_sequence_number = 0;
  int64_t max_sequence_number = 0;
  int64_t schema_id = 0;
  int32_t level = 0;
  std::vector<std::string> extra_files;
  std::optional<int64_t> creation_time_millis;  // local wall clock as if UTC
  std::optional<int64_t> delete_row_count;
  std::optional<std::string> embedded_file_index;
  std::optional<FileSource> file_source;
  std::optional<std::vector<std::string>> value_stats_cols;
  std::optional<std::string> external_path;
  std::optional<int64_t> first_row_id;
  std::optional<std::vector<std::string>> write_cols;
  bool operator==(const DataFileMeta&) const = default;
};

// Files of plans are shared, never changed.
using DataFilePtr = std::shared_ptr<const DataFileMeta>;

// Identity of Format 4.3 as one comparable key.
std::string FileIdentity(std::string_view partition, int32_t bucket, const DataFileMeta& file);

struct ManifestEntry {
  FileKind kind = FileKind::kAdd;
  std::string partition;  // serialized BinaryRow; equality of bytes is equality of partitions
  int32_t bucket = 0;
  int32_t total_buckets = -1;
  DataFileMeta file;
  bool operator==(const ManifestEntry&) const = default;

  std::string Identity() const { return FileIdentity(partition, bucket, file); }
};

struct DeletionVectorRange {
  std::string data_file_name;
  int32_t offset = 0;
  int32_t length = 0;
  std::optional<int64_t> cardinality;
  bool operator==(const DeletionVectorRange&) const = default;
};

// Format 4.5. Entries of unknown types are carried over unchanged.
struct IndexManifestEntry {
  FileKind kind = FileKind::kAdd;
  std::string partition;
  int32_t bucket = 0;
  std::string index_type;  // "HASH", "DELETION_VECTORS", ...
  std::string file_name;
  int64_t file_size = 0;
  int64_t row_count = 0;
  std::optional<std::vector<DeletionVectorRange>> deletion_vector_ranges;
  std::optional<std::string> external_path;
  struct GlobalIndex {
    int64_t row_range_start = 0, row_range_end = 0;
    int32_t field_id = 0;
    std::optional<std::vector<int32_t>> extra_field_ids;
    std::optional<std::string> index_meta, source_meta;
    bool operator==(const GlobalIndex&) const = default;
  };
  std::optional<GlobalIndex> global_index;
  bool operator==(const IndexManifestEntry&) const = default;
};

// What a reader of manifests wants: decoding skips the rest.
struct ManifestFilter {
  // Serialized partition and bucket come first in an entry: false skips the rest of it. `total_buckets` as stored.
  std::function<bool(std::string_view partition, int32_t bucket, int32_t total_buckets)> keep;
  bool without_stats = false;  // leaves key_stats and value_stats empty
};

// One manifest in memory. Several threads may decode different parts of it at once.
class OpenManifest {
 public:
  virtual ~OpenManifest() = default;
  // The entries of one of `parts` parts of about the same size, in order. `on_entry` may move from the entry, which is
  // used again for the next one.
  virtual void Scan(size_t part, size_t parts, const ManifestFilter& filter,
                    const std::function<void(ManifestEntry&&)>& on_entry) const = 0;
};

struct ManifestWriteOptions {
  std::string compression = "zstd";
  int32_t zstd_level = 1;
  int64_t target_bytes = 8 << 20;
};

// Where metadata files of one table lie and how new ones are named (Format 1). One uuid a writer.
class ManifestStore {
 public:
  ManifestStore(FileSystemPtr fs, std::string table_root, ManifestWriteOptions options);

  std::vector<ManifestFileMeta> ReadList(const std::string& name, std::optional<int64_t> size);
  // Returns name and size of the new list.
  std::pair<std::string, int64_t> WriteList(const std::vector<ManifestFileMeta>& manifests);

  // Entries in file order. Manifests written in ORC by older versions are read too.
  std::vector<ManifestEntry> Read(const std::string& name, std::optional<int64_t> size,
                                  const ManifestFilter& filter = {});
  // Streams entries instead of collecting them; the entry is only valid during the call.
  void Scan(const std::string& name, std::optional<int64_t> size, const ManifestFilter& filter,
            const std::function<void(ManifestEntry&&)>& on_entry);
  // Reads the file, to be decoded in parts.
  std::shared_ptr<const OpenManifest> Open(const std::string& name, std::optional<int64_t> size);
  // Writes entries into one or more manifests, rolling at the target size; partition_types give the partition stats,
  // `schema_id` is what a manifest without entries would carry. Nothing for no entries.
  std::vector<ManifestFileMeta> Write(const std::vector<ManifestEntry>& entries,
                                      std::span<const DataType> partition_types, int64_t schema_id);

  std::vector<IndexManifestEntry> ReadIndex(const std::string& name);
  std::pair<std::string, int64_t> WriteIndex(const std::vector<IndexManifestEntry>& entries);

  std::string PathOf(const std::string& name) const;  // manifest/<name>
  FileSystem& file_system() { return *fs_; }
  // Names of all files written through this object, for cleaning after a failed commit.
  std::vector<std::string> TakeWritten();
  const ManifestWriteOptions& options() const { return options_; }

 private:
  friend class ManifestWriter;
  std::unique_ptr<AvroFileWriter> NewManifestContent() const;
  std::pair<std::string, int64_t> WriteManifest(std::string_view content);
  std::pair<std::string, int64_t> WriteNew(std::string name, std::string_view content);

  FileSystemPtr fs_;
  std::string root_;
  ManifestWriteOptions options_;
  std::string uuid_;
  std::atomic<int> manifest_count_{0}, list_count_{0}, index_count_{0};
  std::mutex mutex_;
  std::vector<std::string> written_;
};

// Format 4.4: entries in order; an ADD of a known identity is Corrupt; a DELETE removes its ADD or stays. What is left
// keeps its order.
std::vector<ManifestEntry> MergeEntries(std::vector<ManifestEntry> entries);

// Engine 1.6: merges small manifests and those with deletions; the result reads the same. New manifests are written
// through `store`.
struct ManifestMergeOptions {
  int64_t target_bytes = 8 << 20;           // manifest.target-file-size
  int64_t full_threshold_bytes = 16 << 20;  // manifest.full-compaction-threshold-size
  int32_t min_count = 30;                   // manifest.merge-min-count
};
std::vector<ManifestFileMeta> MergeManifests(ManifestStore& store, std::vector<ManifestFileMeta> manifests,
                                             const ManifestMergeOptions& options,
                                             std::span<const DataType> partition_types, Executor& executor);

}  // namespace mica
