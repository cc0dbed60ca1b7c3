#include <fmt/format.h>

#include "meta/manifest_format.h"

namespace mica {

namespace {

// ---- schemas, letter for letter what other implementations write (Format 4) ----

std::string Field(std::string_view name, std::string_view type) {
  return fmt::format(R"({{"name":"{}","type":{}}})", name, type);
}

std::string Nullable(std::string_view name, std::string_view type) {
  return fmt::format(R"({{"name":"{}","type":["null",{}],"default":null}})", name, type);
}

std::string ArrayOf(std::string_view items) {
  return fmt::format(R"({{"type":"array","items":{}}})", items);
}

std::string Record(std::string_view name, std::string_view fields) {
  return fmt::format(R"({{"type":"record","name":"{}","fields":[{}]}})", name, fields);
}

std::string Root(std::string_view fields) {
  return fmt::format(
      R"({{"type":"record","name":"record","namespace":"org.apache.paimon.avro.generated","fields":[{}]}})", fields);
}

std::string Commas(std::initializer_list<std::string> parts) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += ',';
    out += part;
  }
  return out;
}

constexpr std::string_view kInt = R"("int")", kLong = R"("long")", kBytes = R"("bytes")", kString = R"("string")";

std::string StatsSchema(std::string_view name) {
  return Record(name, Commas({Field("_MIN_VALUES", kBytes), Field("_MAX_VALUES", kBytes),
                              Nullable("_NULL_COUNTS", ArrayOf(R"(["null","long"])"))}));
}

// ---- values ----

void PutOptionalLong(std::string& out, const auto& value) {
  AppendAvroLong(out, value ? 1 : 0);
  if (value) AppendAvroLong(out, static_cast<int64_t>(*value));
}

void PutOptionalBytes(std::string& out, const std::optional<std::string>& value) {
  AppendAvroLong(out, value ? 1 : 0);
  if (value) AppendAvroBytes(out, *value);
}

template <typename Items, typename Put>
void PutArray(std::string& out, const Items& items, const Put& put) {
  if (!items.empty()) {
    AppendAvroLong(out, static_cast<int64_t>(items.size()));
    for (const auto& item : items) put(item);
  }
  AppendAvroLong(out, 0);
}

template <typename Items, typename Put>
void PutOptionalArray(std::string& out, const std::optional<Items>& items, const Put& put) {
  AppendAvroLong(out, items ? 1 : 0);
  if (items) PutArray(out, *items, put);
}

void PutStats(std::string& out, const SimpleStats& stats) {
  AppendAvroBytes(out, stats.min_values);
  AppendAvroBytes(out, stats.max_values);
  PutOptionalArray(out, stats.null_counts, [&](const std::optional<int64_t>& count) { PutOptionalLong(out, count); });
}

}  // namespace

const std::string& ManifestEntrySchema() {
  static const std::string kFileSchema =
      Record("record__FILE", Commas({Field("_FILE_NAME", kString),
                                     Field("_FILE_SIZE", kLong),
                                     Field("_ROW_COUNT", kLong),
                                     Field("_MIN_KEY", kBytes),
                                     Field("_MAX_KEY", kBytes),
                                     Field("_KEY_STATS", StatsSchema("record__FILE__KEY_STATS")),
                                     Field("_VALUE_STATS", StatsSchema("record__FILE__VALUE_STATS")),
                                     Field("_MIN_SEQUENCE_NUMBER", kLong),
                                     Field("_MAX_SEQUENCE_NUMBER", kLong),
                                     Field("_SCHEMA_ID", kLong),
                                     Field("_LEVEL", kInt),
                                     Field("_EXTRA_FILES", ArrayOf(kString)),
                                     Nullable("_CREATION_TIME", R"({"type":"long","logicalType":"timestamp-millis"})"),
                                     Nullable("_DELETE_ROW_COUNT", kLong),
                                     Nullable("_EMBEDDED_FILE_INDEX", kBytes),
                                     Nullable("_FILE_SOURCE", kInt),
                                     Nullable("_VALUE_STATS_COLS", ArrayOf(kString)),
                                     Nullable("_EXTERNAL_PATH", kString),
                                     Nullable("_FIRST_ROW_ID", kLong),
                                     Nullable("_WRITE_COLS", ArrayOf(kString))}));
  static const std::string kSchema =
      Root(Commas({Field("_VERSION", kInt), Field("_KIND", kInt), Field("_PARTITION", kBytes), Field("_BUCKET", kInt),
                   Field("_TOTAL_BUCKETS", kInt), Field("_FILE", kFileSchema)}));
  return kSchema;
}

const std::string& ManifestFileSchema() {
  static const std::string kSchema =
      Root(Commas({Field("_VERSION", kInt), Field("_FILE_NAME", kString), Field("_FILE_SIZE", kLong),
                   Field("_NUM_ADDED_FILES", kLong), Field("_NUM_DELETED_FILES", kLong),
                   Field("_PARTITION_STATS", StatsSchema("record__PARTITION_STATS")), Field("_SCHEMA_ID", kLong),
                   Nullable("_MIN_BUCKET", kInt), Nullable("_MAX_BUCKET", kInt), Nullable("_MIN_LEVEL", kInt),
                   Nullable("_MAX_LEVEL", kInt), Nullable("_MIN_ROW_ID", kLong), Nullable("_MAX_ROW_ID", kLong)}));
  return kSchema;
}

std::string IndexEntrySchema(bool with_source_meta) {
  std::string vectors =
      Record("record__DELETIONS_VECTORS_RANGES",
             Commas({Field("f0", kString), Field("f1", kInt), Field("f2", kInt), Nullable("_CARDINALITY", kLong)}));
  std::string global =
      Commas({Field("_ROW_RANGE_START", kLong), Field("_ROW_RANGE_END", kLong), Field("_INDEX_FIELD_ID", kInt),
              Nullable("_EXTRA_FIELD_IDS", ArrayOf(kInt)), Nullable("_INDEX_META", kBytes)});
  if (with_source_meta) global = Commas({global, Nullable("_SOURCE_META", kBytes)});
  return Root(
      Commas({Field("_VERSION", kInt), Field("_KIND", kInt), Field("_PARTITION", kBytes), Field("_BUCKET", kInt),
              Field("_INDEX_TYPE", kString), Field("_FILE_NAME", kString), Field("_FILE_SIZE", kLong),
              Field("_ROW_COUNT", kLong),
              Nullable("_DELETIONS_VECTORS_RANGES", ArrayOf(fmt::format(R"(["null",{}])", vectors))),
              Nullable("_EXTERNAL_PATH", kString), Nullable("_GLOBAL_INDEX", Record("record__GLOBAL_INDEX", global))}));
}

void EncodeManifestEntry(const ManifestEntry& entry, std::string& out) {
  auto put_text = [&](const std::string& text) { AppendAvroBytes(out, text); };
  AppendAvroLong(out, 2);
  AppendAvroLong(out, static_cast<int64_t>(entry.kind));
  AppendAvroBytes(out, entry.partition);
  AppendAvroLong(out, entry.bucket);
  AppendAvroLong(out, entry.total_buckets);
  const DataFileMeta& file = entry.file;
  AppendAvroBytes(out, file.file_name);
  AppendAvroLong(out, file.file_size);
  AppendAvroLong(out, file.row_count);
  AppendAvroBytes(out, file.min_key);
  AppendAvroBytes(out, file.max_key);
  PutStats(out, file.key_stats);
  PutStats(out, file.value_stats);
  AppendAvroLong(out, file.min_sequence_number);
  AppendAvroLong(out, file.max_sequence_number);
  AppendAvroLong(out, file.schema_id);
  AppendAvroLong(out, file.level);
  PutArray(out, file.extra_files, put_text);
  PutOptionalLong(out, file.creation_time_millis);
  PutOptionalLong(out, file.delete_row_count);
  PutOptionalBytes(out, file.embedded_file_index);
  PutOptionalLong(out, file.file_source);
  PutOptionalArray(out, file.value_stats_cols, put_text);
  PutOptionalBytes(out, file.external_path);
  PutOptionalLong(out, file.first_row_id);
  PutOptionalArray(out, file.write_cols, put_text);
}

void EncodeManifestFile(const ManifestFileMeta& manifest, std::string& out) {
  AppendAvroLong(out, 2);
  AppendAvroBytes(out, manifest.file_name);
  AppendAvroLong(out, manifest.file_size);
  AppendAvroLong(out, manifest.added_count);
  AppendAvroLong(out, manifest.deleted_count);
  PutStats(out, manifest.partition_stats);
  AppendAvroLong(out, manifest.schema_id);
  PutOptionalLong(out, manifest.min_bucket);
  PutOptionalLong(out, manifest.max_bucket);
  PutOptionalLong(out, manifest.min_level);
  PutOptionalLong(out, manifest.max_level);
  PutOptionalLong(out, manifest.min_row_id);
  PutOptionalLong(out, manifest.max_row_id);
}

void EncodeIndexEntry(const IndexManifestEntry& entry, bool with_source_meta, std::string& out) {
  AppendAvroLong(out, 1);
  AppendAvroLong(out, static_cast<int64_t>(entry.kind));
  AppendAvroBytes(out, entry.partition);
  AppendAvroLong(out, entry.bucket);
  AppendAvroBytes(out, entry.index_type);
  AppendAvroBytes(out, entry.file_name);
  AppendAvroLong(out, entry.file_size);
  AppendAvroLong(out, entry.row_count);
  PutOptionalArray(out, entry.deletion_vector_ranges, [&](const DeletionVectorRange& range) {
    AppendAvroLong(out, 1);  // the item is nullable
    AppendAvroBytes(out, range.data_file_name);
    AppendAvroLong(out, range.offset);
    AppendAvroLong(out, range.length);
    PutOptionalLong(out, range.cardinality);
  });
  PutOptionalBytes(out, entry.external_path);
  AppendAvroLong(out, entry.global_index ? 1 : 0);
  if (!entry.global_index) return;
  const IndexManifestEntry::GlobalIndex& index = *entry.global_index;
  AppendAvroLong(out, index.row_range_start);
  AppendAvroLong(out, index.row_range_end);
  AppendAvroLong(out, index.field_id);
  PutOptionalArray(out, index.extra_field_ids, [&](int32_t id) { AppendAvroLong(out, id); });
  PutOptionalBytes(out, index.index_meta);
  if (with_source_meta) PutOptionalBytes(out, index.source_meta);
}

}  // namespace mica
