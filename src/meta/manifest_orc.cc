// Manifests and manifest lists in ORC (Format 4): the form that `manifest.format` = orc gave them until 2.0. Reading
// only.
#include <arrow/api.h>

#include "base/arrow.h"
#include "base/error.h"
#include "format/orc_file.h"
#include "meta/manifest_format.h"

namespace mica {

namespace {

constexpr int64_t kManifestVersion = 2;

// The fields of a struct by name, at one row.
class OrcRow {
 public:
  OrcRow(const arrow::StructArray& array, int64_t row) : array_(array), row_(row) {}

  std::optional<int64_t> OptionalLong(std::string_view name) const {
    auto column = Find(name);
    if (!column || column->IsNull(row_)) return std::nullopt;
    return LongAt(*column, row_, name);
  }
  int64_t Long(std::string_view name) const { return Required(OptionalLong(name), name); }
  int32_t Int(std::string_view name) const { return Narrow(Long(name), name); }
  std::optional<int32_t> OptionalInt(std::string_view name) const {
    auto value = OptionalLong(name);
    if (!value) return std::nullopt;
    return Narrow(*value, name);
  }
  std::optional<std::string> OptionalText(std::string_view name) const {
    auto column = Find(name);
    if (!column || column->IsNull(row_)) return std::nullopt;
    return TextAt(*column, row_, name);
  }
  std::string Text(std::string_view name) const { return Required(OptionalText(name), name); }
  std::optional<std::vector<std::string>> OptionalTexts(std::string_view name) const {
    auto list = List(name);
    if (!list) return std::nullopt;
    std::vector<std::string> texts;
    for (int64_t i = 0; i < list->length(); ++i) {
      if (list->IsNull(i)) throw Corrupt("The list '{}' holds a null", name);
      texts.push_back(TextAt(*list, i, name));
    }
    return texts;
  }
  std::optional<std::vector<std::optional<int64_t>>> OptionalLongs(std::string_view name) const {
    auto list = List(name);
    if (!list) return std::nullopt;
    std::vector<std::optional<int64_t>> values;
    for (int64_t i = 0; i < list->length(); ++i) {
      values.push_back(list->IsNull(i) ? std::nullopt : std::optional(LongAt(*list, i, name)));
    }
    return values;
  }
  OrcRow Child(std::string_view name) const {
    auto column = Find(name);
    if (!column || column->IsNull(row_) || column->type_id() != arrow::Type::STRUCT) {
      throw Corrupt("The field '{}' is missing, null or no struct", name);
    }
    return OrcRow(static_cast<const arrow::StructArray&>(*column), row_, column);
  }

 private:
  OrcRow(const arrow::StructArray& array, int64_t row, std::shared_ptr<arrow::Array> owner)
      : array_(array), row_(row), owner_(std::move(owner)) {}

  std::shared_ptr<arrow::Array> Find(std::string_view name) const { return array_.GetFieldByName(std::string(name)); }

  template <typename T>
  static T Required(std::optional<T> value, std::string_view name) {
    if (!value) throw Corrupt("The field '{}' is missing or null", name);
    return *std::move(value);
  }
  static int32_t Narrow(int64_t value, std::string_view name) {
    if (value != static_cast<int32_t>(value)) throw Corrupt("The value of field '{}' is too large", name);
    return static_cast<int32_t>(value);
  }
  static int64_t LongAt(const arrow::Array& array, int64_t row, std::string_view name) {
    switch (array.type_id()) {
      case arrow::Type::INT8:
        return static_cast<const arrow::Int8Array&>(array).Value(row);
      case arrow::Type::INT16:
        return static_cast<const arrow::Int16Array&>(array).Value(row);
      case arrow::Type::INT32:
        return static_cast<const arrow::Int32Array&>(array).Value(row);
      case arrow::Type::INT64:
        return static_cast<const arrow::Int64Array&>(array).Value(row);
      case arrow::Type::TIMESTAMP: {
        int64_t value = static_cast<const arrow::TimestampArray&>(array).Value(row);
        switch (static_cast<const arrow::TimestampType&>(*array.type()).unit()) {
          case arrow::TimeUnit::SECOND:
            return value * 1000;
          case arrow::TimeUnit::MILLI:
            return value;
          case arrow::TimeUnit::MICRO:
            return value / 1000;
          case arrow::TimeUnit::NANO:
            return value / 1000000;
        }
        return value;
      }
      default:
        throw Corrupt("The field '{}' has type {}, not an integer", name, array.type()->ToString());
    }
  }
  static std::string TextAt(const arrow::Array& array, int64_t row, std::string_view name) {
    if (array.type_id() != arrow::Type::STRING && array.type_id() != arrow::Type::BINARY) {
      throw Corrupt("The field '{}' has type {}, not a text", name, array.type()->ToString());
    }
    return static_cast<const arrow::BinaryArray&>(array).GetString(row);
  }
  std::shared_ptr<arrow::Array> List(std::string_view name) const {
    auto column = Find(name);
    if (!column || column->IsNull(row_)) return nullptr;
    if (column->type_id() != arrow::Type::LIST) throw Corrupt("The field '{}' is no list", name);
    return static_cast<const arrow::ListArray&>(*column).value_slice(row_);
  }

  const arrow::StructArray& array_;
  int64_t row_;
  std::shared_ptr<arrow::Array> owner_;
};

SimpleStats StatsOf(const OrcRow& row) {
  return {row.Text("_MIN_VALUES"), row.Text("_MAX_VALUES"), row.OptionalLongs("_NULL_COUNTS")};
}

void CheckVersion(const OrcRow& row) {
  int64_t version = row.Long("_VERSION");
  if (version != kManifestVersion) {
    throw Unsupported("A manifest entry has version '{}'; Mica knows version {}", version, kManifestVersion);
  }
}

DataFileMeta FileOf(const OrcRow& row, bool without_stats) {
  DataFileMeta file;
  file.file_name = row.Text("_FILE_NAME");
  file.file_size = row.Long("_FILE_SIZE");
  file.row_count = row.Long("_ROW_COUNT");
  file.min_key = row.Text("_MIN_KEY");
  file.max_key = row.Text("_MAX_KEY");
  if (!without_stats) {
    file.key_stats = StatsOf(row.Child("_KEY_STATS"));
    file.value_stats = StatsOf(row.Child("_VALUE_STATS"));
  }
  file.min_sequence_number = row.Long("_MIN_SEQUENCE_NUMBER");
  file.max_sequence_number = row.Long("_MAX_SEQUENCE_NUMBER");
  file.schema_id = row.Long("_SCHEMA_ID");
  file.level = row.Int("_LEVEL");
  file.extra_files = row.OptionalTexts("_EXTRA_FILES").value_or(std::vector<std::string>());
  file.creation_time_millis = row.OptionalLong("_CREATION_TIME");
  file.delete_row_count = row.OptionalLong("_DELETE_ROW_COUNT");
  file.embedded_file_index = row.OptionalText("_EMBEDDED_FILE_INDEX");
  if (auto source = row.OptionalInt("_FILE_SOURCE")) {
    if (*source != 0 && *source != 1) throw Corrupt("A file has the unknown source '{}'", *source);
    file.file_source = static_cast<FileSource>(*source);
  }
  file.value_stats_cols = row.OptionalTexts("_VALUE_STATS_COLS");
  file.external_path = row.OptionalText("_EXTERNAL_PATH");
  file.first_row_id = row.OptionalLong("_FIRST_ROW_ID");
  file.write_cols = row.OptionalTexts("_WRITE_COLS");
  return file;
}

// Calls on_row for every row of the file.
template <typename OnRow>
void ForEachRow(const std::string& content, const OnRow& on_row) {
  auto table = ReadOrcContent(content);
  for (const auto& batch : Take(arrow::TableBatchReader(*table).ToRecordBatches())) {
    auto rows = Take(batch->ToStructArray());
    for (int64_t i = 0; i < rows->length(); ++i) on_row(OrcRow(*rows, i));
  }
}

}  // namespace

std::vector<ManifestEntry> ReadOrcManifest(const std::string& content, const ManifestFilter& filter) {
  std::vector<ManifestEntry> entries;
  ForEachRow(content, [&](const OrcRow& row) {
    CheckVersion(row);
    ManifestEntry entry;
    int32_t kind = row.Int("_KIND");
    if (kind != 0 && kind != 1) throw Corrupt("An entry has the unknown kind '{}'", kind);
    entry.kind = static_cast<FileKind>(kind);
    entry.partition = row.Text("_PARTITION");
    entry.bucket = row.Int("_BUCKET");
    entry.total_buckets = row.Int("_TOTAL_BUCKETS");
    if (filter.keep && !filter.keep(entry.partition, entry.bucket, entry.total_buckets)) return;
    entry.file = FileOf(row.Child("_FILE"), filter.without_stats);
    entries.push_back(std::move(entry));
  });
  return entries;
}

std::vector<ManifestFileMeta> ReadOrcManifestList(const std::string& content) {
  std::vector<ManifestFileMeta> manifests;
  ForEachRow(content, [&](const OrcRow& row) {
    CheckVersion(row);
    ManifestFileMeta meta;
    meta.file_name = row.Text("_FILE_NAME");
    meta.file_size = row.Long("_FILE_SIZE");
    meta.added_count = row.Long("_NUM_ADDED_FILES");
    meta.deleted_count = row.Long("_NUM_DELETED_FILES");
    meta.partition_stats = StatsOf(row.Child("_PARTITION_STATS"));
    meta.schema_id = row.Long("_SCHEMA_ID");
    meta.min_bucket = row.OptionalInt("_MIN_BUCKET");
    meta.max_bucket = row.OptionalInt("_MAX_BUCKET");
    meta.min_level = row.OptionalInt("_MIN_LEVEL");
    meta.max_level = row.OptionalInt("_MAX_LEVEL");
    meta.min_row_id = row.OptionalLong("_MIN_ROW_ID");
    meta.max_row_id = row.OptionalLong("_MAX_ROW_ID");
    manifests.push_back(std::move(meta));
  });
  return manifests;
}

}  // namespace mica
