// Functions that give several rows and columns: explode, posexplode, inline, stack and json_tuple, where a query calls
// them in its list of columns or as a table. The engine gets unnest of an array of structs, one for each row.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "dialect/function_list.h"
#include "dialect/table_clause.h"

namespace mica::dialect {

struct GeneratorCall {
  std::string before;  // instead of the function's name
  std::string after;   // behind the call
  size_t end = 0;      // position after the call, and after the names that are in `after`
};

// The generator that a call of this name is; nullptr for other functions.
const SqlFunction* FindGenerator(const Token& name, Dialect dialect);

// The call whose name is at i; nothing where no generator can be called: it has to be a `column` of its own, or a
// table.
std::optional<GeneratorCall> ParseGeneratorCall(const TokenSlice& tokens, size_t i, bool column);

}  // namespace mica::dialect
