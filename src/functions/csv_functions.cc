// Lines of CSV as structs, structs as lines, and the schema of a line, as in Spark.
#include <duckdb/execution/expression_executor.hpp>
#include <duckdb/planner/expression/bound_case_expression.hpp>
#include <duckdb/planner/expression/bound_cast_expression.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>
#include <duckdb/planner/expression/bound_operator_expression.hpp>

#include "functions/function_entries.h"
#include "functions/plain_column.h"

namespace mica::sql {

namespace {

using duckdb::DataChunk;
using duckdb::Expression;
using duckdb::ExpressionState;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::string_t;
using duckdb::StringVector;
using duckdb::Value;
using duckdb::Vector;

// ---- from_csv ----

// The values of a line, parted by commas; what stands in double quotes may hold commas, and "" there is one quote. A
// value without characters is none.
void SplitCsv(std::string_view line, std::vector<std::optional<std::string>>* values) {
  values->clear();
  size_t at = 0;
  while (true) {
    std::string value;
    bool given = false;
    if (at < line.size() && line[at] == '"') {
      given = true;
      for (++at; at < line.size(); ++at) {
        if (line[at] == '"' && !(at + 1 < line.size() && line[at + 1] == '"')) break;
        if (line[at] == '"') ++at;
        value += line[at];
      }
      at = std::min(at + 1, line.size());
    }
    const size_t comma = std::min(line.find(',', at), line.size());
    value += line.substr(at, comma - at);
    values->push_back(given || !value.empty() ? std::optional(std::move(value)) : std::nullopt);
    if (comma == line.size()) return;
    at = comma + 1;
  }
}

void CsvValues(DataChunk& arguments, ExpressionState&, Vector& result) {
  std::vector<std::optional<std::string>> values;
  duckdb::UnaryExecutor::Execute<string_t, duckdb::list_entry_t>(
      arguments.data[0], result, arguments.size(), [&](string_t line) {
        SplitCsv({line.GetData(), line.GetSize()}, &values);
        const duckdb::list_entry_t entry(duckdb::ListVector::GetListSize(result), values.size());
        for (const auto& value : values) {
          duckdb::ListVector::PushBack(result, value ? Value(*value) : Value(LogicalType::VARCHAR));
        }
        return entry;
      });
}

// from_csv(line, type): a struct of the values, each NULL where it is no value of its column's type.
duckdb::unique_ptr<Expression> FromCsv(duckdb::FunctionBindExpressionInput& input) {
  auto& children = input.children;
  if (!children[1]->IsFoldable()) throw duckdb::BinderException("The columns of from_csv have to be a constant text");
  const Value text = duckdb::ExpressionExecutor::EvaluateScalar(input.context, *children[1]);
  const LogicalType type = duckdb::TransformStringToLogicalType(text.ToString(), input.context);
  if (type.id() != LogicalTypeId::STRUCT) {
    throw duckdb::BinderException("from_csv gives a struct: name its columns, as in 'a INT, b STRING'");
  }
  duckdb::ScalarFunction split("mica_csv_values", {LogicalType::VARCHAR}, LogicalType::LIST(LogicalType::VARCHAR),
                               CsvValues);
  duckdb::vector<duckdb::unique_ptr<Expression>> line;
  line.push_back(
      duckdb::BoundCastExpression::AddCastToType(input.context, std::move(children[0]), LogicalType::VARCHAR));
  auto absent = duckdb::make_uniq<duckdb::BoundOperatorExpression>(duckdb::ExpressionType::OPERATOR_IS_NULL,
                                                                   LogicalType::BOOLEAN);
  absent->children.push_back(line[0]->Copy());
  auto values = duckdb::make_uniq<duckdb::BoundFunctionExpression>(LogicalType::LIST(LogicalType::VARCHAR),
                                                                   std::move(split), std::move(line), nullptr);
  duckdb::vector<duckdb::unique_ptr<Expression>> fields;
  for (idx_t i = 0; i < duckdb::StructType::GetChildCount(type); ++i) {
    duckdb::vector<duckdb::unique_ptr<Expression>> place;
    place.push_back(values->Copy());
    place.push_back(duckdb::make_uniq<duckdb::BoundConstantExpression>(Value::BIGINT(static_cast<int64_t>(i + 1))));
    auto value = CallSystem(input.context, "list_extract", std::move(place));
    fields.push_back(duckdb::BoundCastExpression::AddCastToType(input.context, std::move(value),
                                                                duckdb::StructType::GetChildType(type, i), true));
    fields.back()->SetAlias(duckdb::StructType::GetChildName(type, i));
  }
  auto row = CallSystem(input.context, "struct_pack", std::move(fields));
  auto none = duckdb::make_uniq<duckdb::BoundConstantExpression>(Value(row->return_type));
  return duckdb::make_uniq<duckdb::BoundCaseExpression>(std::move(absent), std::move(none), std::move(row));
}

// ---- to_csv ----

// In quotes where it would not be read back as it is; a quote inside is escaped.
void AppendCsv(std::string_view text, std::string* out) {
  const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  text = first == std::string_view::npos ? std::string_view() : text.substr(first, last + 1 - first);
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos) {
    *out += text;
    return;
  }
  *out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') *out += '\\';
    *out += c;
  }
  *out += '"';
}

void ToCsv(DataChunk& arguments, ExpressionState&, Vector& result) {
  const idx_t rows = arguments.size();
  const bool constant = arguments.AllConstant();
  Vector& structs = arguments.data[0];
  structs.Flatten(rows);
  std::vector<PlainColumn> columns;
  for (auto& field : duckdb::StructVector::GetEntries(structs)) columns.emplace_back(*field, rows);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  std::string line, value;
  for (idx_t row = 0; row < rows; ++row) {
    if (duckdb::FlatVector::IsNull(structs, row)) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    line.clear();
    for (size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) line += ',';
      if (columns[i].IsNull(row)) continue;
      value.clear();
      columns[i].Append(row, &value);
      AppendCsv(value, &line);
    }
    duckdb::FlatVector::GetData<string_t>(result)[row] = StringVector::AddString(result, line);
  }
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

duckdb::unique_ptr<Expression> BindToCsv(duckdb::FunctionBindExpressionInput& input) {
  const LogicalType& type = input.children[0]->return_type;
  if (type.id() != LogicalTypeId::STRUCT) throw duckdb::BinderException("to_csv is for structs");
  for (const auto& [name, field] : duckdb::StructType::GetChildTypes(type)) {
    if (field.IsNested())
      throw duckdb::BinderException("to_csv has no place for the type of '%s': %s", name, field.ToString());
  }
  duckdb::ScalarFunction function("mica_to_csv", {type}, LogicalType::VARCHAR, ToCsv);
  function.null_handling = duckdb::FunctionNullHandling::SPECIAL_HANDLING;
  return duckdb::make_uniq<duckdb::BoundFunctionExpression>(LogicalType::VARCHAR, std::move(function),
                                                            std::move(input.children), nullptr);
}

// ---- schema_of_csv ----

bool IsOf(const std::string& text, const LogicalType& type) {
  return Value(text).DefaultTryCastAs(type, /*strict=*/true);
}

std::string CsvTypeName(const std::optional<std::string>& value) {
  constexpr size_t kMostDigits = 38;
  if (!value) return "STRING";
  const std::string& text = *value;
  const size_t begin = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const size_t digits = text.size() - begin;
  if (digits > 0 && text.find_first_not_of("0123456789", begin) == std::string::npos) {
    const std::string number = text.substr(text[0] == '+' ? 1 : 0);
    if (IsOf(number, LogicalType::INTEGER)) return "INT";
    if (IsOf(number, LogicalType::BIGINT)) return "BIGINT";
    return digits <= kMostDigits ? fmt::format("DECIMAL({},0)", digits) : "DOUBLE";
  }
  if (IsOf(text, LogicalType::DOUBLE)) return "DOUBLE";
  if (IsOf(text, LogicalType::DATE)) return "DATE";
  if (IsOf(text, LogicalType::TIMESTAMP_TZ) || IsOf(text, LogicalType::TIMESTAMP)) return "TIMESTAMP";
  const std::string lower = duckdb::StringUtil::Lower(text);
  return lower == "true" || lower == "false" ? "BOOLEAN" : "STRING";
}

duckdb::unique_ptr<Expression> SchemaOfCsv(duckdb::FunctionBindExpressionInput& input) {
  std::vector<std::optional<std::string>> values;
  SplitCsv(ConstantText(input, "schema_of_csv"), &values);
  std::string fields;
  for (size_t i = 0; i < values.size(); ++i) {
    fields += fmt::format("{}_c{}: {}", i == 0 ? "" : ", ", i, CsvTypeName(values[i]));
  }
  return duckdb::make_uniq<duckdb::BoundConstantExpression>(Value("STRUCT<" + fields + ">"));
}

}  // namespace

duckdb::ScalarFunctionSet CsvFunctions(const std::string& name, dialect::Dialect) {
  if (name == "from_csv") return BoundFunction(FromCsv, 2);
  if (name == "to_csv") return BoundFunction(BindToCsv, 1);
  if (name == "schema_of_csv") return BoundFunction(SchemaOfCsv, 1);
  return duckdb::ScalarFunctionSet();
}

}  // namespace mica::sql
