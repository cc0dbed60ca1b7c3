#include "sql/pushed_predicate.h"

#include <map>

#include "engine/duck_types.h"
#include "predicate/like.h"

namespace mica::sql {

namespace {

using duckdb::ExpressionClass;
using duckdb::ExpressionType;

// CHAR values are padded above the files, so a comparison below could miss unpadded ones. Nested values have no literals.
bool CanPush(const DataType& type) { return type.IsPrimitive() && type.root() != TypeRoot::kChar; }

std::optional<PredicateOp> OpOf(ExpressionType type) {
  switch (type) {
    case ExpressionType::COMPARE_EQUAL: return PredicateOp::kEqual;
    case ExpressionType::COMPARE_NOTEQUAL: return PredicateOp::kNotEqual;
    case ExpressionType::COMPARE_LESSTHAN: return PredicateOp::kLess;
    case ExpressionType::COMPARE_LESSTHANOREQUALTO: return PredicateOp::kLessOrEqual;
    case ExpressionType::COMPARE_GREATERTHAN: return PredicateOp::kGreater;
    case ExpressionType::COMPARE_GREATERTHANOREQUALTO: return PredicateOp::kGreaterOrEqual;
    default: return std::nullopt;
  }
}

// x <=> constant: never unknown, also under NOT.
PredicatePtr Same(const DataField& field, const duckdb::Value& constant) {
  if (constant.IsNull()) return Predicate::IsNull(field.name, field.type);
  auto literal = FromDuckValue(constant, field.type);
  if (!literal) return nullptr;
  return Predicate::And({Predicate::IsNotNull(field.name, field.type),
                         Predicate::Compare(PredicateOp::kEqual, field.name, field.type, std::move(*literal))});
}

PredicatePtr Comparison(ExpressionType type, const DataField& field, const duckdb::Value& constant) {
  if (!CanPush(field.type)) return nullptr;
  if (type == ExpressionType::COMPARE_NOT_DISTINCT_FROM || type == ExpressionType::COMPARE_DISTINCT_FROM) {
    PredicatePtr same = Same(field, constant);
    return same == nullptr || type == ExpressionType::COMPARE_NOT_DISTINCT_FROM ? same : Predicate::Not(same);
  }
  auto op = OpOf(type);
  if (!op) return nullptr;
  if (constant.IsNull()) return Predicate::False();
  auto literal = FromDuckValue(constant, field.type);
  if (!literal) return nullptr;
  return Predicate::Compare(*op, field.name, field.type, std::move(*literal));
}

const DataField* FieldOf(const duckdb::Expression& expression, const FieldOfReference& field_of) {
  if (expression.GetExpressionClass() != ExpressionClass::BOUND_COLUMN_REF) return nullptr;
  const DataField* field = field_of(expression.Cast<duckdb::BoundColumnRefExpression>());
  return field != nullptr && CanPush(field->type) ? field : nullptr;
}

const duckdb::Value* ConstantOf(const duckdb::Expression& expression) {
  if (expression.GetExpressionClass() != ExpressionClass::BOUND_CONSTANT) return nullptr;
  return &expression.Cast<duckdb::BoundConstantExpression>().value;
}

// What tests a text: LIKE, and the functions that the optimizer makes of it.
struct TextTest {
  enum class Kind { kLike, kStartsWith, kEndsWith, kContains } kind;
  bool negated = false;
};

std::optional<TextTest> TextTestNamed(const std::string& name) {
  using Kind = TextTest::Kind;
  static const std::map<std::string_view, TextTest> kTests = {
      {"~~", {Kind::kLike}},           {"like_escape", {Kind::kLike}},
      {"!~~", {Kind::kLike, true}},    {"not_like_escape", {Kind::kLike, true}},
      {"prefix", {Kind::kStartsWith}}, {"starts_with", {Kind::kStartsWith}},
      {"^@", {Kind::kStartsWith}},     {"suffix", {Kind::kEndsWith}},
      {"ends_with", {Kind::kEndsWith}}, {"contains", {Kind::kContains}},
  };
  auto found = kTests.find(name);
  return found == kTests.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> TextOf(const duckdb::Expression& expression) {
  const duckdb::Value* constant = ConstantOf(expression);
  bool text = constant != nullptr && !constant->IsNull() && constant->type().id() == duckdb::LogicalTypeId::VARCHAR;
  return text ? std::optional(duckdb::StringValue::Get(*constant)) : std::nullopt;
}

PredicatePtr FromFunction(const duckdb::BoundFunctionExpression& function, const FieldOfReference& field_of, bool exact) {
  auto test = TextTestNamed(function.function.name);
  if (!test || function.children.size() < 2 || function.children.size() > 3) return nullptr;
  const DataField* field = FieldOf(*function.children[0], field_of);
  auto text = TextOf(*function.children[1]);
  if (field == nullptr || !field->type.IsString() || !text) return nullptr;
  if (test->kind != TextTest::Kind::kLike) {
    PredicateOp op = test->kind == TextTest::Kind::kStartsWith  ? PredicateOp::kStartsWith
                     : test->kind == TextTest::Kind::kEndsWith ? PredicateOp::kEndsWith
                                                               : PredicateOp::kContains;
    return Predicate::Compare(op, field->name, field->type, Value(*std::move(text)));
  }
  std::optional<char> escape;
  if (function.children.size() == 3) {
    auto given = TextOf(*function.children[2]);
    if (!given || given->size() > 1) return nullptr;
    if (!given->empty()) escape = given->front();
  }
  LikePredicate like = PredicateOfLike(field->name, field->type, *text, escape);
  if (like.predicate == nullptr || (!like.exact && (exact || test->negated))) return nullptr;
  return test->negated ? Predicate::Not(like.predicate) : like.predicate;
}

PredicatePtr FromIn(const duckdb::BoundOperatorExpression& in, const FieldOfReference& field_of, bool negated) {
  const DataField* field = FieldOf(*in.children[0], field_of);
  if (field == nullptr) return nullptr;
  std::vector<Value> literals;
  for (size_t i = 1; i < in.children.size(); ++i) {
    const duckdb::Value* constant = ConstantOf(*in.children[i]);
    if (constant == nullptr) return nullptr;
    if (constant->IsNull()) {
      if (negated) return Predicate::False();
      continue;
    }
    auto literal = FromDuckValue(*constant, field->type);
    if (!literal) return nullptr;
    literals.push_back(std::move(*literal));
  }
  if (literals.empty()) return negated ? nullptr : Predicate::False();
  return negated ? Predicate::NotIn(field->name, field->type, std::move(literals))
                 : Predicate::In(field->name, field->type, std::move(literals));
}

}  // namespace

PredicatePtr FromExpression(const duckdb::Expression& expression, const FieldOfReference& field_of, bool exact) {
  switch (expression.GetExpressionClass()) {
    case ExpressionClass::BOUND_COLUMN_REF: {
      const DataField* field = FieldOf(expression, field_of);
      if (field == nullptr || field->type.root() != TypeRoot::kBoolean) return nullptr;
      return Predicate::Compare(PredicateOp::kEqual, field->name, field->type, Value(true));
    }
    case ExpressionClass::BOUND_COMPARISON: {
      const auto& comparison = expression.Cast<duckdb::BoundComparisonExpression>();
      const DataField* field = FieldOf(*comparison.left, field_of);
      const duckdb::Value* constant = ConstantOf(*comparison.right);
      ExpressionType type = comparison.type;
      if (field == nullptr) {
        field = FieldOf(*comparison.right, field_of);
        constant = ConstantOf(*comparison.left);
        type = duckdb::FlipComparisonExpression(type);
      }
      if (field == nullptr || constant == nullptr) return nullptr;
      return Comparison(type, *field, *constant);
    }
    case ExpressionClass::BOUND_BETWEEN: {
      const auto& between = expression.Cast<duckdb::BoundBetweenExpression>();
      const DataField* field = FieldOf(*between.input, field_of);
      const duckdb::Value* lower = ConstantOf(*between.lower);
      const duckdb::Value* upper = ConstantOf(*between.upper);
      if (field == nullptr || (exact && (lower == nullptr || upper == nullptr))) return nullptr;
      std::vector<PredicatePtr> parts;
      if (lower != nullptr) {
        auto part = Comparison(between.LowerComparisonType(), *field, *lower);
        if (part) parts.push_back(part);
      }
      if (upper != nullptr) {
        auto part = Comparison(between.UpperComparisonType(), *field, *upper);
        if (part) parts.push_back(part);
      }
      if (parts.empty() || (exact && parts.size() != 2)) return nullptr;
      return Predicate::And(std::move(parts));
    }
    case ExpressionClass::BOUND_CONJUNCTION: {
      const auto& conjunction = expression.Cast<duckdb::BoundConjunctionExpression>();
      bool is_and = conjunction.type == ExpressionType::CONJUNCTION_AND;
      std::vector<PredicatePtr> parts;
      for (const auto& child : conjunction.children) {
        PredicatePtr part = FromExpression(*child, field_of, exact);
        if (part == nullptr) {
          if (!is_and || exact) return nullptr;
          continue;
        }
        parts.push_back(std::move(part));
      }
      if (parts.empty()) return nullptr;
      return is_and ? Predicate::And(std::move(parts)) : Predicate::Or(std::move(parts));
    }
    case ExpressionClass::BOUND_OPERATOR: {
      const auto& op = expression.Cast<duckdb::BoundOperatorExpression>();
      switch (op.type) {
        case ExpressionType::OPERATOR_NOT: {
          PredicatePtr child = FromExpression(*op.children[0], field_of, true);
          return child == nullptr ? nullptr : Predicate::Not(std::move(child));
        }
        case ExpressionType::OPERATOR_IS_NULL:
        case ExpressionType::OPERATOR_IS_NOT_NULL: {
          if (op.children[0]->GetExpressionClass() != ExpressionClass::BOUND_COLUMN_REF) return nullptr;
          const DataField* field = field_of(op.children[0]->Cast<duckdb::BoundColumnRefExpression>());
          if (field == nullptr || !field->type.IsPrimitive()) return nullptr;
          return op.type == ExpressionType::OPERATOR_IS_NULL ? Predicate::IsNull(field->name, field->type)
                                                             : Predicate::IsNotNull(field->name, field->type);
        }
        case ExpressionType::COMPARE_IN: return FromIn(op, field_of, false);
        case ExpressionType::COMPARE_NOT_IN: return FromIn(op, field_of, true);
        default: return nullptr;
      }
    }
    case ExpressionClass::BOUND_FUNCTION:
      return FromFunction(expression.Cast<duckdb::BoundFunctionExpression>(), field_of, exact);
    default: return nullptr;
  }
}

PredicatePtr FromTableFilter(const duckdb::TableFilter& filter, const DataField& field) {
  using duckdb::TableFilterType;
  switch (filter.filter_type) {
    case TableFilterType::CONSTANT_COMPARISON: {
      const auto& constant = filter.Cast<duckdb::ConstantFilter>();
      return Comparison(constant.comparison_type, field, constant.constant);
    }
    case TableFilterType::IS_NULL:
      return field.type.IsPrimitive() ? Predicate::IsNull(field.name, field.type) : nullptr;
    case TableFilterType::IS_NOT_NULL:
      return field.type.IsPrimitive() ? Predicate::IsNotNull(field.name, field.type) : nullptr;
    case TableFilterType::CONJUNCTION_AND:
    case TableFilterType::CONJUNCTION_OR: {
      bool is_and = filter.filter_type == TableFilterType::CONJUNCTION_AND;
      const auto& children = static_cast<const duckdb::ConjunctionFilter&>(filter).child_filters;
      std::vector<PredicatePtr> parts;
      for (const auto& child : children) {
        PredicatePtr part = FromTableFilter(*child, field);
        if (part == nullptr) {
          if (!is_and) return nullptr;
          continue;
        }
        parts.push_back(std::move(part));
      }
      if (parts.empty()) return nullptr;
      return is_and ? Predicate::And(std::move(parts)) : Predicate::Or(std::move(parts));
    }
    case TableFilterType::OPTIONAL_FILTER: {
      const auto& optional = filter.Cast<duckdb::OptionalFilter>();
      return optional.child_filter ? FromTableFilter(*optional.child_filter, field) : nullptr;
    }
    case TableFilterType::IN_FILTER: {
      if (!CanPush(field.type)) return nullptr;
      std::vector<Value> literals;
      for (const duckdb::Value& value : filter.Cast<duckdb::InFilter>().values) {
        if (value.IsNull()) continue;
        auto literal = FromDuckValue(value, field.type);
        if (!literal) return nullptr;
        literals.push_back(std::move(*literal));
      }
      if (literals.empty()) return nullptr;
      return Predicate::In(field.name, field.type, std::move(literals));
    }
    case TableFilterType::DYNAMIC_FILTER: {
      const auto& dynamic = filter.Cast<duckdb::DynamicFilter>();
      if (!dynamic.filter_data) return nullptr;
      duckdb::lock_guard<duckdb::mutex> lock(dynamic.filter_data->lock);
      if (!dynamic.filter_data->initialized || !dynamic.filter_data->filter) return nullptr;
      return Comparison(dynamic.filter_data->filter->comparison_type, field, dynamic.filter_data->filter->constant);
    }
    default: return nullptr;
  }
}

}  // namespace mica::sql
