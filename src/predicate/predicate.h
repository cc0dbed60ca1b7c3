// Filters as trees over columns by name. They are tested against statistics (may a file hold a match?), against values
// (partitions) and against batches. What cannot be expressed here stays with the engine above: a predicate that was
// pushed down is a help, never a promise, unless the caller says so.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "types/data_type.h"
#include "types/value.h"

namespace mica {

enum class PredicateOp : uint8_t {
  kAnd, kOr, kNot,
  kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual,
  kIsNull, kIsNotNull, kIn, kNotIn, kStartsWith, kEndsWith, kContains,
  kTrue, kFalse,
};

class Predicate;
using PredicatePtr = std::shared_ptr<const Predicate>;

// Immutable. SQL semantics: a comparison with NULL is not a match. Not() moves inwards as it is built, so that kNot
// only stands over kStartsWith, kEndsWith and kContains. The literals of kIn and kNotIn are sorted and distinct; a NULL
// among them, which would be first, never makes kIn true and keeps kNotIn from ever being true.
class Predicate {
 public:
  static PredicatePtr Compare(PredicateOp op, std::string column, DataType type, Value literal);
  static PredicatePtr In(std::string column, DataType type, std::vector<Value> literals);
  static PredicatePtr NotIn(std::string column, DataType type, std::vector<Value> literals);
  static PredicatePtr IsNull(std::string column, DataType type);
  static PredicatePtr IsNotNull(std::string column, DataType type);
  static PredicatePtr And(std::vector<PredicatePtr> children);  // flattens; empty is True
  static PredicatePtr Or(std::vector<PredicatePtr> children);
  static PredicatePtr Not(PredicatePtr child);
  static PredicatePtr True();
  static PredicatePtr False();

  PredicateOp op() const { return op_; }
  const std::string& column() const { return column_; }
  const DataType& type() const { return type_; }
  const std::vector<Value>& literals() const { return literals_; }
  const std::vector<PredicatePtr>& children() const { return children_; }

  std::string ToString() const;
  // Names of all columns in it.
  std::vector<std::string> Columns() const;

 private:
  friend PredicatePtr RenameColumns(const PredicatePtr&,
                                    const std::function<std::optional<std::string>(const std::string&)>&);
  static PredicatePtr Leaf(PredicateOp op, std::string column, DataType type, std::vector<Value> literals);
  static PredicatePtr Inner(PredicateOp op, std::vector<PredicatePtr> children);
  static PredicatePtr Combine(PredicateOp op, std::vector<PredicatePtr> children);

  Predicate() = default;
  PredicateOp op_ = PredicateOp::kTrue;
  std::string column_;
  DataType type_;
  std::vector<Value> literals_;
  std::vector<PredicatePtr> children_;
};

// The conjuncts of a predicate.
std::vector<PredicatePtr> SplitAnd(const PredicatePtr& predicate);
// The part of the conjunction that only uses columns for which `keep` holds; nullptr when nothing is left.
PredicatePtr KeepColumns(const PredicatePtr& predicate, const std::function<bool(const std::string&)>& keep);
// Renames columns; a column for which `rename` gives nothing removes its conjunct (the result is weaker, never wrong).
// nullptr when nothing is left.
PredicatePtr RenameColumns(const PredicatePtr& predicate,
                           const std::function<std::optional<std::string>(const std::string&)>& rename);

// What is known of a column in a file, row group or manifest. Absent means unknown (P-15): never a reason to skip.
struct ColumnRange {
  std::optional<Value> min;  // a Value that is not NULL
  std::optional<Value> max;
  std::optional<int64_t> null_count;
};

// Gives the range of a column; nothing when the column is unknown.
using RangeOf = std::function<std::optional<ColumnRange>(const std::string& column)>;

// False only if no row can match. NaN bounds are unknown (Format 9).
bool MayMatch(const Predicate& predicate, const RangeOf& range_of, int64_t row_count);
// True only if every row matches: lets COUNT(*) and deletes work on metadata.
bool AllMatch(const Predicate& predicate, const RangeOf& range_of, int64_t row_count);

// About which part of the rows matches, 0 to 1, if values are spread evenly between their bounds. Rather too low than
// too high: it tells whether a closer look is worth it.
double EstimateMatching(const Predicate& predicate, const RangeOf& range_of);

// Exact, on one row of values; unknown (NULL) counts as no match.
bool Matches(const Predicate& predicate, const std::function<Value(const std::string& column)>& value_of);

// Exact, on a batch whose columns have the Arrow form of the predicate's types: the positions that match, ascending.
std::vector<int32_t> MatchingRows(const Predicate& predicate, const arrow::RecordBatch& batch);

// The distinct values a column can have: from = and IN under the conjunction. Nothing when not bounded to a list.
std::optional<std::vector<Value>> PossibleValues(const PredicatePtr& predicate, const std::string& column);

}  // namespace mica
