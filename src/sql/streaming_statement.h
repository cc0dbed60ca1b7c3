// What a SELECT that follows a table can say, since each step of the stream goes through it alone (M-0524).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace duckdb {
class LogicalOperator;
class QueryNode;
class SelectNode;
}  // namespace duckdb

namespace mica::sql {

// What needs all rows before it can give one, in SQL's words: by the statement's own shape, and by what the engine would do.
std::optional<std::string> NeedsAllRows(const duckdb::QueryNode& query);
std::optional<std::string> NeedsAllRows(const duckdb::LogicalOperator& step);

// Takes LIMIT away, of which the statement has no OFFSET and no expression; nothing where there was none.
std::optional<int64_t> TakeLimit(duckdb::QueryNode& query);
void SetLimit(duckdb::QueryNode& query, int64_t rows);

// Puts the kind of each row in front of what is selected, unless it is asked for by its name.
void SelectKind(duckdb::SelectNode& node);

}  // namespace mica::sql
