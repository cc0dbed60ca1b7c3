// The table functions of incremental queries (M-0512 to M-0514) in the engine's form: a table with options.
//
//   paimon_incremental_query('db.t', 1, 3)                        "db"."t" AT (VERSION => '$options${"incremental-between":"1,3"}')
//   paimon_incremental_between_timestamp('t', '2024-01-01', ...)  with incremental-between-timestamp
//   paimon_incremental_to_auto_tag('t', '2024-12-04')             with incremental-to-auto-tag
#pragma once

#include <optional>
#include <string>

#include "dialect/table_clause.h"

namespace mica::dialect {

struct IncrementalCall {
  std::string table;  // quoted
  std::string at;     // " AT (...)"
  size_t end = 0;     // token position after it
};
// The call that begins at token i, if one does. Throws SyntaxError for arguments that are no literals, or too many or few.
std::optional<IncrementalCall> ParseIncrementalCall(const TokenSlice& tokens, size_t i);

}  // namespace mica::dialect
