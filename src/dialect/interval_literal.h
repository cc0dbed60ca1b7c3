// Interval literals of Spark and Flink in the one form the engine knows.
//
//   INTERVAL '1-2' YEAR TO MONTH              INTERVAL '1 years 2 months'
//   INTERVAL '-1 02:03:04.5' DAY TO SECOND    INTERVAL '-1 days -2 hours -3 minutes -4.5 seconds'
//   INTERVAL 1 DAY 2 HOURS                    (INTERVAL '1' DAY + INTERVAL '2' HOURS)
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "dialect/table_clause.h"

namespace mica::dialect {

struct IntervalLiteral {
  std::string text;
  size_t end = 0;  // token position after it
};

// The literal whose word INTERVAL is at i; nothing when the engine reads it as it stands. Throws a syntax error for a
// text that does not fit its units.
std::optional<IntervalLiteral> ParseIntervalLiteral(const TokenSlice& tokens, size_t i);

}  // namespace mica::dialect
