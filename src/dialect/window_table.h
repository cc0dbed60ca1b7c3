// Flink's tables of windows: TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' MINUTES)), HOP and CUMULATE, as
// queries of the engine that add the columns window_start, window_end and window_time to the rows of t.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "dialect/table_clause.h"

namespace mica::dialect {

struct WindowTable {
  std::string text;
  size_t end = 0;  // position after it
};

// The table whose word TABLE is at i; nothing where that is none of windows. `rewrite` gives the engine's text of
// tokens [begin, end). Throws a syntax error where arguments are missing, Unsupported for SESSION.
std::optional<WindowTable> RewriteWindowTable(const TokenSlice& tokens, size_t i,
                                              const std::function<std::string(size_t begin, size_t end)>& rewrite);

}  // namespace mica::dialect
