// Reads the SQL types of Spark and Flink into Mica's DataType, within their limits: CHAR(1..), DECIMAL(1..38, 0..p),
// TIME(0..9), TIMESTAMP(0..9). A bare TIMESTAMP has a local time zone in Spark and none in Flink.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dialect/cursor.h"
#include "types/data_type.h"

namespace mica::dialect {

struct TypeRules {
  // spark.sql.timestampType=TIMESTAMP_NTZ: a bare TIMESTAMP of Spark has no zone either.
  bool timestamp_ntz = false;
};

// A type with its NOT NULL; throws a syntax error at the token that is wrong.
DataType ParseType(Cursor& cursor, const TypeRules& rules = {});
// The whole text is one type.
DataType ParseType(std::string_view text, Dialect dialect, const TypeRules& rules = {});

// The same type in the words of the SQL engine, for CAST: VARCHAR, BLOB, TIMESTAMPTZ, STRUCT("a" INTEGER), INTEGER[].
std::string EngineType(const DataType& type);

}  // namespace mica::dialect
