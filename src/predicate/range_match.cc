// Predicates against what is known of columns: MayMatch, AllMatch and EstimateMatching of predicate.h.
// A bound is a promise about all values that are not NULL, except that NaN may lie beside any bounds (Format 9).

#include <algorithm>
#include <cmath>

#include "predicate/predicate.h"

namespace mica {

namespace {

bool IsNan(const Value& value) {
  if (const auto* number = std::get_if<float>(&value)) return std::isnan(*number);
  if (const auto* number = std::get_if<double>(&value)) return std::isnan(*number);
  return false;
}

// What a leaf may rely on. Bounds that are NaN, or that are no values of the literals' kind, are unknown.
struct Bounds {
  const Value* min = nullptr;
  const Value* max = nullptr;
  bool all_null = false;  // known
  bool no_null = false;   // known
  bool may_hold_nan = false;

  Bounds(const Predicate& leaf, const ColumnRange& range, int64_t row_count) {
    all_null = range.null_count && *range.null_count >= row_count;
    no_null = range.null_count && *range.null_count == 0;
    const TypeRoot root = leaf.type().root();
    may_hold_nan = root == TypeRoot::kFloat || root == TypeRoot::kDouble;
    const bool any_nan = (range.min && IsNan(*range.min)) || (range.max && IsNan(*range.max));
    if (any_nan || leaf.literals().empty()) return;
    // A NULL comes first among the literals.
    const size_t kind = leaf.literals().back().index();
    if (range.min && range.min->index() == kind) min = &*range.min;
    if (range.max && range.max->index() == kind) max = &*range.max;
  }

  // No value can be equal to the literal.
  bool Excludes(const Value& literal) const {
    if (IsNan(literal)) return false;
    return (min && CompareValues(literal, *min) < 0) || (max && CompareValues(literal, *max) > 0);
  }
  // The one value that all are equal to.
  const Value* Only() const { return !may_hold_nan && min && max && CompareValues(*min, *max) == 0 ? min : nullptr; }
};

bool Contains(const std::vector<Value>& sorted, const Value& value) {
  return std::binary_search(sorted.begin(), sorted.end(), value,
                            [](const Value& a, const Value& b) { return CompareValues(a, b) < 0; });
}

bool AllStartWith(const Bounds& bounds, const std::string& prefix) {
  return bounds.min && bounds.max && std::get<std::string>(*bounds.min).starts_with(prefix) &&
         std::get<std::string>(*bounds.max).starts_with(prefix);
}

bool NoneStartsWith(const Bounds& bounds, const std::string& prefix) {
  if (bounds.max && std::get<std::string>(*bounds.max) < prefix) return true;
  return bounds.min && std::get<std::string>(*bounds.min).compare(0, prefix.size(), prefix) > 0;
}

bool LeafMayMatch(const Predicate& leaf, const Bounds& bounds) {
  const PredicateOp op = leaf.op();
  if (op == PredicateOp::kIsNull) return !bounds.no_null;
  if (bounds.all_null) return false;
  if (op == PredicateOp::kIsNotNull) return true;

  const auto& literals = leaf.literals();
  if (op == PredicateOp::kIn) {
    return std::any_of(literals.begin(), literals.end(),
                       [&](const Value& literal) { return !IsNull(literal) && !bounds.Excludes(literal); });
  }
  const Value& literal = literals[0];
  if (IsNull(literal)) return false;
  switch (op) {
    case PredicateOp::kNotIn: return !bounds.Only() || !Contains(literals, *bounds.Only());
    case PredicateOp::kEqual: return !bounds.Excludes(literal);
    case PredicateOp::kNotEqual: return !bounds.Only() || CompareValues(*bounds.Only(), literal) != 0;
    case PredicateOp::kLess: return !bounds.min || CompareValues(*bounds.min, literal) < 0;
    case PredicateOp::kLessOrEqual: return !bounds.min || CompareValues(*bounds.min, literal) <= 0;
    // NaN is greater than all others and may be there whatever the maximum says.
    case PredicateOp::kGreater: return bounds.may_hold_nan || !bounds.max || CompareValues(*bounds.max, literal) > 0;
    case PredicateOp::kGreaterOrEqual:
      return bounds.may_hold_nan || !bounds.max || CompareValues(*bounds.max, literal) >= 0;
    case PredicateOp::kStartsWith: return !NoneStartsWith(bounds, std::get<std::string>(literal));
    default: return true;
  }
}

bool LeafAllMatch(const Predicate& leaf, const Bounds& bounds) {
  const PredicateOp op = leaf.op();
  if (op == PredicateOp::kIsNull) return bounds.all_null;
  if (!bounds.no_null) return false;
  if (op == PredicateOp::kIsNotNull) return true;

  const auto& literals = leaf.literals();
  const Value& literal = literals[0];
  if (op == PredicateOp::kIn) return bounds.Only() && Contains(literals, *bounds.Only());
  if (IsNull(literal)) return false;
  switch (op) {
    case PredicateOp::kNotIn:
      return std::all_of(literals.begin(), literals.end(), [&](const Value& each) { return bounds.Excludes(each); });
    case PredicateOp::kEqual: return bounds.Only() && CompareValues(*bounds.Only(), literal) == 0;
    case PredicateOp::kNotEqual: return bounds.Excludes(literal);
    case PredicateOp::kLess: return !bounds.may_hold_nan && bounds.max && CompareValues(*bounds.max, literal) < 0;
    case PredicateOp::kLessOrEqual:
      return !bounds.may_hold_nan && bounds.max && CompareValues(*bounds.max, literal) <= 0;
    case PredicateOp::kGreater: return bounds.min && CompareValues(*bounds.min, literal) > 0;
    case PredicateOp::kGreaterOrEqual: return bounds.min && CompareValues(*bounds.min, literal) >= 0;
    case PredicateOp::kStartsWith: return AllStartWith(bounds, std::get<std::string>(literal));
    default: return false;
  }
}

}  // namespace

bool MayMatch(const Predicate& predicate, const RangeOf& range_of, int64_t row_count) {
  auto may_match = [&](const PredicatePtr& child) { return MayMatch(*child, range_of, row_count); };
  const auto& children = predicate.children();
  switch (predicate.op()) {
    case PredicateOp::kTrue: return true;
    case PredicateOp::kFalse: return false;
    case PredicateOp::kAnd: return std::all_of(children.begin(), children.end(), may_match);
    case PredicateOp::kOr: return std::any_of(children.begin(), children.end(), may_match);
    default: break;
  }
  const bool negated = predicate.op() == PredicateOp::kNot;
  const Predicate& leaf = negated ? *children[0] : predicate;
  auto range = range_of(leaf.column());
  if (!range) return true;
  const Bounds bounds(leaf, *range, row_count);
  if (!negated) return LeafMayMatch(leaf, bounds);
  if (bounds.all_null || IsNull(leaf.literals()[0])) return false;
  return leaf.op() != PredicateOp::kStartsWith || !AllStartWith(bounds, std::get<std::string>(leaf.literals()[0]));
}

bool AllMatch(const Predicate& predicate, const RangeOf& range_of, int64_t row_count) {
  auto all_match = [&](const PredicatePtr& child) { return AllMatch(*child, range_of, row_count); };
  const auto& children = predicate.children();
  switch (predicate.op()) {
    case PredicateOp::kTrue: return true;
    case PredicateOp::kFalse: return row_count == 0;
    case PredicateOp::kAnd: return std::all_of(children.begin(), children.end(), all_match);
    case PredicateOp::kOr: return std::any_of(children.begin(), children.end(), all_match);
    default: break;
  }
  const bool negated = predicate.op() == PredicateOp::kNot;
  const Predicate& leaf = negated ? *children[0] : predicate;
  auto range = range_of(leaf.column());
  if (!range) return false;
  const Bounds bounds(leaf, *range, row_count);
  if (!negated) return LeafAllMatch(leaf, bounds);
  if (!bounds.no_null || IsNull(leaf.literals()[0]) || leaf.op() != PredicateOp::kStartsWith) return false;
  return NoneStartsWith(bounds, std::get<std::string>(leaf.literals()[0]));
}

namespace {

std::optional<double> NumberOf(const Value& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* real = std::get_if<float>(&value)) return *real;
  if (const auto* decimal = std::get_if<DecimalValue>(&value)) return static_cast<double>(decimal->unscaled);
  if (const auto* time = std::get_if<TimestampValue>(&value)) return static_cast<double>(time->millis);
  return std::nullopt;
}

// The part of the values between the bounds that is below the literal.
double PartBelow(const ColumnRange& range, const Value& literal) {
  constexpr double kUnknown = 0.5;
  if (!range.min || !range.max) return kUnknown;
  auto low = NumberOf(*range.min), high = NumberOf(*range.max), at = NumberOf(literal);
  if (!low || !high || !at || !(*low < *high)) return kUnknown;
  double part = (*at - *low) / (*high - *low);
  return part >= 0 ? std::min(part, 1.0) : 0;
}

}  // namespace

double EstimateMatching(const Predicate& predicate, const RangeOf& range_of) {
  double part = 0;
  switch (predicate.op()) {
    case PredicateOp::kFalse:
    case PredicateOp::kEqual:
    case PredicateOp::kIn:
    case PredicateOp::kStartsWith: return 0;
    case PredicateOp::kAnd:
      // Of two that exclude different rows, as the two ends of a range do.
      part = 1;
      for (const PredicatePtr& child : predicate.children()) part -= 1 - EstimateMatching(*child, range_of);
      return std::max(part, 0.0);
    case PredicateOp::kOr:
      for (const PredicatePtr& child : predicate.children()) part += EstimateMatching(*child, range_of);
      return std::min(part, 1.0);
    case PredicateOp::kLess:
    case PredicateOp::kLessOrEqual:
    case PredicateOp::kGreater:
    case PredicateOp::kGreaterOrEqual: {
      auto range = range_of(predicate.column());
      part = range ? PartBelow(*range, predicate.literals()[0]) : 0.5;
      bool below = predicate.op() == PredicateOp::kLess || predicate.op() == PredicateOp::kLessOrEqual;
      return below ? part : 1 - part;
    }
    default: return 1;
  }
}

}  // namespace mica
