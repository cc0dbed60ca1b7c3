// What the generators of dialect/generator_call.h are over: each gives an array of structs, a struct for a row that
// comes of it and a field for a column.
#include <duckdb/execution/expression_executor.hpp>
#include <duckdb/planner/expression/bound_case_expression.hpp>
#include <duckdb/planner/expression/bound_cast_expression.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>

#include "functions/function_entries.h"

namespace mica::sql {

namespace {

using duckdb::BinderException;
using duckdb::ClientContext;
using duckdb::DataChunk;
using duckdb::Expression;
using duckdb::ExpressionState;
using duckdb::FlatVector;
using duckdb::idx_t;
using duckdb::ListVector;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::StructVector;
using duckdb::Value;
using duckdb::Vector;
using ExpressionPtr = duckdb::unique_ptr<Expression>;
using Children = duckdb::vector<ExpressionPtr>;
using Fields = duckdb::child_list_t<LogicalType>;

constexpr idx_t kMaxStackRows = 10'000;

// How the elements of an array become the rows of another one.
struct RowShape : public duckdb::FunctionData {
  bool positions = false;  // a column that counts them from 0 comes first
  bool ordinals = false;   // a column that counts them from 1 comes last
  bool fields = false;     // the elements are structs whose fields become the columns

  duckdb::unique_ptr<FunctionData> Copy() const override { return duckdb::make_uniq<RowShape>(*this); }
  bool Equals(const FunctionData& other) const override {
    const auto& o = other.Cast<RowShape>();
    return positions == o.positions && ordinals == o.ordinals && fields == o.fields;
  }
};

// The elements stay where they are: only what lies around them is made.
void MakeRows(DataChunk& arguments, ExpressionState& state, Vector& result) {
  const auto& shape = state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<RowShape>();
  const bool constant = arguments.data[0].GetVectorType() == duckdb::VectorType::CONSTANT_VECTOR;
  const idx_t rows = constant ? 1 : arguments.size();
  Vector& source = arguments.data[0];
  source.Flatten(rows);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  FlatVector::SetValidity(result, FlatVector::Validity(source));
  const auto* from = FlatVector::GetData<duckdb::list_entry_t>(source);
  std::copy(from, from + rows, FlatVector::GetData<duckdb::list_entry_t>(result));
  const idx_t count = ListVector::GetListSize(source);
  Vector& elements = ListVector::GetEntry(source);
  elements.Flatten(count);
  ListVector::Reserve(result, count);
  ListVector::SetListSize(result, count);
  Vector& made = ListVector::GetEntry(result);
  made.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto& columns = StructVector::GetEntries(made);
  size_t at = 0;
  auto count_from = [&](int32_t first, Vector& column) {
    auto* numbers = FlatVector::GetData<int32_t>(column);
    for (idx_t row = 0; row < rows; ++row) {
      if (FlatVector::IsNull(source, row)) continue;
      for (idx_t i = 0; i < from[row].length; ++i) numbers[from[row].offset + i] = first + static_cast<int32_t>(i);
    }
  };
  if (shape.positions) count_from(0, *columns[at++]);
  if (shape.ordinals) count_from(1, *columns.back());
  if (shape.fields) {
    for (auto& field : StructVector::GetEntries(elements)) columns[at++]->Reference(*field);
  } else {
    columns[at]->Reference(elements);
  }
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

// The columns that the elements of an array or map give.
Fields ColumnsOf(const LogicalType& type, const char* function, RowShape* shape) {
  if (type.id() == LogicalTypeId::MAP) {
    shape->fields = true;
    return {{"key", duckdb::MapType::KeyType(type)}, {"value", duckdb::MapType::ValueType(type)}};
  }
  if (type.id() == LogicalTypeId::LIST) return {{"col", duckdb::ListType::GetChildType(type)}};
  throw BinderException("%s needs an array or a map, not %s", function, type.ToString());
}

// NULL of no type is an array without elements.
void TakeArray(duckdb::ScalarFunction& function, ExpressionPtr& argument) {
  const LogicalType& type = argument->return_type;
  const bool none = type.id() == LogicalTypeId::SQLNULL || type.id() == LogicalTypeId::UNKNOWN;
  function.arguments[0] = none ? LogicalType::LIST(LogicalType::INTEGER) : type;
}

duckdb::unique_ptr<duckdb::FunctionData> BindExplode(ClientContext&, duckdb::ScalarFunction& function,
                                                     Children& arguments) {
  auto shape = duckdb::make_uniq<RowShape>();
  TakeArray(function, arguments[0]);
  function.return_type =
      LogicalType::LIST(LogicalType::STRUCT(ColumnsOf(function.arguments[0], "explode", shape.get())));
  return shape;
}

duckdb::unique_ptr<duckdb::FunctionData> BindPosexplode(ClientContext&, duckdb::ScalarFunction& function,
                                                        Children& arguments) {
  auto shape = duckdb::make_uniq<RowShape>();
  TakeArray(function, arguments[0]);
  Fields columns = ColumnsOf(function.arguments[0], "posexplode", shape.get());
  columns.insert(columns.begin(), {"pos", LogicalType::INTEGER});
  shape->positions = true;
  function.return_type = LogicalType::LIST(LogicalType::STRUCT(std::move(columns)));
  return shape;
}

// UNNEST of Flink: structs give their fields, maps keys and values.
template <bool kOrdinals>
duckdb::unique_ptr<duckdb::FunctionData> BindUnnest(ClientContext&, duckdb::ScalarFunction& function,
                                                    Children& arguments) {
  auto shape = duckdb::make_uniq<RowShape>();
  TakeArray(function, arguments[0]);
  const LogicalType& type = function.arguments[0];
  Fields columns = ColumnsOf(type, "UNNEST", shape.get());
  if (type.id() == LogicalTypeId::LIST && columns[0].second.id() == LogicalTypeId::STRUCT) {
    shape->fields = true;
    columns = duckdb::StructType::GetChildTypes(duckdb::ListType::GetChildType(type));
  }
  shape->ordinals = kOrdinals;
  if (kOrdinals) columns.emplace_back("ordinality", LogicalType::INTEGER);
  function.return_type = LogicalType::LIST(LogicalType::STRUCT(std::move(columns)));
  return shape;
}

// Other names for the columns.
duckdb::unique_ptr<duckdb::FunctionData> BindNamed(ClientContext& context, duckdb::ScalarFunction& function,
                                                   Children& arguments) {
  auto shape = duckdb::make_uniq<RowShape>();
  shape->fields = true;
  const LogicalType& type = arguments[0]->return_type;
  function.arguments[0] = type;
  Fields columns = duckdb::StructType::GetChildTypes(duckdb::ListType::GetChildType(type));
  if (columns.size() != arguments.size() - 1) {
    throw BinderException(
        "The call gives %d columns, and %d names are given for them. Name all of them, as in "
        "AS (a, b), or none",
        columns.size(), arguments.size() - 1);
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    columns[i].first = duckdb::ExpressionExecutor::EvaluateScalar(context, *arguments[i + 1]).ToString();
  }
  function.return_type = LogicalType::LIST(LogicalType::STRUCT(std::move(columns)));
  return shape;
}

ExpressionPtr BindInline(duckdb::FunctionBindExpressionInput& input) {
  const LogicalType& type = input.children[0]->return_type;
  if (type.id() != LogicalTypeId::LIST || duckdb::ListType::GetChildType(type).id() != LogicalTypeId::STRUCT) {
    throw BinderException("inline needs an array of structs, not %s", type.ToString());
  }
  return std::move(input.children[0]);
}

ExpressionPtr StructOf(ClientContext& context, Children values, const char* prefix) {
  for (size_t i = 0; i < values.size(); ++i) values[i]->SetAlias(prefix + std::to_string(i));
  return CallSystem(context, "struct_pack", std::move(values));
}

// stack(2, a, b, c) is the rows (a, b) and (c, NULL).
ExpressionPtr BindStack(duckdb::FunctionBindExpressionInput& input) {
  auto& children = input.children;
  if (children.size() < 2 || !children[0]->IsFoldable())
    throw BinderException("stack needs a constant number of rows, and values");
  Value number = duckdb::ExpressionExecutor::EvaluateScalar(input.context, *children[0]);
  Value whole;
  const bool is_number = !number.IsNull() && number.DefaultTryCastAs(LogicalType::BIGINT, whole, nullptr);
  if (!is_number || whole.GetValue<int64_t>() < 1 || whole.GetValue<int64_t>() > int64_t{kMaxStackRows}) {
    throw BinderException("stack needs a number of rows from 1 to %d, not '%s'", kMaxStackRows, number.ToString());
  }
  const auto rows = static_cast<size_t>(whole.GetValue<int64_t>());
  const size_t width = (children.size() - 1 + rows - 1) / rows;
  duckdb::vector<LogicalType> types(width, LogicalType::SQLNULL);
  for (size_t i = 1; i < children.size(); ++i) {
    LogicalType& type = types[(i - 1) % width];
    type = LogicalType::MaxLogicalType(input.context, type, children[i]->return_type);
  }
  Children structs;
  for (size_t row = 0; row < rows; ++row) {
    Children values;
    for (size_t column = 0; column < width; ++column) {
      const size_t at = 1 + row * width + column;
      ExpressionPtr value =
          at < children.size() ? std::move(children[at]) : duckdb::make_uniq<duckdb::BoundConstantExpression>(Value());
      values.push_back(duckdb::BoundCastExpression::AddCastToType(input.context, std::move(value), types[column]));
    }
    structs.push_back(StructOf(input.context, std::move(values), "col"));
  }
  return CallSystem(input.context, "list_value", std::move(structs));
}

// json_tuple(s, 'a', 'b') is one row of what stands under the keys; NULLs where the text is no JSON.
ExpressionPtr BindJsonTuple(duckdb::FunctionBindExpressionInput& input) {
  auto& children = input.children;
  if (children.size() < 2) throw BinderException("json_tuple needs a text and keys");
  ExpressionPtr text =
      duckdb::BoundCastExpression::AddCastToType(input.context, std::move(children[0]), LogicalType::VARCHAR);
  Children values;
  for (size_t i = 1; i < children.size(); ++i) {
    if (!children[i]->IsFoldable()) throw BinderException("json_tuple needs constant keys");
    const std::string key = duckdb::ExpressionExecutor::EvaluateScalar(input.context, *children[i]).ToString();
    Children valid, extract;
    valid.push_back(text->Copy());
    extract.push_back(text->Copy());
    extract.push_back(duckdb::make_uniq<duckdb::BoundConstantExpression>(Value("$.\"" + key + "\"")));
    values.push_back(duckdb::make_uniq<duckdb::BoundCaseExpression>(
        CallSystem(input.context, "json_valid", std::move(valid)),
        CallSystem(input.context, "json_extract_string", std::move(extract)),
        duckdb::make_uniq<duckdb::BoundConstantExpression>(Value(LogicalType::VARCHAR))));
  }
  Children structs;
  structs.push_back(StructOf(input.context, std::move(values), "c"));
  return CallSystem(input.context, "list_value", std::move(structs));
}

// One value of several, NULL where one of them is: what count(DISTINCT a, b) counts.
void MakeTuple(DataChunk& arguments, ExpressionState&, Vector& result) {
  const idx_t rows = arguments.size();
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto& parts = StructVector::GetEntries(result);
  for (size_t i = 0; i < parts.size(); ++i) duckdb::VectorOperations::Copy(arguments.data[i], *parts[i], rows, 0, 0);
  for (Vector& argument : arguments.data) {
    duckdb::UnifiedVectorFormat format;
    argument.ToUnifiedFormat(rows, format);
    if (format.validity.AllValid()) continue;
    for (idx_t row = 0; row < rows; ++row) {
      if (!format.validity.RowIsValid(format.sel->get_index(row))) FlatVector::SetNull(result, row, true);
    }
  }
  if (arguments.AllConstant()) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

duckdb::unique_ptr<duckdb::FunctionData> BindTuple(ClientContext&, duckdb::ScalarFunction& function,
                                                   Children& arguments) {
  Fields fields;
  for (size_t i = 0; i < arguments.size(); ++i) {
    function.arguments.push_back(arguments[i]->return_type);
    fields.emplace_back("c" + std::to_string(i), arguments[i]->return_type);
  }
  function.varargs = LogicalType::INVALID;
  function.return_type = LogicalType::STRUCT(std::move(fields));
  return nullptr;
}

duckdb::ScalarFunctionSet Function(duckdb::vector<LogicalType> arguments, duckdb::scalar_function_t run,
                                   duckdb::bind_scalar_function_t bind, bool more = false) {
  duckdb::ScalarFunction function(std::move(arguments), LogicalType::ANY, run, bind);
  if (more) function.varargs = LogicalType::ANY;
  function.null_handling = duckdb::FunctionNullHandling::SPECIAL_HANDLING;
  duckdb::ScalarFunctionSet set;
  set.AddFunction(std::move(function));
  return set;
}

}  // namespace

duckdb::ScalarFunctionSet GeneratorFunctions(const std::string& name, dialect::Dialect) {
  if (name == "mica_explode") return Function({LogicalType::ANY}, MakeRows, BindExplode);
  if (name == "mica_posexplode") return Function({LogicalType::ANY}, MakeRows, BindPosexplode);
  if (name == "mica_unnest") return Function({LogicalType::ANY}, MakeRows, BindUnnest<false>);
  if (name == "mica_unnest_counted") return Function({LogicalType::ANY}, MakeRows, BindUnnest<true>);
  if (name == "mica_named") return Function({LogicalType::ANY}, MakeRows, BindNamed, /*more=*/true);
  if (name == "mica_inline") return BoundFunction(BindInline, 1);
  if (name == "mica_stack") return BoundFunction(BindStack, 1, /*more=*/true);
  if (name == "mica_json_tuple") return BoundFunction(BindJsonTuple, 1, /*more=*/true);
  if (name == "mica_tuple") return Function({}, MakeTuple, BindTuple, /*more=*/true);
  return duckdb::ScalarFunctionSet();
}

}  // namespace mica::sql
