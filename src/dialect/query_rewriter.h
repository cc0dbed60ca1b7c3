// Rewrites query text of both dialects into what the SQL engine parses, and only where it has to, so that error
// positions and unknown constructs stay as the user wrote them:
//
//   `db`.`t$files`                          "db"."t$files"
//   "text" (Spark), 'a\'b' (Spark), r'\d'   'text', 'a''b', '\d'
//   X'1F', 12L, 1.5D (Spark)                from_hex('1F'), CAST(12 AS BIGINT), CAST(1.5 AS DOUBLE)
//   a <=> b, a DIV b                        a IS NOT DISTINCT FROM b, a // b
//   LEFT SEMI JOIN, LEFT ANTI JOIN          SEMI JOIN, ANTI JOIN
//   CAST(x AS ARRAY<STRING>), x::BYTES      CAST(x AS VARCHAR[]), x::BLOB
//   nvl, array(..), rand, current_timestamp(), current_date(), date_format(x, 'yyyy')
//                                           coalesce, list_value, random, now, today, strftime(x, '%Y')
//
// Time travel and option hints after a table become the one form the engine carries to the catalog. The alias goes
// first:
//
//   t VERSION AS OF 1 q, t FOR VERSION AS OF 'tag'      t AS q AT (VERSION => 1), t AT (VERSION => 'tag')
//   t TIMESTAMP AS OF '2024-01-01 00:00:00'             t AT (TIMESTAMP => '2024-01-01 00:00:00')
//   t TIMESTAMP AS OF 1678883047                        t AT (TIMESTAMP => to_timestamp(1678883047)), always seconds
//   t FOR SYSTEM_TIME AS OF TIMESTAMP '...'             t AT (TIMESTAMP => TIMESTAMP '...')
//   t /*+ OPTIONS('branch'='b') */                      t AT (VERSION => '$options${"branch":"b"}')
//
// A hint together with time travel carries the latter as scan.version, scan.timestamp or scan.timestamp-millis.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "dialect/cursor.h"
#include "dialect/statement.h"

namespace mica::dialect {

inline constexpr std::string_view kOptionsPrefix = "$options$";

// Rewrites the tokens [begin, end) of a statement. `target_end` is the position after the table that the statement
// changes: a hint or time travel there is refused.
std::string RewriteQuery(const Cursor& cursor, size_t begin, size_t end,
                         std::optional<size_t> target_end = std::nullopt);

// Rewrites a whole text.
std::string RewriteQuery(std::string_view text, Dialect dialect);

// The version text that carries options, and back: nothing when `version` is a real version.
std::string EncodeOptions(const Options& options);
std::optional<Options> DecodeOptions(std::string_view version);

// yyyy-MM-dd HH:mm:ss -> %Y-%m-%d %H:%M:%S. Throws Unsupported for a letter that has no counterpart.
std::string StrftimePattern(std::string_view java_pattern);

}  // namespace mica::dialect
