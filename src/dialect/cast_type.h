// The type of a cast in the engine's words. CAST(x AS INT) cuts fractions off where the engine rounds,
// CAST(x AS STRING) writes numbers as Java does, and Spark takes numbers for seconds in CAST(x AS TIMESTAMP), so these
// call a function on x first.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "dialect/table_clause.h"

namespace mica::dialect {

struct CastType {
  std::string text;
  std::string_view around;  // beginning of a call around the value that is cast, or empty
  size_t end = 0;           // token position after the type
};

// The type at i, after AS or `::`. Nothing for what is no type of the dialects, which stays for the engine.
std::optional<CastType> ParseCastType(const TokenSlice& tokens, size_t i, bool in_cast);

}  // namespace mica::dialect
