// LATERAL VIEW [OUTER] explode(a) t AS x, which Hive and Spark have, as a lateral join of the engine.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/table_clause.h"

namespace mica::dialect {

struct LateralView {
  bool outer = false;
  bool positions = false;  // posexplode
  size_t value_begin = 0;  // tokens of the argument
  size_t value_end = 0;
  std::string alias;
  std::vector<std::string> columns;  // quoted
  size_t end = 0;                    // token position after it
};

// The view whose word LATERAL is at i. Throws where another function than explode and posexplode is asked for.
LateralView ParseLateralView(const TokenSlice& tokens, size_t i);

// CROSS JOIN LATERAL (SELECT unnest(a)) AS "t"("x"); `value` is the argument, already rewritten.
std::string LateralJoin(const LateralView& view, std::string_view value);

}  // namespace mica::dialect
