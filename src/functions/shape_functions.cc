// Functions over arrays, maps, structs and any number of arguments: each is bound to an expression of DuckDB's own
// functions that its arguments' types choose.
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

#include <duckdb/planner/expression/bound_case_expression.hpp>
#include <duckdb/planner/expression/bound_cast_expression.hpp>
#include <duckdb/planner/expression/bound_conjunction_expression.hpp>
#include <duckdb/planner/expression/bound_operator_expression.hpp>

#include "engine/duck_types.h"
#include "engine/guard.h"
#include "functions/function_entries.h"

namespace mica::sql {

namespace {

using duckdb::ClientContext;
using duckdb::Expression;
using duckdb::ExpressionType;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::Value;
using Children = duckdb::vector<duckdb::unique_ptr<Expression>>;
using ExpressionPtr = duckdb::unique_ptr<Expression>;

ExpressionPtr Constant(Value value) {
  return duckdb::make_uniq<duckdb::BoundConstantExpression>(std::move(value));
}

ExpressionPtr Cast(ClientContext& context, ExpressionPtr value, const LogicalType& type) {
  return duckdb::BoundCastExpression::AddCastToType(context, std::move(value), type);
}

template <typename... Parts>
Children Of(Parts&&... parts) {
  Children children;
  (children.push_back(std::forward<Parts>(parts)), ...);
  return children;
}

ExpressionPtr IsNull(ExpressionPtr value) {
  auto result =
      duckdb::make_uniq<duckdb::BoundOperatorExpression>(ExpressionType::OPERATOR_IS_NULL, LogicalType::BOOLEAN);
  result->children.push_back(std::move(value));
  return result;
}

ExpressionPtr If(ExpressionPtr condition, ExpressionPtr then, ExpressionPtr otherwise) {
  return duckdb::make_uniq<duckdb::BoundCaseExpression>(std::move(condition), std::move(then), std::move(otherwise));
}

bool IsList(const Expression& value) {
  return value.return_type.id() == LogicalTypeId::LIST || value.return_type.id() == LogicalTypeId::ARRAY;
}
bool IsMap(const Expression& value) {
  return value.return_type.id() == LogicalTypeId::MAP;
}

void Need(bool holds, const char* sentence) {
  if (!holds) throw duckdb::BinderException(sentence);
}

ExpressionPtr Concat(duckdb::FunctionBindExpressionInput& input) {
  if (input.children.empty()) return Constant(Value(""));
  bool lists = IsList(*input.children[0]);
  ExpressionPtr result;
  for (auto& child : input.children) {
    ExpressionPtr part = lists ? std::move(child) : Cast(input.context, std::move(child), LogicalType::VARCHAR);
    result = result ? CallSystem(input.context, "||", Of(std::move(result), std::move(part)), true) : std::move(part);
  }
  return result;
}

// Arrays among the arguments are joined first; one that is empty would leave a separator too many, so NULL stands for
// it.
ExpressionPtr ConcatWs(duckdb::FunctionBindExpressionInput& input) {
  Need(!input.children.empty(), "concat_ws needs a separator");
  Children parts;
  for (size_t i = 0; i < input.children.size(); ++i) {
    auto& child = input.children[i];
    if (i == 0 || !IsList(*child)) {
      parts.push_back(Cast(input.context, std::move(child), LogicalType::VARCHAR));
      continue;
    }
    auto none = CallSystem(input.context, "len", Of(child->Copy()));
    auto empty = duckdb::make_uniq<duckdb::BoundComparisonExpression>(ExpressionType::COMPARE_EQUAL, std::move(none),
                                                                      Constant(Value::BIGINT(0)));
    auto texts = Cast(input.context, std::move(child), LogicalType::LIST(LogicalType::VARCHAR));
    auto joined = CallSystem(input.context, "list_aggregate",
                             Of(std::move(texts), Constant(Value("string_agg")), parts[0]->Copy()));
    parts.push_back(If(std::move(empty), Constant(Value(LogicalType::VARCHAR)), std::move(joined)));
  }
  if (parts.size() == 1) parts.push_back(Constant(Value(LogicalType::VARCHAR)));
  return CallSystem(input.context, "concat_ws", std::move(parts));
}

ExpressionPtr Reverse(duckdb::FunctionBindExpressionInput& input) {
  if (!IsList(*input.children[0])) return CallSystem(input.context, "reverse", std::move(input.children));
  auto count = CallSystem(input.context, "len", Of(input.children[0]->Copy()));
  auto down =
      CallSystem(input.context, "range", Of(std::move(count), Constant(Value::BIGINT(0)), Constant(Value::BIGINT(-1))));
  return CallSystem(input.context, "list_select", Of(std::move(input.children[0]), std::move(down)));
}

ExpressionPtr Length(ClientContext& context, ExpressionPtr value) {
  bool map = IsMap(*value);
  Need(map || IsList(*value) || value->return_type.id() == LogicalTypeId::SQLNULL, "size is for arrays and maps");
  return Cast(context, CallSystem(context, map ? "cardinality" : "len", Of(std::move(value))), LogicalType::INTEGER);
}

ExpressionPtr Size(duckdb::FunctionBindExpressionInput& input) {
  auto absent = IsNull(input.children[0]->Copy());
  return If(std::move(absent), Constant(Value::INTEGER(-1)), Length(input.context, std::move(input.children[0])));
}

ExpressionPtr Cardinality(duckdb::FunctionBindExpressionInput& input) {
  return Length(input.context, std::move(input.children[0]));
}

ExpressionPtr ElementAt(duckdb::FunctionBindExpressionInput& input) {
  bool map = IsMap(*input.children[0]);
  Need(map || IsList(*input.children[0]), "element_at is for arrays and maps");
  return CallSystem(input.context, map ? "map_extract_value" : "list_extract", std::move(input.children));
}

// a[n] of Spark counts from 0; below that there is nothing.
ExpressionPtr ArrayExtract(duckdb::FunctionBindExpressionInput& input) {
  if (!IsList(*input.children[0])) return CallSystem(input.context, "array_extract", std::move(input.children));
  auto index = Cast(input.context, std::move(input.children[1]), LogicalType::BIGINT);
  auto below = duckdb::make_uniq<duckdb::BoundComparisonExpression>(ExpressionType::COMPARE_LESSTHAN, index->Copy(),
                                                                    Constant(Value::BIGINT(0)));
  auto next = CallSystem(input.context, "+", Of(std::move(index), Constant(Value::BIGINT(1))), true);
  auto place = If(std::move(below), Constant(Value(LogicalType::BIGINT)), std::move(next));
  return CallSystem(input.context, "list_extract", Of(std::move(input.children[0]), std::move(place)));
}

ExpressionPtr MapOf(duckdb::FunctionBindExpressionInput& input) {
  Children keys, values;
  // DuckDB's own form: map(keys, values).
  if (input.children.size() == 2 && IsList(*input.children[0]) && IsList(*input.children[1])) {
    return CallSystem(input.context, "map", std::move(input.children));
  }
  Need(input.children.size() % 2 == 0, "map needs keys and values in turn");
  for (size_t i = 0; i < input.children.size(); ++i)
    (i % 2 == 0 ? keys : values).push_back(std::move(input.children[i]));
  auto key_list = CallSystem(input.context, "list_value", std::move(keys));
  auto value_list = CallSystem(input.context, "list_value", std::move(values));
  return CallSystem(input.context, "map", Of(std::move(key_list), std::move(value_list)));
}

ExpressionPtr NamedStruct(duckdb::FunctionBindExpressionInput& input) {
  Need(!input.children.empty() && input.children.size() % 2 == 0, "named_struct needs names and values in turn");
  Children values;
  for (size_t i = 0; i < input.children.size(); i += 2) {
    Expression& name = *input.children[i];
    Need(name.IsFoldable(), "The names of named_struct have to be constants");
    Value text = duckdb::ExpressionExecutor::EvaluateScalar(input.context, name);
    input.children[i + 1]->SetAlias(text.ToString());
    values.push_back(std::move(input.children[i + 1]));
  }
  return CallSystem(input.context, "struct_pack", std::move(values));
}

ExpressionPtr StructOf(duckdb::FunctionBindExpressionInput& input) {
  Need(!input.children.empty(), "struct needs a value");
  for (size_t i = 0; i < input.children.size(); ++i) {
    Expression& child = *input.children[i];
    bool named = child.GetExpressionClass() == duckdb::ExpressionClass::BOUND_COLUMN_REF || !child.GetAlias().empty();
    if (!named)
      child.SetAlias("col" + std::to_string(i + 1));
    else if (child.GetAlias().empty())
      child.SetAlias(child.GetName());
  }
  return CallSystem(input.context, "struct_pack", std::move(input.children));
}

ExpressionPtr TypeOf(duckdb::FunctionBindExpressionInput& input) {
  return Guard([&] { return Constant(Value(SparkNameOf(input.children[0]->return_type))); });
}

// Of the process, whose rights hold; HADOOP_USER_NAME tells another one to what asks.
ExpressionPtr CurrentUser(duckdb::FunctionBindExpressionInput&) {
  const char* told = std::getenv("HADOOP_USER_NAME");
  const passwd* entry = getpwuid(geteuid());
  return Constant(Value(told != nullptr && *told != 0 ? told : entry != nullptr ? entry->pw_name : ""));
}

// decode(bytes, 'UTF-8'), or decode(x, a, r, ..., otherwise), where NULL equals NULL.
ExpressionPtr Decode(duckdb::FunctionBindExpressionInput& input) {
  auto& children = input.children;
  Need(children.size() >= 2, "decode needs two arguments at least");
  if (children.size() == 2) {
    Need(children[0]->return_type.id() == LogicalTypeId::BLOB, "decode(bytes, charset) needs a binary");
    children.pop_back();
    return CallSystem(input.context, "decode", std::move(children));
  }
  LogicalType type = LogicalType::SQLNULL, compared = children[0]->return_type;
  bool has_otherwise = children.size() % 2 == 0;
  for (size_t i = 1; i + 1 < children.size(); i += 2) {
    compared = LogicalType::MaxLogicalType(input.context, compared, children[i]->return_type);
    type = LogicalType::MaxLogicalType(input.context, type, children[i + 1]->return_type);
  }
  if (has_otherwise) type = LogicalType::MaxLogicalType(input.context, type, children.back()->return_type);
  ExpressionPtr result = has_otherwise ? Cast(input.context, std::move(children.back()), type) : Constant(Value(type));
  auto value = Cast(input.context, std::move(children[0]), compared);
  for (size_t i = children.size() - (has_otherwise ? 3 : 2); i >= 1 && i < children.size(); i -= 2) {
    auto equal =
        duckdb::make_uniq<duckdb::BoundComparisonExpression>(ExpressionType::COMPARE_NOT_DISTINCT_FROM, value->Copy(),
                                                             Cast(input.context, std::move(children[i]), compared));
    result = If(std::move(equal), Cast(input.context, std::move(children[i + 1]), type), std::move(result));
  }
  return result;
}

ExpressionPtr Elt(duckdb::FunctionBindExpressionInput& input) {
  Need(input.children.size() >= 2, "elt needs a number and values");
  auto index = Cast(input.context, std::move(input.children[0]), LogicalType::BIGINT);
  input.children.erase(input.children.begin());
  auto below = duckdb::make_uniq<duckdb::BoundComparisonExpression>(ExpressionType::COMPARE_LESSTHAN, index->Copy(),
                                                                    Constant(Value::BIGINT(1)));
  auto list = CallSystem(input.context, "list_value", std::move(input.children));
  auto place = If(std::move(below), Constant(Value(LogicalType::BIGINT)), std::move(index));
  return CallSystem(input.context, "list_extract", Of(std::move(list), std::move(place)));
}

template <bool kGreatest>
ExpressionPtr Extreme(duckdb::FunctionBindExpressionInput& input) {
  Need(!input.children.empty(), "greatest and least need a value");
  auto any = duckdb::make_uniq<duckdb::BoundConjunctionExpression>(ExpressionType::CONJUNCTION_OR);
  for (const auto& child : input.children) any->children.push_back(IsNull(child->Copy()));
  ExpressionPtr condition = any->children.size() == 1 ? std::move(any->children[0]) : ExpressionPtr(std::move(any));
  auto value = CallSystem(input.context, kGreatest ? "greatest" : "least", std::move(input.children));
  LogicalType type = value->return_type;
  return If(std::move(condition), Constant(Value(type)), std::move(value));
}

}  // namespace

duckdb::ScalarFunctionSet ShapeFunctions(const std::string& name, dialect::Dialect dialect) {
  struct Row {
    const char* name;
    duckdb::function_bind_expression_t bind;
    int arguments;  // -1: any number
  };
  static constexpr Row kRows[] = {
      {"concat", Concat, -1},
      {"concat_ws", ConcatWs, -1},
      {"reverse", Reverse, 1},
      {"size", Size, 1},
      {"element_at", ElementAt, 2},
      {"try_element_at", ElementAt, 2},
      {"array_extract", ArrayExtract, 2},
      {"map", MapOf, -1},
      {"named_struct", NamedStruct, -1},
      {"typeof", TypeOf, 1},
      {"current_user", CurrentUser, 0},
      {"struct", StructOf, -1},
      {"decode", Decode, -1},
      {"elt", Elt, -1},
      {"greatest", Extreme<true>, -1},
      {"least", Extreme<false>, -1},
  };
  if (name == "cardinality") return BoundFunction(dialect == dialect::Dialect::kSpark ? Size : Cardinality, 1);
  for (const Row& row : kRows) {
    if (name == row.name)
      return BoundFunction(row.bind, static_cast<size_t>(std::max(row.arguments, 0)), row.arguments < 0);
  }
  return duckdb::ScalarFunctionSet();
}

}  // namespace mica::sql
