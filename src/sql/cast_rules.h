// How values become other types in Spark and Flink where DuckDB does it in another way: the fraction is cut when a
// number becomes a whole one, and structs whose fields have other names go by position. In CAST and where a value is
// stored in a column alike, inside of arrays, maps and structs too.
#pragma once

namespace duckdb {
class DatabaseInstance;
}  // namespace duckdb

namespace mica::sql {

void RegisterCasts(duckdb::DatabaseInstance& database);

}  // namespace mica::sql
