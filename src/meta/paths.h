// Where the files of one table lie and how new data, changelog and index files are named (Format 1, 1.1-1.3).
// Immutable; thread safe. DataFileNamer counts and is thread safe too.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meta/manifest.h"
#include "meta/table_schema.h"
#include "types/partition_path.h"

namespace mica {

class TablePaths {
 public:
  TablePaths(std::string root, const TableSchema& schema);

  const std::string& root() const { return root_; }
  // `partition` is the serialized BinaryRow. "k=v/" or "" for tables without partitions.
  std::string PartitionFolder(std::string_view partition) const;
  // "[<data-file.path-directory>/][k=v/]bucket-<B>", relative to the root.
  std::string RelativeBucketPath(std::string_view partition, int32_t bucket) const;
  std::string BucketPath(std::string_view partition, int32_t bucket) const;
  // The folder under which partition folders lie.
  std::string DataRoot() const;

  // An external path in the file's metadata replaces the computed one.
  std::string DataFilePath(std::string_view partition, int32_t bucket, const DataFileMeta& file) const;
  // All files that belong to one: the data file, then its extra files (beside it).
  std::vector<std::string> DataFilePaths(std::string_view partition, int32_t bucket, const DataFileMeta& file) const;
  // A companion of the data file, named in its extra files.
  std::string ExtraFilePath(std::string_view partition, int32_t bucket, const DataFileMeta& file,
                            std::string_view name) const;

  // Honours index-file-in-data-file-dir and external paths.
  std::string IndexFilePath(const IndexManifestEntry& entry) const;
  std::string IndexFilePath(std::string_view partition, int32_t bucket, std::string_view name) const;
  std::string StatisticsPath(std::string_view name) const;

 private:
  std::string root_;
  std::vector<DataField> partition_fields_;
  PartitionNaming naming_;
  std::string data_directory_;
  bool index_beside_data_;
};

// Gives names for the new files of one writer of one bucket: `<prefix><uuid>-<n>.<extension>` with one counter for all.
class DataFileNamer {
 public:
  explicit DataFileNamer(const TableSchema& schema);

  // `format` is a file format, `compression` the value of file.compression (both may depend on the level).
  std::string NextDataFile(std::string_view format, std::string_view compression);
  std::string NextChangelogFile(std::string_view format, std::string_view compression);
  const std::string& uuid() const { return uuid_; }

 private:
  std::string Next(std::string_view prefix, std::string_view format, std::string_view compression);

  std::string uuid_;
  std::string data_prefix_;
  std::string changelog_prefix_;
  bool with_compression_;
  std::atomic<int> count_{0};
};

// `index-<uuid>-<n>`: one a writer.
class IndexFileNamer {
 public:
  IndexFileNamer();
  std::string Next();

 private:
  std::string uuid_;
  std::atomic<int> count_{0};
};

// ".zst.parquet" and the like (Format 1.2).
std::string DataFileExtension(std::string_view format, std::string_view compression, bool with_compression);

}  // namespace mica
