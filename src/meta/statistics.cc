#include "meta/statistics.h"

#include "base/error.h"
#include "base/json.h"

namespace mica {

namespace {

Json ColumnJson(const ColumnStatistics& column) {
  Json json = Json::object();
  auto put = [&](const char* key, const auto& value) {
    if (value) json[key] = *value;
  };
  json["colId"] = column.column_id;
  put("distinctCount", column.distinct_count);
  put("min", column.min);
  put("max", column.max);
  put("nullCount", column.null_count);
  put("avgLen", column.average_length);
  put("maxLen", column.max_length);
  return json;
}

Json ColumnsObject(const TableStatistics& statistics) {
  Json columns = Json::object();
  for (const auto& [name, column] : statistics.columns) columns[name] = ColumnJson(column);
  return columns;
}

}  // namespace

TableStatistics TableStatistics::FromJson(std::string_view text, std::string_view what) {
  Json json = ParseJson(text, what);
  if (!json.is_object()) throw Corrupt("The statistics '{}' are not a JSON object", what);
  TableStatistics statistics;
  statistics.snapshot_id = GetKey<int64_t>(json, "snapshotId");
  statistics.schema_id = GetKey<int64_t>(json, "schemaId");
  statistics.merged_record_count = GetOptional<int64_t>(json, "mergedRecordCount");
  statistics.merged_record_bytes = GetOptional<int64_t>(json, "mergedRecordSize");
  const Json* columns = FindKey(json, "colStats");
  if (columns == nullptr) return statistics;
  if (!columns->is_object()) throw Corrupt("The value of key 'colStats' in '{}' is not an object", what);
  for (const auto& [name, item] : columns->items()) {
    ColumnStatistics column;
    column.column_id = GetKey<int32_t>(item, "colId");
    column.distinct_count = GetOptional<int64_t>(item, "distinctCount");
    column.min = GetOptional<std::string>(item, "min");
    column.max = GetOptional<std::string>(item, "max");
    column.null_count = GetOptional<int64_t>(item, "nullCount");
    column.average_length = GetOptional<int64_t>(item, "avgLen");
    column.max_length = GetOptional<int64_t>(item, "maxLen");
    statistics.columns.emplace(name, std::move(column));
  }
  return statistics;
}

std::string TableStatistics::ToJson() const {
  Json json = Json::object();
  json["snapshotId"] = snapshot_id;
  json["schemaId"] = schema_id;
  if (merged_record_count) json["mergedRecordCount"] = *merged_record_count;
  if (merged_record_bytes) json["mergedRecordSize"] = *merged_record_bytes;
  json["colStats"] = ColumnsObject(*this);
  return PrettyJson(json);
}

std::string TableStatistics::ColumnsJson() const { return PrettyJson(ColumnsObject(*this)); }

std::string StatisticsText(const Value& value, const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kDate:
    case TypeRoot::kTime: return std::to_string(std::get<int64_t>(value));
    // The instant in UTC, whatever the zone of the process.
    case TypeRoot::kTimestampLtz: return ValueToString(value, DataType::Timestamp(type.precision()));
    default: return ValueToString(value, type);
  }
}

}  // namespace mica
