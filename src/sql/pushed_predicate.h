// DuckDB's filters as Mica predicates: bound expressions at planning, table filters (joins' and top-N's included) at run time.
// What has no exact form is left out of the conjunction; DuckDB applies its own filters in any case.
#pragma once

#include <functional>
#include <vector>

#include "predicate/predicate.h"

namespace duckdb {
class Expression;
class TableFilter;
class BoundColumnRefExpression;
}  // namespace duckdb

namespace mica::sql {

// The table column that a column reference means, or nullptr.
using FieldOfReference = std::function<const DataField*(const duckdb::BoundColumnRefExpression&)>;

// nullptr: nothing of the expression can be said. With `exact`, nothing is left out of a conjunction.
PredicatePtr FromExpression(const duckdb::Expression& expression, const FieldOfReference& field_of, bool exact = false);
PredicatePtr FromTableFilter(const duckdb::TableFilter& filter, const DataField& field);

}  // namespace mica::sql
