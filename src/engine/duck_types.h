// Paimon types as DuckDB types and back, and single values between the two (M-0206).
//
// TIMESTAMP(0..6) is TIMESTAMP (microseconds hold them exactly), TIMESTAMP(7..9) is TIMESTAMP_NS, TIMESTAMP_LTZ is
// TIMESTAMP WITH TIME ZONE (microseconds: columns above precision 6 are refused by name when read), CHAR and VARCHAR
// are VARCHAR, BINARY and BYTES are BLOB, TIME is TIME, MULTISET<t> is MAP(t, INTEGER), ROW is STRUCT.
#pragma once

#include <optional>
#include <string>

#include "types/data_type.h"
#include "types/value.h"

namespace duckdb {
struct LogicalType;
class Value;
}  // namespace duckdb

namespace mica::sql {

// Compares texts without their trailing blanks; the session registers it.
inline constexpr const char* kCharCollation = "mica_char";

duckdb::LogicalType ToDuckType(const DataType& type);
// The Paimon type of a query's column (CREATE TABLE AS). Throws Unsupported naming the column.
DataType FromDuckType(const duckdb::LogicalType& type, const std::string& column);

// The name of a type as Spark's typeof and DESCRIBE QUERY give it: also void and interval, which no column can have.
std::string SparkNameOf(const duckdb::LogicalType& type);

// Throws Unsupported when the column's values do not fit the DuckDB type without loss.
void CheckReadableInSql(const DataType& type, const std::string& column);

// The value as a literal of the Paimon type; nothing when it cannot be given exactly.
std::optional<Value> FromDuckValue(const duckdb::Value& value, const DataType& type);
duckdb::Value ToDuckValue(const Value& value, const DataType& type);

}  // namespace mica::sql
