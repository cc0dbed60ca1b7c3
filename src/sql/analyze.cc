// ANALYZE TABLE (M-1206): one query over the table, and its answers as a statistics file.
#include "base/text.h"
#include "engine/duck_types.h"
#include "sql/attached_catalog.h"
#include "sql/errors.h"
#include "sql/session.h"
#include "table/scan.h"
#include "table/table_statistics.h"

namespace mica::sql {

namespace {

// Bytes of a value in memory: what stands for the length of types of one size.
int64_t FixedLength(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
    case TypeRoot::kTinyInt: return 1;
    case TypeRoot::kSmallInt: return 2;
    case TypeRoot::kInt:
    case TypeRoot::kFloat:
    case TypeRoot::kDate:
    case TypeRoot::kTime: return 4;
    case TypeRoot::kDecimal: return type.precision() <= 18 ? 8 : 16;
    default: return 8;
  }
}

std::vector<DataField> ColumnsToAnalyze(const dialect::Analyze& analyze, const Table& table) {
  std::vector<DataField> fields;
  if (analyze.all_columns) {
    fields = table.schema().fields;
  } else {
    for (const std::string& name : analyze.columns) {
      if (FindField(fields, name) >= 0) throw InvalidArgument("The column '{}' is named twice", name);
      fields.push_back(table.schema().Field(name));
    }
  }
  for (const DataField& field : fields) {
    if (!field.type.IsPrimitive() || field.type.root() == TypeRoot::kVariant || field.type.root() == TypeRoot::kBlob) {
      throw Unsupported("The column '{}' of type {} cannot be analyzed: name those that can, with FOR COLUMNS", field.name,
                        field.type.ToString());
    }
  }
  return fields;
}

bool HasLength(const DataType& type) { return type.IsString() || type.IsBinary(); }

// Six expressions a column, in the order that ReadColumn takes them.
std::string Expressions(const DataField& field) {
  std::string name = dialect::QuoteName(field.name);
  if (!HasLength(field.type)) {
    return fmt::format(", count({0}), approx_count_distinct({0}), min({0}), max({0}), NULL, NULL", name);
  }
  std::string length = field.type.IsString() ? "length(" + name + ")" : "octet_length(" + name + ")";
  return fmt::format(", count({0}), approx_count_distinct({0}), NULL, NULL, ceil(avg(CAST({1} AS DOUBLE))), max({1})", name, length);
}

std::optional<int64_t> Number(const duckdb::Value& value) {
  if (value.IsNull()) return std::nullopt;
  return value.DefaultCastAs(duckdb::LogicalType::BIGINT).GetValue<int64_t>();
}

std::optional<std::string> Text(const duckdb::Value& value, const DataType& type) {
  if (value.IsNull()) return std::nullopt;
  auto exact = FromDuckValue(value, type);
  if (!exact) return std::nullopt;
  return StatisticsText(*exact, type);
}

ColumnStatistics ReadColumn(const DataField& field, int64_t rows, const std::vector<duckdb::Value>& values, size_t at) {
  ColumnStatistics column;
  column.column_id = field.id;
  int64_t present = Number(values[at]).value_or(0);
  column.null_count = rows - present;
  // The count is an estimate, which can be above what is possible.
  column.distinct_count = std::min(present, Number(values[at + 1]).value_or(0));
  column.min = Text(values[at + 2], field.type);
  column.max = Text(values[at + 3], field.type);
  if (HasLength(field.type)) {
    column.average_length = Number(values[at + 4]).value_or(0);
    column.max_length = Number(values[at + 5]).value_or(0);
  } else {
    column.average_length = column.max_length = FixedLength(field.type);
  }
  return column;
}

}  // namespace

Session::ResultPtr Session::Execute(const dialect::Analyze& analyze) {
  RefuseInTransaction("ANALYZE TABLE");
  if (!analyze.partition.empty()) throw Unsupported("ANALYZE TABLE ... PARTITION is not supported: analyze the whole table");
  if (analyze.no_scan) throw Unsupported("ANALYZE TABLE ... NOSCAN is not supported: the statistics come from the rows");
  TableAddress address = Resolve(analyze.name);
  TablePtr table = address.Open();
  std::vector<DataField> fields = ColumnsToAnalyze(analyze, *table);
  auto snapshot = table->snapshots().Latest();
  if (!snapshot) return NoResult();

  std::string sql = "SELECT count(*)";
  for (const DataField& field : fields) sql += Expressions(field);
  sql += " FROM " + address.Sql();
  auto result = connection_->Query(sql);
  if (result->HasError()) throw FromDuck(result->GetErrorObject());
  std::vector<duckdb::Value> values;
  for (duckdb::idx_t c = 0; c < result->ColumnCount(); ++c) values.push_back(result->GetValue(c, 0));

  TableStatistics statistics;
  statistics.snapshot_id = snapshot->id;
  statistics.schema_id = table->schema().id;
  int64_t rows = values[0].GetValue<int64_t>();
  statistics.merged_record_count = rows;
  ScanRequest request;
  request.snapshot = snapshot;
  request.with_stats = false;
  int64_t stored_rows = 0, bytes = 0;
  for (const mica::Split& split : PlanScan(*table, request).splits) {
    bytes += split.bytes();
    for (const DataFileMeta& file : split.files) stored_rows += file.row_count;
  }
  statistics.merged_record_bytes =
      stored_rows == 0 ? 0
                       : static_cast<int64_t>(static_cast<double>(bytes) * static_cast<double>(rows) / static_cast<double>(stored_rows));
  for (size_t i = 0; i < fields.size(); ++i) {
    statistics.columns.emplace(fields[i].name, ReadColumn(fields[i], rows, values, 1 + 6 * i));
  }
  PublishStatistics(table, statistics, NewCommitSettings(*address.catalog));
  return NoResult();
}

}  // namespace mica::sql
