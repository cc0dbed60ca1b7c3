#include "system/files.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/text.h"
#include "format/data_file.h"
#include "system/row_batch.h"
#include "system/row_text.h"
#include "system/state_tables.h"
#include "system/tables.h"
#include "table/live_stream.h"
#include "table/scan.h"

namespace mica {

namespace {

constexpr int64_t kBatchRows = 4096;

// `{a=1, b=x}`, sorted by column name; what is not known prints as null.
struct StatsText {
  std::string null_counts, min, max;
};

// What the rows of all files of one schema have in common.
struct FileSchema {
  std::shared_ptr<const TableSchema> schema;
  std::vector<DataField> keys;
  bool keyed = false;
  std::vector<size_t> by_name;  // columns in the order of their names
};

std::vector<size_t> ByName(const std::vector<DataField>& fields) {
  std::vector<size_t> order(fields.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return fields[a].name < fields[b].name; });
  return order;
}

void AppendBound(const BinaryRow& row, size_t i, const DataType& type, std::string* out) {
  int32_t at = static_cast<int32_t>(i);
  const bool known = at < row.arity() && !row.IsNullAt(at) && type.IsPrimitive();
  *out += known ? ValueToString(row.Get(at, type), type) : "null";
}

StatsText TextOf(const DataFileMeta& file, const std::vector<DataField>& fields, const std::vector<size_t>& order) {
  const BinaryRow min = BinaryRow::Deserialize(file.value_stats.min_values);
  const BinaryRow max = BinaryRow::Deserialize(file.value_stats.max_values);
  const auto& nulls = file.value_stats.null_counts;
  StatsText out{"{", "{", "{"};
  for (size_t n = 0; n < order.size(); ++n) {
    const size_t i = order[n];
    for (std::string* text : {&out.null_counts, &out.min, &out.max}) {
      if (n > 0) *text += ", ";
      *text += fields[i].name;
      *text += '=';
    }
    out.null_counts += nulls && i < nulls->size() && (*nulls)[i] ? std::to_string(*(*nulls)[i]) : "null";
    AppendBound(min, i, fields[i].type, &out.min);
    AppendBound(max, i, fields[i].type, &out.max);
  }
  for (std::string* text : {&out.null_counts, &out.min, &out.max}) *text += '}';
  return out;
}

StatsText StatsOf(const DataFileMeta& file, const FileSchema& known) {
  const TableSchema& schema = *known.schema;
  const auto* names = file.value_stats_cols ? &*file.value_stats_cols : file.write_cols ? &*file.write_cols : nullptr;
  if (names == nullptr) return TextOf(file, schema.fields, known.by_name);
  std::vector<DataField> fields;
  for (const std::string& name : *names) {
    int at = FindField(schema.fields, name);
    fields.push_back(at >= 0 ? schema.fields[static_cast<size_t>(at)] : DataField{-1, name, DataType::BigInt(), {}, {}});
  }
  return TextOf(file, fields, ByName(fields));
}

std::string WithScheme(const std::string& path) { return path.starts_with('/') ? "file:" + path : path; }

struct State {
  TablePtr table;
  std::vector<DataField> partition_fields;
  std::unique_ptr<LiveStream> files;  // absent: no snapshot
  std::vector<ManifestEntry> entries;
  size_t next = 0;
  std::map<int64_t, FileSchema> schemas;

  const ManifestEntry* Next() {
    while (next == entries.size()) {
      next = 0;
      if (!files || !files->Next(&entries)) return nullptr;
    }
    return &entries[next++];
  }

  const FileSchema& SchemaOf(const DataFileMeta& file) {
    auto [place, is_new] = schemas.try_emplace(file.schema_id);
    if (is_new) {
      auto schema = table->schemas().Get(file.schema_id);
      place->second = {schema, schema->KeyFields(), schema->has_primary_key(), ByName(schema->fields)};
    }
    return place->second;
  }
};

std::shared_ptr<State> FilesOf(const TablePtr& table, bool with_stats) {
  auto state = std::make_shared<State>();
  state->table = table;
  state->partition_fields = table->schema().PartitionFields();
  auto resolved = ResolveSnapshot(*table, TimeTravelOf(table->options()));
  if (!resolved.snapshot) return state;
  ManifestFilter filter;
  filter.keep = [](std::string_view, int32_t bucket, int32_t) { return bucket >= 0; };
  filter.without_stats = !with_stats;
  state->files = std::make_unique<LiveStream>(table->manifests(), *resolved.snapshot, std::move(filter));
  return state;
}

// Batches of rows that `add(entry, rows)` makes, for `fields`.
template <typename Add>
std::unique_ptr<BatchReader> ReadRows(std::shared_ptr<State> state, std::vector<DataField> fields, Add add) {
  return MakeReader([state = std::move(state), fields = std::move(fields), add]() -> std::shared_ptr<arrow::RecordBatch> {
    RowBatch rows(fields);
    while (rows.row_count() < kBatchRows) {
      const ManifestEntry* entry = state->Next();
      if (entry == nullptr) break;
      add(state.get(), *entry, &rows);
    }
    return rows.row_count() > 0 ? rows.Take() : nullptr;
  });
}

// The columns of `t$files` that take work; in the order of FilesFields.
enum FilesColumn { kPartition = 0, kPath = 2, kFormat = 3, kMinKey = 8, kMaxKey = 9, kNullCounts = 10, kMinStats = 11, kMaxStats = 12 };

void AddRow(State* state, const ManifestEntry& entry, const std::vector<bool>& wanted, RowBatch* rows) {
  const Table& table = *state->table;
  const DataFileMeta& file = entry.file;
  const FileSchema& known = state->SchemaOf(file);
  const std::vector<DataField>& keys = known.keys;
  const bool keyed = known.keyed;
  auto text = [&](FilesColumn column, const auto& make) { return wanted[column] ? Value(make()) : Value(); };
  StatsText stats;
  if (wanted[kNullCounts] || wanted[kMinStats] || wanted[kMaxStats]) stats = StatsOf(file, known);
  std::vector<Value> values = {
      text(kPartition, [&] { return RowText(entry.partition, state->partition_fields, '{', '}'); }),
      static_cast<int64_t>(entry.bucket),
      text(kPath, [&] { return WithScheme(table.paths().DataFilePath(entry.partition, entry.bucket, file)); }),
      text(kFormat, [&] { return FormatOfName(file.file_name); }),
      file.schema_id, static_cast<int64_t>(file.level), file.row_count, file.file_size,
      keyed && wanted[kMinKey] ? Value(RowText(file.min_key, keys, '[', ']')) : Value(),
      keyed && wanted[kMaxKey] ? Value(RowText(file.max_key, keys, '[', ']')) : Value(),
      std::move(stats.null_counts), std::move(stats.min), std::move(stats.max),
      file.min_sequence_number, file.max_sequence_number,
      file.creation_time_millis ? Timestamp3(*file.creation_time_millis) : Value(), OrNull(file.delete_row_count),
      file.file_source ? Value(std::string(*file.file_source == FileSource::kAppend ? "APPEND" : "COMPACT")) : Value(),
      OrNull(file.first_row_id)};
  if (file.write_cols) {
    rows->AddWithList(values, *file.write_cols);
  } else {
    values.emplace_back();
    rows->Add(values);
  }
}

}  // namespace

// M-0719.
std::vector<DataField> FileKeyRangesFields(const Table&) {
  DataType text = DataType::String(), number = DataType::BigInt();
  return {Nullable("partition", text), NotNull("bucket", DataType::Int()), NotNull("file_path", text),
          NotNull("file_format", text), NotNull("schema_id", number), NotNull("level", DataType::Int()),
          NotNull("record_count", number), NotNull("file_size_in_bytes", number), Nullable("min_key", text),
          Nullable("max_key", text), Nullable("first_row_id", number)};
}

std::unique_ptr<BatchReader> ReadFileKeyRanges(TablePtr table) {
  return ReadRows(FilesOf(table, /*with_stats=*/false), FileKeyRangesFields(*table),
                  [](State* state, const ManifestEntry& entry, RowBatch* rows) {
    const DataFileMeta& file = entry.file;
    const FileSchema& known = state->SchemaOf(file);
    const std::vector<DataField>& keys = known.keys;
    const bool keyed = known.keyed;
    rows->Add({RowText(entry.partition, state->partition_fields, '{', '}'), static_cast<int64_t>(entry.bucket),
               WithScheme(state->table->paths().DataFilePath(entry.partition, entry.bucket, file)),
               FormatOfName(file.file_name), file.schema_id, static_cast<int64_t>(file.level), file.row_count, file.file_size,
               keyed ? Value(RowText(file.min_key, keys, '[', ']')) : Value(),
               keyed ? Value(RowText(file.max_key, keys, '[', ']')) : Value(), OrNull(file.first_row_id)});
  });
}

// M-0706.
std::vector<DataField> FilesFields(const Table&) {
  DataType text = DataType::String(), number = DataType::BigInt();
  return {Nullable("partition", text), NotNull("bucket", DataType::Int()), NotNull("file_path", text),
          NotNull("file_format", text), NotNull("schema_id", number), NotNull("level", DataType::Int()),
          NotNull("record_count", number), NotNull("file_size_in_bytes", number), Nullable("min_key", text),
          Nullable("max_key", text), NotNull("null_value_counts", text), NotNull("min_value_stats", text),
          NotNull("max_value_stats", text), Nullable("min_sequence_number", number), Nullable("max_sequence_number", number),
          Nullable("creation_time", DataType::Timestamp(3)), Nullable("deleteRowCount", number), Nullable("file_source", text),
          Nullable("first_row_id", number), Nullable("write_cols", DataType::Array(text))};
}

std::unique_ptr<BatchReader> ReadFiles(TablePtr table) {
  return ReadWantedFiles(table, std::vector<bool>(FilesFields(*table).size(), true));
}

std::unique_ptr<BatchReader> ReadWantedFiles(TablePtr table, const std::vector<bool>& wanted) {
  const bool with_stats = wanted[kNullCounts] || wanted[kMinStats] || wanted[kMaxStats];
  return ReadRows(FilesOf(table, with_stats), FilesFields(*table),
                  [wanted](State* state, const ManifestEntry& entry, RowBatch* rows) { AddRow(state, entry, wanted, rows); });
}

}  // namespace mica
