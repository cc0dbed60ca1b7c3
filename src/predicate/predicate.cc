#include "predicate/predicate.h"

#include <algorithm>

#include "base/error.h"

namespace mica {

namespace {

bool Less(const Value& a, const Value& b) {
  return CompareValues(a, b) < 0;
}
bool Equivalent(const Value& a, const Value& b) {
  return CompareValues(a, b) == 0;
}

std::vector<Value> SortedDistinct(std::vector<Value> values) {
  std::sort(values.begin(), values.end(), Less);
  values.erase(std::unique(values.begin(), values.end(), Equivalent), values.end());
  return values;
}

PredicateOp Negated(PredicateOp op) {
  switch (op) {
    case PredicateOp::kEqual: return PredicateOp::kNotEqual;
    case PredicateOp::kNotEqual: return PredicateOp::kEqual;
    case PredicateOp::kLess: return PredicateOp::kGreaterOrEqual;
    case PredicateOp::kLessOrEqual: return PredicateOp::kGreater;
    case PredicateOp::kGreater: return PredicateOp::kLessOrEqual;
    case PredicateOp::kGreaterOrEqual: return PredicateOp::kLess;
    case PredicateOp::kIsNull: return PredicateOp::kIsNotNull;
    case PredicateOp::kIsNotNull: return PredicateOp::kIsNull;
    case PredicateOp::kIn: return PredicateOp::kNotIn;
    case PredicateOp::kNotIn: return PredicateOp::kIn;
    case PredicateOp::kTrue: return PredicateOp::kFalse;
    case PredicateOp::kFalse: return PredicateOp::kTrue;
    default: return PredicateOp::kNot;
  }
}

std::string_view OpText(PredicateOp op) {
  switch (op) {
    case PredicateOp::kEqual: return "=";
    case PredicateOp::kNotEqual: return "<>";
    case PredicateOp::kLess: return "<";
    case PredicateOp::kLessOrEqual: return "<=";
    case PredicateOp::kGreater: return ">";
    case PredicateOp::kGreaterOrEqual: return ">=";
    case PredicateOp::kIsNull: return "IS NULL";
    case PredicateOp::kIsNotNull: return "IS NOT NULL";
    case PredicateOp::kIn: return "IN";
    case PredicateOp::kNotIn: return "NOT IN";
    case PredicateOp::kStartsWith: return "STARTS WITH";
    case PredicateOp::kEndsWith: return "ENDS WITH";
    case PredicateOp::kContains: return "CONTAINS";
    default: return "";
  }
}

std::string LiteralText(const Value& value, const DataType& type) {
  if (IsNull(value)) return "NULL";
  std::string text = ValueToString(value, type);
  if (type.IsBinary()) {
    std::string hex = "X'";
    for (char byte : text) hex += fmt::format("{:02X}", static_cast<uint8_t>(byte));
    return hex + "'";
  }
  const bool quoted =
      type.IsString() || type.IsTimestamp() || type.root() == TypeRoot::kDate || type.root() == TypeRoot::kTime;
  return quoted ? "'" + text + "'" : text;
}

void CollectColumns(const Predicate& predicate, std::vector<std::string>* columns) {
  if (!predicate.column().empty() &&
      std::find(columns->begin(), columns->end(), predicate.column()) == columns->end()) {
    columns->push_back(predicate.column());
  }
  for (const PredicatePtr& child : predicate.children()) CollectColumns(*child, columns);
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// Making them

PredicatePtr Predicate::Leaf(PredicateOp op, std::string column, DataType type, std::vector<Value> literals) {
  Predicate predicate;
  predicate.op_ = op;
  predicate.column_ = std::move(column);
  predicate.type_ = std::move(type);
  predicate.literals_ = std::move(literals);
  return std::make_shared<const Predicate>(std::move(predicate));
}

PredicatePtr Predicate::Inner(PredicateOp op, std::vector<PredicatePtr> children) {
  Predicate predicate;
  predicate.op_ = op;
  predicate.children_ = std::move(children);
  return std::make_shared<const Predicate>(std::move(predicate));
}

PredicatePtr Predicate::Compare(PredicateOp op, std::string column, DataType type, Value literal) {
  const bool comparison = (op >= PredicateOp::kEqual && op <= PredicateOp::kGreaterOrEqual) ||
                          (op >= PredicateOp::kStartsWith && op <= PredicateOp::kContains);
  MICA_CHECK(comparison);
  return Leaf(op, std::move(column), std::move(type), {std::move(literal)});
}

PredicatePtr Predicate::In(std::string column, DataType type, std::vector<Value> literals) {
  if (literals.empty()) return False();
  return Leaf(PredicateOp::kIn, std::move(column), std::move(type), SortedDistinct(std::move(literals)));
}

PredicatePtr Predicate::NotIn(std::string column, DataType type, std::vector<Value> literals) {
  if (literals.empty()) return True();
  return Leaf(PredicateOp::kNotIn, std::move(column), std::move(type), SortedDistinct(std::move(literals)));
}

PredicatePtr Predicate::IsNull(std::string column, DataType type) {
  return Leaf(PredicateOp::kIsNull, std::move(column), std::move(type), {});
}

PredicatePtr Predicate::IsNotNull(std::string column, DataType type) {
  return Leaf(PredicateOp::kIsNotNull, std::move(column), std::move(type), {});
}

// AND and OR alike: `neutral` children vanish, one `absorbing` child decides.
PredicatePtr Predicate::Combine(PredicateOp op, std::vector<PredicatePtr> children) {
  const PredicateOp neutral = op == PredicateOp::kAnd ? PredicateOp::kTrue : PredicateOp::kFalse;
  const PredicateOp absorbing = Negated(neutral);
  std::vector<PredicatePtr> flat;
  for (PredicatePtr& child : children) {
    if (child->op() == absorbing) return child;
    if (child->op() == neutral) continue;
    if (child->op() == op) {
      flat.insert(flat.end(), child->children().begin(), child->children().end());
    } else {
      flat.push_back(std::move(child));
    }
  }
  if (flat.empty()) return Inner(neutral, {});
  if (flat.size() == 1) return flat[0];
  return Inner(op, std::move(flat));
}

PredicatePtr Predicate::And(std::vector<PredicatePtr> children) {
  return Combine(PredicateOp::kAnd, std::move(children));
}
PredicatePtr Predicate::Or(std::vector<PredicatePtr> children) {
  return Combine(PredicateOp::kOr, std::move(children));
}

PredicatePtr Predicate::Not(PredicatePtr child) {
  switch (child->op()) {
    case PredicateOp::kNot: return child->children()[0];
    case PredicateOp::kAnd:
    case PredicateOp::kOr: {
      std::vector<PredicatePtr> negated;
      for (const PredicatePtr& part : child->children()) negated.push_back(Not(part));
      return child->op() == PredicateOp::kAnd ? Or(std::move(negated)) : And(std::move(negated));
    }
    case PredicateOp::kTrue: return False();
    case PredicateOp::kFalse: return True();
    default: break;
  }
  const PredicateOp negated = Negated(child->op());
  if (negated == PredicateOp::kNot) return Inner(PredicateOp::kNot, {std::move(child)});
  return Leaf(negated, child->column(), child->type(), child->literals());
}

PredicatePtr Predicate::True() {
  return Inner(PredicateOp::kTrue, {});
}
PredicatePtr Predicate::False() {
  return Inner(PredicateOp::kFalse, {});
}

// ---------------------------------------------------------------------------------------------------------------------
// Looking at them

std::string Predicate::ToString() const {
  auto join = [&](std::string_view separator) {
    std::string text = "(";
    for (const PredicatePtr& child : children_) {
      if (text.size() > 1) text += separator;
      text += child->ToString();
    }
    return text + ")";
  };
  switch (op_) {
    case PredicateOp::kTrue: return "TRUE";
    case PredicateOp::kFalse: return "FALSE";
    case PredicateOp::kAnd: return join(" AND ");
    case PredicateOp::kOr: return join(" OR ");
    case PredicateOp::kNot: return "NOT " + children_[0]->ToString();
    case PredicateOp::kIsNull:
    case PredicateOp::kIsNotNull: return fmt::format("{} {}", column_, OpText(op_));
    case PredicateOp::kIn:
    case PredicateOp::kNotIn: {
      std::string list;
      for (const Value& literal : literals_) {
        if (!list.empty()) list += ", ";
        list += LiteralText(literal, type_);
      }
      return fmt::format("{} {} ({})", column_, OpText(op_), list);
    }
    default: return fmt::format("{} {} {}", column_, OpText(op_), LiteralText(literals_[0], type_));
  }
}

std::vector<std::string> Predicate::Columns() const {
  std::vector<std::string> columns;
  CollectColumns(*this, &columns);
  return columns;
}

std::vector<PredicatePtr> SplitAnd(const PredicatePtr& predicate) {
  if (!predicate || predicate->op() == PredicateOp::kTrue) return {};
  if (predicate->op() == PredicateOp::kAnd) return predicate->children();
  return {predicate};
}

PredicatePtr KeepColumns(const PredicatePtr& predicate, const std::function<bool(const std::string&)>& keep) {
  std::vector<PredicatePtr> kept;
  for (const PredicatePtr& conjunct : SplitAnd(predicate)) {
    const std::vector<std::string> columns = conjunct->Columns();
    if (std::all_of(columns.begin(), columns.end(), keep)) kept.push_back(conjunct);
  }
  return kept.empty() ? nullptr : Predicate::And(std::move(kept));
}

PredicatePtr RenameColumns(const PredicatePtr& predicate,
                           const std::function<std::optional<std::string>(const std::string&)>& rename) {
  if (!predicate) return nullptr;
  switch (predicate->op()) {
    case PredicateOp::kTrue:
    case PredicateOp::kFalse: return predicate;
    case PredicateOp::kAnd:
    case PredicateOp::kOr: {
      const bool is_and = predicate->op() == PredicateOp::kAnd;
      std::vector<PredicatePtr> renamed;
      for (const PredicatePtr& child : predicate->children()) {
        PredicatePtr part = RenameColumns(child, rename);
        if (part) renamed.push_back(std::move(part));
        // An alternative that cannot be told may be true.
        else if (!is_and)
          return nullptr;
      }
      if (renamed.empty()) return nullptr;
      return is_and ? Predicate::And(std::move(renamed)) : Predicate::Or(std::move(renamed));
    }
    case PredicateOp::kNot: {
      PredicatePtr child = RenameColumns(predicate->children()[0], rename);
      return child ? Predicate::Not(std::move(child)) : nullptr;
    }
    default: break;
  }
  auto name = rename(predicate->column());
  if (!name) return nullptr;
  return Predicate::Leaf(predicate->op(), *std::move(name), predicate->type(), predicate->literals());
}

// ---------------------------------------------------------------------------------------------------------------------
// One row

namespace {

bool MatchesText(PredicateOp op, const std::string& text, const std::string& part) {
  switch (op) {
    case PredicateOp::kStartsWith: return text.starts_with(part);
    case PredicateOp::kEndsWith: return text.ends_with(part);
    default: return text.find(part) != std::string::npos;
  }
}

}  // namespace

bool Matches(const Predicate& predicate, const std::function<Value(const std::string& column)>& value_of) {
  const PredicateOp op = predicate.op();
  auto child_matches = [&](const PredicatePtr& child) { return Matches(*child, value_of); };
  const auto& children = predicate.children();
  switch (op) {
    case PredicateOp::kTrue: return true;
    case PredicateOp::kFalse: return false;
    case PredicateOp::kAnd: return std::all_of(children.begin(), children.end(), child_matches);
    case PredicateOp::kOr: return std::any_of(children.begin(), children.end(), child_matches);
    case PredicateOp::kNot: {
      // Only over the tests of text: NULL is neither a match nor its opposite.
      const Predicate& child = *children[0];
      return !IsNull(value_of(child.column())) && !IsNull(child.literals()[0]) && !Matches(child, value_of);
    }
    default: break;
  }

  const Value value = value_of(predicate.column());
  if (op == PredicateOp::kIsNull) return IsNull(value);
  if (IsNull(value)) return false;
  if (op == PredicateOp::kIsNotNull) return true;

  const auto& literals = predicate.literals();
  const Value& first = literals[0];
  if (op == PredicateOp::kIn || op == PredicateOp::kNotIn) {
    const bool found = std::binary_search(literals.begin(), literals.end(), value, Less);
    return op == PredicateOp::kIn ? found : !found && !IsNull(first);
  }
  if (IsNull(first)) return false;
  if (op >= PredicateOp::kStartsWith) {
    return MatchesText(op, std::get<std::string>(value), std::get<std::string>(first));
  }
  const std::weak_ordering order = CompareValues(value, first);
  switch (op) {
    case PredicateOp::kEqual: return order == 0;
    case PredicateOp::kNotEqual: return order != 0;
    case PredicateOp::kLess: return order < 0;
    case PredicateOp::kLessOrEqual: return order <= 0;
    case PredicateOp::kGreater: return order > 0;
    default: return order >= 0;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// The values a column can have

std::optional<std::vector<Value>> PossibleValues(const PredicatePtr& predicate, const std::string& column) {
  if (!predicate) return std::nullopt;
  switch (predicate->op()) {
    case PredicateOp::kFalse: return std::vector<Value>{};
    case PredicateOp::kEqual:
    case PredicateOp::kIn: {
      if (predicate->column() != column) return std::nullopt;
      std::vector<Value> values;
      for (const Value& literal : predicate->literals()) {
        if (!IsNull(literal)) values.push_back(literal);
      }
      return values;
    }
    case PredicateOp::kAnd: {
      std::optional<std::vector<Value>> possible;
      for (const PredicatePtr& child : predicate->children()) {
        auto values = PossibleValues(child, column);
        if (!values) continue;
        if (possible) {
          std::vector<Value> both;
          std::set_intersection(possible->begin(), possible->end(), values->begin(), values->end(),
                                std::back_inserter(both), Less);
          values = std::move(both);
        }
        possible = std::move(values);
      }
      return possible;
    }
    case PredicateOp::kOr: {
      std::vector<Value> possible;
      for (const PredicatePtr& child : predicate->children()) {
        auto values = PossibleValues(child, column);
        if (!values) return std::nullopt;
        possible.insert(possible.end(), values->begin(), values->end());
      }
      return SortedDistinct(std::move(possible));
    }
    default: return std::nullopt;
  }
}

}  // namespace mica
