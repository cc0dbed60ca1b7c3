#include "meta/paths.h"

#include "base/error.h"
#include "base/text.h"
#include "base/uuid.h"
#include "meta/table_options.h"

namespace mica {

namespace {

constexpr int32_t kPostponeBucket = -2;

struct CompressionExtension {
  std::string_view compression;
  std::string_view extension;
};
constexpr CompressionExtension kExtensions[] = {
    {"none", ""},         {"gzip", "gz"}, {"bzip2", "bz2"}, {"deflate", "deflate"},
    {"snappy", "snappy"}, {"lz4", "lz4"}, {"zstd", "zst"},
};

// A compression that is no Hadoop codec gives its own name.
std::string ExtensionOf(std::string_view compression) {
  for (const auto& known : kExtensions) {
    if (EqualsIgnoreCase(known.compression, compression)) return std::string(known.extension);
  }
  return std::string(compression);
}

// Names come from manifests: one that leaves its folder is not followed.
void CheckName(std::string_view name) {
  if (name.empty() || name.find('/') != std::string_view::npos || name == "." || name == "..") {
    throw Corrupt("The file name '{}' in a manifest is not a plain name", name);
  }
}

}  // namespace

TablePaths::TablePaths(std::string root, const TableSchema& schema)
    : root_(std::move(root)), partition_fields_(schema.PartitionFields()) {
  TableOptions options(schema.options);
  naming_ = options.partition_naming();
  data_directory_ = options.Text("data-file.path-directory", "");
  while (!data_directory_.empty() && data_directory_.back() == '/') data_directory_.pop_back();
  index_beside_data_ = options.Bool("index-file-in-data-file-dir", false);
}

std::string TablePaths::PartitionFolder(std::string_view partition) const {
  if (partition_fields_.empty()) return "";
  BinaryRow row = BinaryRow::Deserialize(partition);
  if (row.arity() != static_cast<int32_t>(partition_fields_.size())) {
    throw Corrupt("A partition has '{}' values, but the table has '{}' partition columns", row.arity(),
                  partition_fields_.size());
  }
  return PartitionPath(row, partition_fields_, naming_);
}

std::string TablePaths::RelativeBucketPath(std::string_view partition, int32_t bucket) const {
  std::string path = data_directory_.empty() ? "" : data_directory_ + "/";
  path += PartitionFolder(partition);
  path += bucket == kPostponeBucket ? std::string("bucket-postpone") : fmt::format("bucket-{}", bucket);
  return path;
}

std::string TablePaths::BucketPath(std::string_view partition, int32_t bucket) const {
  return JoinPath(root_, RelativeBucketPath(partition, bucket));
}

std::string TablePaths::DataRoot() const {
  return data_directory_.empty() ? root_ : JoinPath(root_, data_directory_);
}

std::string TablePaths::DataFilePath(std::string_view partition, int32_t bucket, const DataFileMeta& file) const {
  if (file.external_path) return *file.external_path;
  CheckName(file.file_name);
  return JoinPath(BucketPath(partition, bucket), file.file_name);
}

std::string TablePaths::ExtraFilePath(std::string_view partition, int32_t bucket, const DataFileMeta& file,
                                      std::string_view name) const {
  CheckName(name);
  return JoinPath(file.external_path ? ParentPath(*file.external_path) : BucketPath(partition, bucket), name);
}

std::vector<std::string> TablePaths::DataFilePaths(std::string_view partition, int32_t bucket,
                                                   const DataFileMeta& file) const {
  std::vector<std::string> paths = {DataFilePath(partition, bucket, file)};
  for (const std::string& name : file.extra_files) paths.push_back(ExtraFilePath(partition, bucket, file, name));
  return paths;
}

std::string TablePaths::IndexFilePath(const IndexManifestEntry& entry) const {
  if (entry.external_path) return *entry.external_path;
  // Global indexes span buckets and stay in index/.
  if (entry.global_index) {
    CheckName(entry.file_name);
    return JoinPath(JoinPath(root_, "index"), entry.file_name);
  }
  return IndexFilePath(entry.partition, entry.bucket, entry.file_name);
}

std::string TablePaths::IndexFilePath(std::string_view partition, int32_t bucket, std::string_view name) const {
  CheckName(name);
  return JoinPath(index_beside_data_ ? BucketPath(partition, bucket) : JoinPath(root_, "index"), name);
}

std::string TablePaths::StatisticsPath(std::string_view name) const {
  CheckName(name);
  return JoinPath(JoinPath(root_, "statistics"), name);
}

std::string DataFileExtension(std::string_view format, std::string_view compression, bool with_compression) {
  std::string codec = ExtensionOf(compression);
  std::string lower = ToLower(format);
  if (codec.empty()) return fmt::format(".{}", lower);
  if (lower == "json" || lower == "csv") return fmt::format(".{}.{}", lower, codec);
  return with_compression ? fmt::format(".{}.{}", codec, lower) : fmt::format(".{}", lower);
}

DataFileNamer::DataFileNamer(const TableSchema& schema) : uuid_(RandomUuid()) {
  TableOptions options(schema.options);
  data_prefix_ = options.Text("data-file.prefix", "data-");
  changelog_prefix_ = options.Text("changelog-file.prefix", "changelog-");
  with_compression_ = options.Bool("file.suffix.include.compression", false);
}

std::string DataFileNamer::Next(std::string_view prefix, std::string_view format, std::string_view compression) {
  return fmt::format("{}{}-{}{}", prefix, uuid_, count_++, DataFileExtension(format, compression, with_compression_));
}

std::string DataFileNamer::NextDataFile(std::string_view format, std::string_view compression) {
  return Next(data_prefix_, format, compression);
}

std::string DataFileNamer::NextChangelogFile(std::string_view format, std::string_view compression) {
  return Next(changelog_prefix_, format, compression);
}

IndexFileNamer::IndexFileNamer() : uuid_(RandomUuid()) {}

std::string IndexFileNamer::Next() {
  return fmt::format("index-{}-{}", uuid_, count_++);
}

}  // namespace mica
