#include "sql/column_default.h"

#include <arrow/api.h>

#include "base/error.h"
#include "engine/duck_types.h"
#include "sql/arrow_vectors.h"
#include "types/arrow_types.h"
#include "types/column_default.h"
#include "types/nested_text.h"

namespace mica::sql {

namespace {

duckdb::Value ValueOfText(duckdb::ClientContext& context, const std::string& text, const DataField& field) {
  auto array = DefaultArray(text, field.type);
  BatchToVectors vectors(context, {field});
  vectors.Load(arrow::RecordBatch::Make(ToArrowSchema({field}), 1, {array}));
  duckdb::DataChunk chunk;
  chunk.Initialize(context, {ToDuckType(field.type)});
  vectors.Next(chunk);
  return chunk.GetValue(0, 0);
}

std::string NestedText(duckdb::ClientContext& context, const duckdb::Value& value, const DataField& field) {
  duckdb::DataChunk chunk;
  chunk.Initialize(context, {ToDuckType(field.type)});
  chunk.SetValue(0, 0, value);
  chunk.SetCardinality(1);
  constexpr int64_t kNoLimit = INT64_MAX;  // one value
  VectorsToBatch batches(context, {field}, kNoLimit);
  batches.Append(chunk);
  auto batch = batches.Take();
  std::string text;
  AppendText(*batch->column(0), 0, field.type, &text);
  return text;
}

// A struct whose fields have other names, or none, fills the row by position, as STRUCT(42, 'd') is meant.
duckdb::Value ByPosition(const duckdb::Value& value, const duckdb::LogicalType& type) {
  bool structs = type.id() == duckdb::LogicalTypeId::STRUCT && value.type().id() == duckdb::LogicalTypeId::STRUCT;
  if (value.IsNull() || !structs) return value;
  const auto& children = duckdb::StructValue::GetChildren(value);
  const auto& fields = duckdb::StructType::GetChildTypes(type);
  if (children.size() != fields.size()) return value;
  duckdb::child_list_t<duckdb::Value> renamed;
  for (size_t i = 0; i < children.size(); ++i) renamed.emplace_back(fields[i].first, ByPosition(children[i], fields[i].second));
  return duckdb::Value::STRUCT(std::move(renamed));
}

}  // namespace

duckdb::Value DefaultOf(duckdb::ClientContext& context, const DataField& field) {
  if (field.type.IsPrimitive()) return ToDuckValue(DefaultValue(*field.default_value, field.type), field.type);
  return ValueOfText(context, *field.default_value, field);
}

std::string DefaultText(duckdb::ClientContext& context, const duckdb::Value& given, const DataField& field) {
  if (given.IsNull()) return "null";
  if (field.type.IsPrimitive()) {
    std::string text = given.DefaultCastAs(duckdb::LogicalType::VARCHAR).GetValue<std::string>();
    CheckDefault(field.name, text, field.type);
    return text;
  }
  // Elements of nested types may be NULL whatever the column says, so it is the conversion that decides.
  DataField column = field;
  column.type = field.type.WithNullable(true);
  duckdb::Value value;
  std::string text;
  bool same = false;
  try {
    value = ByPosition(given, ToDuckType(column.type)).CastAs(context, ToDuckType(column.type));
    text = NestedText(context, value, column);
    same = duckdb::Value::NotDistinctFrom(ValueOfText(context, text, column), value);
  } catch (const Error&) {
    // Told below.
  } catch (const duckdb::Exception&) {
    // A value of another type.
  }
  if (!same) {
    throw InvalidArgument("The default {} of the column '{}' cannot be stored as '{}': texts inside ARRAY, MAP and STRUCT "
                          "defaults have no commas, brackets, quotes or blanks at their ends", given.ToString(), field.name,
                          field.type.ToString());
  }
  return text;
}

}  // namespace mica::sql
