// The JSON functions of standard SQL, as Flink has them, whose arguments are parted by words:
//
//   JSON_VALUE(s, '$.a' RETURNING INT DEFAULT 0 ON EMPTY)    coalesce(TRY_CAST(json_value(s, '$.a') AS INTEGER), 0)
//   JSON_OBJECT(KEY 'a' VALUE x), JSON_ARRAY(x, y)           texts put together
//   s IS [NOT] JSON [VALUE | SCALAR | ARRAY | OBJECT]        s @& 'VALUE'
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "dialect/table_clause.h"

namespace mica::dialect {

struct JsonCall {
  std::string text;
  size_t end = 0;  // position after it
};

// The call whose name, or the predicate whose word IS, is at i; nothing for others. `rewrite` gives the engine's text
// of tokens [begin, end). Throws a syntax error where words are missing.
std::optional<JsonCall> RewriteJsonCall(const TokenSlice& tokens, size_t i,
                                        const std::function<std::string(size_t begin, size_t end)>& rewrite);

}  // namespace mica::dialect
