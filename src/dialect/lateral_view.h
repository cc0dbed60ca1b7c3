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
  std::string_view generator;  // what gives an array of rows (generator_call.h)
  size_t arguments_begin = 0;  // tokens of the arguments
  size_t arguments_end = 0;
  std::string alias;
  std::vector<std::string> columns;  // quoted; empty where they keep the names that the generator gives
  size_t end = 0;                    // token position after it
};

// The view whose word LATERAL is at i. Throws where another function than a generator is asked for.
LateralView ParseLateralView(const TokenSlice& tokens, size_t i);

// CROSS JOIN LATERAL (SELECT unnest(a)) AS "t"("x"); `arguments` are those of the call, already rewritten.
std::string LateralJoin(const LateralView& view, std::string_view arguments);

}  // namespace mica::dialect
