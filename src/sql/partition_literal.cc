#include "sql/partition_literal.h"

#include "engine/duck_types.h"

namespace mica::sql {

namespace {

// The text in UTC when it is an instant of the session's zone, otherwise the text itself.
std::string UtcText(duckdb::ClientContext& context, const std::string& text, const DataType& type) {
  if (type.root() != TypeRoot::kTimestampLtz) return text;
  duckdb::Value instant;
  std::string problem;
  if (!duckdb::Value(text).TryCastAs(context, duckdb::LogicalType::TIMESTAMP_TZ, instant, &problem)) return text;
  return duckdb::Value::TIMESTAMP(duckdb::timestamp_t(instant.GetValueUnsafe<int64_t>())).ToString();
}

}  // namespace

Value PartitionLiteral(duckdb::ClientContext& context, const std::string& text, const DataType& type,
                       const PartitionNaming& naming) {
  return ParsePartitionValue(UtcText(context, text, type), type, naming);
}

dialect::PartitionSpec InUtc(duckdb::ClientContext& context, dialect::PartitionSpec spec, const TableSchema& schema) {
  for (auto& item : spec) {
    const int at = FindField(schema.fields, item.column);
    if (at < 0 || !item.value || item.value->kind == dialect::Literal::Kind::kNull) continue;
    item.value->text = UtcText(context, item.value->text, schema.fields[static_cast<size_t>(at)].type);
  }
  return spec;
}

std::string InstantText(duckdb::ClientContext& context, const Value& instant) {
  const duckdb::Value value = ToDuckValue(instant, DataType::TimestampLtz(6));
  std::string text = value.CastAs(context, duckdb::LogicalType::VARCHAR).GetValue<std::string>();
  text.resize(text.find_last_of("+-"));  // the zone's offset
  return text;
}

}  // namespace mica::sql
