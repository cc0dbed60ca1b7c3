#include "mica/filter.h"

#include "api/border.h"
#include "api/state.h"
#include "base/text.h"

namespace mica::api {

namespace {

std::shared_ptr<const Filter::Node> Leaf(PredicateOp op, std::string column, std::vector<Literal> literals) {
  return std::make_shared<Filter::Node>(Filter::Node{op, std::move(column), std::move(literals), {}});
}

std::shared_ptr<const Filter::Node> Inner(PredicateOp op, std::vector<Filter> children) {
  return std::make_shared<Filter::Node>(Filter::Node{op, {}, {}, std::move(children)});
}

const DataField& FieldOf(const std::string& column, const std::vector<DataField>& fields) {
  const int at = FindField(fields, column);
  if (at >= 0) return fields[static_cast<size_t>(at)];
  std::vector<std::string> names;
  for (const DataField& field : fields) names.push_back(field.name);
  throw NotFound("The table has no column '{}'{}", column, DidYouMean(column, names));
}

Value ToValue(const Literal& literal, const DataField& field) {
  const DataType& type = field.type;
  auto from = [&](const Value& value, const DataType& own) {
    auto cast = CastValue(value, own, type, true);
    if (!cast) {
      throw InvalidArgument("The literal '{}' cannot be compared with the column '{}' of type {}",
                            ValueToString(value, own), field.name, type.ToString());
    }
    return *std::move(cast);
  };
  switch (literal.index()) {
    case 0:
      return Value();
    case 1:
      return from(std::get<bool>(literal), DataType(TypeRoot::kBoolean));
    case 2:
      return from(std::get<int64_t>(literal), DataType::BigInt());
    case 3:
      return from(std::get<double>(literal), DataType(TypeRoot::kDouble));
    default: {
      const std::string& text = std::get<std::string>(literal);
      return type.IsBinary() || type.IsString() ? Value(text) : ValueFromString(text, type);
    }
  }
}

}  // namespace

Filter Filter::Equal(std::string column, Literal literal) {
  return Filter(Leaf(PredicateOp::kEqual, std::move(column), {std::move(literal)}));
}

Filter Filter::NotEqual(std::string column, Literal literal) {
  return Filter(Leaf(PredicateOp::kNotEqual, std::move(column), {std::move(literal)}));
}

Filter Filter::Less(std::string column, Literal literal) {
  return Filter(Leaf(PredicateOp::kLess, std::move(column), {std::move(literal)}));
}

Filter Filter::LessOrEqual(std::string column, Literal literal) {
  return Filter(Leaf(PredicateOp::kLessOrEqual, std::move(column), {std::move(literal)}));
}

Filter Filter::Greater(std::string column, Literal literal) {
  return Filter(Leaf(PredicateOp::kGreater, std::move(column), {std::move(literal)}));
}

Filter Filter::GreaterOrEqual(std::string column, Literal literal) {
  return Filter(Leaf(PredicateOp::kGreaterOrEqual, std::move(column), {std::move(literal)}));
}

Filter Filter::In(std::string column, std::vector<Literal> literals) {
  return Filter(Leaf(PredicateOp::kIn, std::move(column), std::move(literals)));
}

Filter Filter::IsNull(std::string column) {
  return Filter(Leaf(PredicateOp::kIsNull, std::move(column), {}));
}

Filter Filter::IsNotNull(std::string column) {
  return Filter(Leaf(PredicateOp::kIsNotNull, std::move(column), {}));
}

Filter Filter::StartsWith(std::string column, std::string prefix) {
  return Filter(Leaf(PredicateOp::kStartsWith, std::move(column), {std::move(prefix)}));
}

Filter Filter::And(std::vector<Filter> filters) {
  return Filter(Inner(PredicateOp::kAnd, std::move(filters)));
}

Filter Filter::Or(std::vector<Filter> filters) {
  return Filter(Inner(PredicateOp::kOr, std::move(filters)));
}

Filter Filter::Not(Filter filter) {
  return Filter(Inner(PredicateOp::kNot, {std::move(filter)}));
}

PredicatePtr ToPredicate(const Filter& filter, const std::vector<DataField>& fields) {
  const Filter::Node& node = filter.node();
  std::vector<PredicatePtr> children;
  for (const Filter& child : node.children) children.push_back(ToPredicate(child, fields));
  switch (node.op) {
    case PredicateOp::kAnd:
      return Predicate::And(std::move(children));
    case PredicateOp::kOr:
      return children.empty() ? Predicate::False() : Predicate::Or(std::move(children));
    case PredicateOp::kNot:
      return Predicate::Not(children[0]);
    default:
      break;
  }
  const DataField& field = FieldOf(node.column, fields);
  if (node.op == PredicateOp::kIsNull) return Predicate::IsNull(field.name, field.type);
  if (node.op == PredicateOp::kIsNotNull) return Predicate::IsNotNull(field.name, field.type);
  if (!field.type.IsPrimitive()) {
    throw Unsupported("The column '{}' of type {} cannot be compared", field.name, field.type.ToString());
  }
  std::vector<Value> values;
  for (const Literal& literal : node.literals) values.push_back(ToValue(literal, field));
  if (node.op == PredicateOp::kIn) return Predicate::In(field.name, field.type, std::move(values));
  if (node.op == PredicateOp::kStartsWith && !field.type.IsString()) {
    throw Unsupported("The column '{}' of type {} has no prefix", field.name, field.type.ToString());
  }
  return Predicate::Compare(node.op, field.name, field.type, std::move(values[0]));
}

}  // namespace mica::api
