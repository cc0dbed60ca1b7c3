// Values as JSON text as Spark writes it, and lines of CSV as structs.
#include <cmath>

#include <duckdb/common/types/blob.hpp>
#include <duckdb/planner/expression/bound_cast_expression.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>

#include "sql/errors.h"
#include "sql/function_entries.h"
#include "types/number_text.h"
#include "types/time_pattern.h"

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
using duckdb::UnifiedVectorFormat;
using duckdb::Value;
using duckdb::Vector;

void AppendQuoted(std::string_view text, std::string* out) {
  static constexpr std::string_view kEscaped = "\b\t\n\f\r\"\\", kLetters = "btnfr\"\\";
  *out += '"';
  for (char c : text) {
    const size_t at = kEscaped.find(c);
    if (at != std::string_view::npos) {
      *out += '\\';
      *out += kLetters[at];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(*out), "\\u{:04X}", static_cast<unsigned>(c));
    } else {
      *out += c;
    }
  }
  *out += '"';
}

// A column of any type and the way to write its values. Fields of structs that are NULL are left out.
class JsonColumn {
 public:
  JsonColumn(Vector& column, idx_t count) : type_(column.GetType()) {
    switch (type_.id()) {
      case LogicalTypeId::STRUCT:
        if (column.GetVectorType() != duckdb::VectorType::FLAT_VECTOR) column.Flatten(count);
        for (auto& field : duckdb::StructVector::GetEntries(column)) parts_.emplace_back(*field, count);
        break;
      case LogicalTypeId::LIST:
        parts_.emplace_back(duckdb::ListVector::GetEntry(column), duckdb::ListVector::GetListSize(column));
        break;
      case LogicalTypeId::MAP: {
        const idx_t entries = duckdb::ListVector::GetListSize(column);
        parts_.emplace_back(duckdb::MapVector::GetKeys(column), entries);
        parts_.emplace_back(duckdb::MapVector::GetValues(column), entries);
        break;
      }
      default:
        if (!IsSpelled(type_)) {
          text_ = std::make_unique<Vector>(LogicalType::VARCHAR, count);
          duckdb::VectorOperations::DefaultCast(column, *text_, count);
          text_->ToUnifiedFormat(count, format_);
          return;
        }
    }
    column.ToUnifiedFormat(count, format_);
  }

  bool IsNull(idx_t row) const { return !format_.validity.RowIsValid(format_.sel->get_index(row)); }

  void Append(idx_t row, std::string* out) const {
    if (IsNull(row)) {
      *out += "null";
      return;
    }
    const idx_t at = format_.sel->get_index(row);
    switch (type_.id()) {
      case LogicalTypeId::STRUCT:
        return AppendFields(at, out);
      case LogicalTypeId::LIST: {
        const auto entry = Get<duckdb::list_entry_t>(at);
        *out += '[';
        for (idx_t i = 0; i < entry.length; ++i) {
          if (i > 0) *out += ',';
          parts_[0].Append(entry.offset + i, out);
        }
        *out += ']';
        return;
      }
      case LogicalTypeId::MAP: {
        const auto entry = Get<duckdb::list_entry_t>(at);
        *out += '{';
        for (idx_t i = 0; i < entry.length; ++i) {
          if (i > 0) *out += ',';
          parts_[0].AppendKey(entry.offset + i, out);
          *out += ':';
          parts_[1].Append(entry.offset + i, out);
        }
        *out += '}';
        return;
      }
      case LogicalTypeId::FLOAT:
        return AppendNumber(Get<float>(at), FloatToString(Get<float>(at)), out);
      case LogicalTypeId::DOUBLE:
        return AppendNumber(Get<double>(at), DoubleToString(Get<double>(at)), out);
      case LogicalTypeId::VARCHAR:
        return AppendQuoted(Text(at), out);
      case LogicalTypeId::BLOB:
        return AppendQuoted(duckdb::Blob::ToBase64(UnifiedVectorFormat::GetData<string_t>(format_)[at]), out);
      case LogicalTypeId::TIMESTAMP:
      case LogicalTypeId::TIMESTAMP_TZ: {
        static const TimePattern pattern("yyyy-MM-dd'T'HH:mm:ss.SSS");
        *out += '"';
        pattern.Append(Get<int64_t>(at), out);
        *out += type_.id() == LogicalTypeId::TIMESTAMP_TZ ? "Z\"" : "\"";
        return;
      }
      default:
        if (!type_.IsNumeric() && type_.id() != LogicalTypeId::BOOLEAN) return AppendQuoted(Text(at), out);
        *out += Text(at);
    }
  }

 private:
  // Types whose values are not written as the engine's cast writes them.
  static bool IsSpelled(const LogicalType& type) {
    switch (type.id()) {
      case LogicalTypeId::FLOAT:
      case LogicalTypeId::DOUBLE:
      case LogicalTypeId::VARCHAR:
      case LogicalTypeId::BLOB:
      case LogicalTypeId::TIMESTAMP:
      case LogicalTypeId::TIMESTAMP_TZ:
        return true;
      default:
        return false;
    }
  }

  template <typename T>
  T Get(idx_t at) const {
    return UnifiedVectorFormat::GetData<T>(format_)[at];
  }
  std::string_view Text(idx_t at) const {
    const string_t& text = UnifiedVectorFormat::GetData<string_t>(format_)[at];
    return {text.GetData(), text.GetSize()};
  }

  static void AppendNumber(double value, const std::string& text, std::string* out) {
    if (std::isfinite(value))
      *out += text;
    else
      AppendQuoted(text, out);
  }

  void AppendFields(idx_t at, std::string* out) const {
    char before = '{';
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].IsNull(at)) continue;
      *out += before;
      before = ',';
      AppendQuoted(duckdb::StructType::GetChildName(type_, i), out);
      *out += ':';
      parts_[i].Append(at, out);
    }
    *out += before == '{' ? "{}" : "}";
  }

  // A name has to be a text.
  void AppendKey(idx_t row, std::string* out) const {
    std::string key;
    Append(row, &key);
    if (key.starts_with('"'))
      *out += key;
    else
      AppendQuoted(key, out);
  }

  LogicalType type_;
  UnifiedVectorFormat format_;
  std::unique_ptr<Vector> text_;  // values that a cast has written
  std::vector<JsonColumn> parts_;
};

void ToJson(DataChunk& arguments, ExpressionState&, Vector& result) {
  const idx_t rows = arguments.size();
  const bool constant = arguments.AllConstant();
  const JsonColumn column(arguments.data[0], rows);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  std::string text;
  for (idx_t row = 0; row < rows; ++row) {
    if (column.IsNull(row)) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    text.clear();
    column.Append(row, &text);
    duckdb::FlatVector::GetData<string_t>(result)[row] = StringVector::AddString(result, text);
  }
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

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

}  // namespace

duckdb::ScalarFunctionSet DocumentFunctions(const std::string& name, dialect::Dialect) {
  if (name == "from_csv") return BoundFunction(FromCsv, 2);
  duckdb::ScalarFunctionSet set;
  if (name == "to_json") set.AddFunction(duckdb::ScalarFunction({LogicalType::ANY}, LogicalType::VARCHAR, ToJson));
  return set;
}

}  // namespace mica::sql
