#include "table/file_index_columns.h"

#include <arrow/io/interfaces.h>

#include "base/arrow.h"
#include "base/error.h"
#include "base/text.h"
#include "index/column_index.h"
#include "index/index_value.h"
#include "meta/table_options.h"

namespace mica {

namespace {

constexpr std::string_view kPrefix = "file-index.";
constexpr std::string_view kSuffix = ".columns";

// Calls `visit` with each kind and its list of columns.
template <typename Visit>
void VisitKinds(const Options& options, Visit visit) {
  for (const auto& [key, value] : options) {
    if (!key.starts_with(kPrefix) || !key.ends_with(kSuffix) || key.size() <= kPrefix.size() + kSuffix.size()) continue;
    visit(key, key.substr(kPrefix.size(), key.size() - kPrefix.size() - kSuffix.size()), SplitList(value, ','));
  }
}

constexpr int64_t kEmbeddedBytes = 500;

void CheckType(const std::string& key, const std::string& kind, const DataField& field) {
  if (kind == kBloomIndex ? HasIndexHash(field.type) : HasIndexValue(field.type)) return;
  throw InvalidArgument("A file index of kind '{}' cannot be made of column '{}' of type {} ('{}')", kind, field.name,
                        field.type.ToString(), key);
}

}  // namespace

std::vector<FileIndexColumn> FileIndexColumnsOf(const TableSchema& schema) {
  std::vector<FileIndexColumn> columns;
  const TableOptions options(schema.options);
  VisitKinds(schema.options, [&](const std::string& key, const std::string& kind, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const int position = FindField(schema.fields, name);
      if (position < 0) {
        throw Unsupported("Cannot write the file index of '{}' ('{}'): only whole columns are indexed", name, key);
      }
      FileIndexColumn& column = columns.emplace_back();
      column.column = name;
      column.type = schema.fields[static_cast<size_t>(position)].type;
      column.kind = kind;
      if (kind != kBloomIndex && kind != kBitmapIndex) {
        throw Unsupported("Cannot write file indexes of kind '{}' ('{}'). Known are: bloom-filter, bitmap", kind, key);
      }
      CheckType(key, kind, schema.fields[static_cast<size_t>(position)]);
      const std::string own = std::string(kPrefix) + kind + "." + name + ".";
      column.items = options.Integer(own + "items", column.items);
      column.false_positives = options.Number(own + "fpp", column.false_positives);
      column.version = static_cast<int32_t>(options.Integer(own + "version", column.version));
      column.block_bytes = options.Bytes(own + "index-block-size", column.block_bytes);
    }
  });
  return columns;
}

void CheckFileIndexes(const TableSchema& schema) {
  VisitKinds(schema.options, [&](const std::string& key, const std::string& kind, const std::vector<std::string>& names) {
    if (kind != kBloomIndex && kind != kBitmapIndex) return;
    for (const std::string& name : names) {
      const int position = FindField(schema.fields, name);
      if (position >= 0) CheckType(key, kind, schema.fields[static_cast<size_t>(position)]);
    }
  });
}

std::set<std::string> IndexedColumns(const TableSchema& schema) {
  std::set<std::string> columns;
  VisitKinds(schema.options, [&](const std::string&, const std::string&, const std::vector<std::string>& names) {
    columns.insert(names.begin(), names.end());
  });
  return columns;
}

void PlaceFileIndex(const Table& table, const std::string& partition, int32_t bucket, std::string index,
                    const std::string& index_name, DataFileMeta* file) {
  const int64_t threshold = table.options().Bytes("file-index.in-manifest-threshold", kEmbeddedBytes);
  if (static_cast<int64_t>(index.size()) <= threshold) {
    file->embedded_file_index = std::move(index);
    return;
  }
  // Named before it is there, so that a failure half-way deletes it as well.
  file->extra_files.push_back(index_name);
  auto out = table.file_system().OpenOutput(table.paths().ExtraFilePath(partition, bucket, *file, index_name));
  Check(out->Write(index.data(), static_cast<int64_t>(index.size())));
  Check(out->Close());
}

}  // namespace mica
