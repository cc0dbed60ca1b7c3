#include "table/file_mapping.h"

#include <algorithm>

#include <arrow/api.h>

#include "base/arrow.h"
#include "types/arrow_types.h"
#include "types/cast.h"

namespace mica {

namespace {

// The fields that the file has, under the names of its own schema (Format 8.1).
bool HasColumn(const DataFileMeta& file, const std::string& name) {
  return !file.write_cols || std::find(file.write_cols->begin(), file.write_cols->end(), name) != file.write_cols->end();
}

struct FileColumn {
  std::string name;
  DataType type;
};

std::optional<FileColumn> FindFileColumn(const TableSchema& file_schema, const DataFileMeta& file, const DataField& read,
                                         const TableSchema& read_schema) {
  bool system = read.id == kSequenceNumberId || read.id == kValueKindId || read.id == kRowIdId;
  if (system) return FileColumn{read.name, read.type};
  bool is_key = read.id >= kKeyFieldIdBase && read.id < kRowIdId;
  int32_t id = is_key ? read.id - kKeyFieldIdBase : read.id;
  int position = FindFieldById(file_schema.fields, id);
  if (position < 0) return std::nullopt;
  const DataField& field = file_schema.fields[static_cast<size_t>(position)];
  if (is_key) {
    bool thin = TableOptions(read_schema.options).Bool("data-file.thin-mode", false) ||
                TableOptions(file_schema.options).Bool("data-file.thin-mode", false);
    return FileColumn{thin ? field.name : std::string(kKeyPrefix) + field.name, field.type};
  }
  if (!HasColumn(file, field.name)) return std::nullopt;
  return FileColumn{field.name, field.type};
}

}  // namespace

bool FileMapping::is_identity() const {
  if (file_fields.size() != columns.size()) return false;
  for (size_t i = 0; i < columns.size(); ++i) {
    const MappedColumn& column = columns[i];
    if (column.kind != MappedColumn::Kind::kFile || column.needs_cast || column.file_column != static_cast<int>(i)) return false;
    // Batches carry names, and filters go by them.
    if (file_fields[i].name != column.read.name) return false;
  }
  return true;
}

std::shared_ptr<arrow::RecordBatch> FileMapping::Apply(const std::shared_ptr<arrow::RecordBatch>& batch) const {
  arrow::ArrayVector arrays;
  arrow::FieldVector fields;
  for (const MappedColumn& column : columns) {
    std::shared_ptr<arrow::Array> array;
    if (column.kind == MappedColumn::Kind::kConstant) {
      array = RepeatValue(column.constant, column.read.type, batch->num_rows());
    } else {
      array = batch->column(column.file_column);
      if (column.needs_cast) array = CastArray(array, column.file_type, column.read.type);
    }
    fields.push_back(arrow::field(column.read.name, array->type(), column.read.type.nullable()));
    arrays.push_back(std::move(array));
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch->num_rows(), std::move(arrays));
}

FileMapping MapFile(const TableSchema& file_schema, const DataFileMeta& file, const std::vector<DataField>& read_fields,
                    const std::string& partition, const TableSchema& read_schema) {
  FileMapping mapping;
  for (const DataField& read : read_fields) {
    MappedColumn column;
    column.read = read;
    int partition_column = -1;
    for (size_t i = 0; i < read_schema.partition_keys.size(); ++i) {
      if (read_schema.partition_keys[i] == read.name) partition_column = static_cast<int>(i);
    }
    if (partition_column >= 0) {
      // P-63: the value in the manifest wins over a copy inside the file.
      column.constant = BinaryRow::Deserialize(partition).Get(partition_column, read.type);
      mapping.columns.push_back(std::move(column));
      continue;
    }
    auto found = FindFileColumn(file_schema, file, read, read_schema);
    if (found) {
      column.kind = MappedColumn::Kind::kFile;
      column.file_type = found->type;
      column.needs_cast = !found->type.SameTypeAs(read.type);
      int known = FindField(mapping.file_fields, found->name);
      if (known < 0) {
        known = static_cast<int>(mapping.file_fields.size());
        DataField field = read;
        field.name = found->name;
        field.type = found->type;
        mapping.file_fields.push_back(std::move(field));
      }
      column.file_column = known;
    }
    mapping.columns.push_back(std::move(column));
  }
  return mapping;
}

PredicatePtr MapPredicate(const PredicatePtr& predicate, const TableSchema& file_schema, const TableSchema& read_schema) {
  if (!predicate) return nullptr;
  const std::vector<std::string>& keys = read_schema.partition_keys;
  if (file_schema.id == read_schema.id && keys.empty()) return predicate;
  return RenameColumns(predicate, [&](const std::string& name) -> std::optional<std::string> {
    // A file that was imported may hold a column of that name, which does not count.
    if (std::find(keys.begin(), keys.end(), name) != keys.end()) return std::nullopt;
    int position = FindField(read_schema.fields, name);
    if (position < 0) return std::nullopt;
    const DataField& read = read_schema.fields[static_cast<size_t>(position)];
    int in_file = FindFieldById(file_schema.fields, read.id);
    if (in_file < 0) return std::nullopt;
    const DataField& field = file_schema.fields[static_cast<size_t>(in_file)];
    if (!field.type.SameTypeAs(read.type)) return std::nullopt;
    return field.name;
  });
}

namespace {

// Statistics rows of a file, decoded once for several columns.
struct StatsRows {
  BinaryRow min, max;
  std::vector<DataField> fields;
};

StatsRows DecodeStats(const SimpleStats& stats, std::vector<DataField> fields) {
  StatsRows rows{BinaryRow::Deserialize(stats.min_values), BinaryRow::Deserialize(stats.max_values), std::move(fields)};
  if (rows.min.arity() != static_cast<int32_t>(rows.fields.size()) || rows.max.arity() != rows.min.arity()) rows.fields.clear();
  return rows;
}

ColumnRange RangeAt(const StatsRows& rows, const SimpleStats& stats, size_t position) {
  ColumnRange range;
  const DataType& type = rows.fields[position].type;
  if (stats.null_counts && position < stats.null_counts->size()) range.null_count = (*stats.null_counts)[position];
  if (!type.IsPrimitive()) return range;
  int32_t at = static_cast<int32_t>(position);
  if (!rows.min.IsNullAt(at)) range.min = rows.min.Get(at, type);
  if (!rows.max.IsNullAt(at)) range.max = rows.max.Get(at, type);
  return range;
}

bool IsSafeWidening(const DataType& from, const DataType& to) {
  if (from.SameTypeAs(to)) return true;
  if (from.IsInteger() && to.IsInteger()) return from.root() <= to.root();
  return from.root() == TypeRoot::kVarchar && to.root() == TypeRoot::kVarchar && from.length() <= to.length();
}

}  // namespace

RangeOf FileRanges(const TableSchema& file_schema, const DataFileMeta& file, const TableSchema& read_schema) {
  std::vector<DataField> stored;
  const std::vector<std::string>* names = file.value_stats_cols ? &*file.value_stats_cols
                                          : file.write_cols     ? &*file.write_cols
                                                                : nullptr;
  if (names) {
    for (const std::string& name : *names) {
      int position = FindField(file_schema.fields, name);
      if (position >= 0) {
        stored.push_back(file_schema.fields[static_cast<size_t>(position)]);
      } else {
        // Row-tracking columns (Format 8.1).
        stored.push_back(DataField{kRowIdId, name, DataType::BigInt()});
      }
    }
  } else {
    stored = file_schema.fields;
  }
  auto rows = std::make_shared<StatsRows>(DecodeStats(file.value_stats, std::move(stored)));
  return [rows, &file, &file_schema, &read_schema](const std::string& name) -> std::optional<ColumnRange> {
    int position = FindField(read_schema.fields, name);
    if (position < 0) return std::nullopt;
    const DataField& read = read_schema.fields[static_cast<size_t>(position)];
    int in_file = FindFieldById(file_schema.fields, read.id);
    if (in_file < 0 || !HasColumn(file, file_schema.fields[static_cast<size_t>(in_file)].name)) {
      ColumnRange all_null;
      all_null.null_count = file.row_count;
      return all_null;
    }
    int at = FindFieldById(rows->fields, read.id);
    if (at < 0) return std::nullopt;
    ColumnRange range = RangeAt(*rows, file.value_stats, static_cast<size_t>(at));
    const DataType& type = rows->fields[static_cast<size_t>(at)].type;
    if (!type.SameTypeAs(read.type)) {
      if (!IsSafeWidening(type, read.type)) {
        // A cast can make NULL of a value, never a value of NULL; nothing else is sure.
        return std::nullopt;
      }
    }
    return range;
  };
}

RangeOf KeyRanges(const TableSchema& schema, const DataFileMeta& file) {
  std::vector<DataField> keys = schema.KeyFields();
  auto min = std::make_shared<BinaryRow>(BinaryRow::Deserialize(file.min_key));
  auto max = std::make_shared<BinaryRow>(BinaryRow::Deserialize(file.max_key));
  auto stats = std::make_shared<StatsRows>(DecodeStats(file.key_stats, keys));
  auto fields = std::make_shared<std::vector<DataField>>(std::move(keys));
  return [=, &file](const std::string& name) -> std::optional<ColumnRange> {
    int at = FindField(*fields, name);
    if (at < 0) return std::nullopt;
    ColumnRange range;
    if (!stats->fields.empty()) range = RangeAt(*stats, file.key_stats, static_cast<size_t>(at));
    range.null_count = 0;
    if (at == 0 && min->arity() > 0 && max->arity() > 0) {
      // Exact, and never cut, unlike the statistics.
      const DataType& type = (*fields)[0].type;
      range.min = min->Get(0, type);
      range.max = max->Get(0, type);
    }
    return range;
  };
}

}  // namespace mica
