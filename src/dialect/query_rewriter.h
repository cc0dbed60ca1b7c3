// Rewrites query text of both dialects into what the SQL engine parses, and only where it has to, so that error
// positions and unknown constructs stay as the user wrote them:
//
//   `db`.`t$files`                          "db"."t$files"
//   "text" (Spark), 'a\'b' (Spark), r'\d'   'text', 'a''b', '\d'
//   X'1F', 12L, 1.5D (Spark)                from_hex('1F'), CAST(12 AS BIGINT), CAST(1.5 AS DOUBLE)
//   a <=> b, a DIV b                        a IS NOT DISTINCT FROM b, a // b
//   LEFT SEMI JOIN, LEFT ANTI JOIN          SEMI JOIN, ANTI JOIN
//   CAST(x AS ARRAY<STRING>), x::BYTES      CAST(x AS VARCHAR[]), x::BLOB
//   CAST(x AS INT), CAST(x AS STRING)       CAST(mica_truncate(x) AS INTEGER), CAST(mica_text(x) AS VARCHAR)
//   a RLIKE b, a LIKE ANY (b, c), a ^ b     a @~ b, a ~~@ list_value(b, c), a @^ b (function_list.h)
//   x -> x + 1, (x, i) -> x + i             lambda x: x + 1, lambda x, i: x + (i - 1)
//   INTERVAL '1-2' YEAR TO MONTH            INTERVAL '1 years 2 months'
//   FROM VALUES (1), (2) t, MAP['a', 1]     FROM (SELECT * FROM (VALUES (1), (2)) AS v(col1)) t, map('a', 1)
//   LATERAL VIEW explode(a) t AS x          CROSS JOIN LATERAL (SELECT unnest(...)) AS "t"("x") (lateral_view.h)
//   SELECT explode(m) AS (k, v)             SELECT unnest(mica_named(mica_explode(m), 'k', 'v'), ...)
//   (generator_call.h) aggregate(a, 0, (s, x) -> s + x)        list_reduce(a, lambda s, x: s + x, 0) (lambda_call.h)
//   GROUP BY a WITH ROLLUP, count(a, b)     GROUP BY ROLLUP(a), count(mica_tuple(a, b))
//   TABLE(TUMBLE(TABLE t, ...)) (Flink)     (SELECT *, ... AS window_start, ... FROM t) (window_table.h)
//   DISTRIBUTE BY a SORT BY b               ORDER BY b
//   floor(t TO DAY), timestampadd(DAY, ..)  floor(t, 'day'), timestampadd('day', ..)
//   nvl, collect_list, filter, ...          the functions that function_list.h says are rewritten
//
// A column of a result that is given to the engine in another form keeps the name of what the user wrote:
// SELECT nvl(a, 0) becomes SELECT coalesce(a, 0) AS "nvl(a, 0)" (select_names.h).
//
// Time travel and option hints after a table become the one form the engine carries to the catalog. The alias goes
// first:
//
//   t VERSION AS OF 1 q, t FOR VERSION AS OF 'tag'      t AS q AT (VERSION => 1), t AT (VERSION => 'tag')
//   t TIMESTAMP AS OF '2024-01-01 00:00:00'             t AT (TIMESTAMP => '2024-01-01 00:00:00')
//   t TIMESTAMP AS OF 12 (always seconds)               t AT (TIMESTAMP => system.main.to_timestamp(12))
//   t FOR SYSTEM_TIME AS OF TIMESTAMP '...'             t AT (TIMESTAMP => TIMESTAMP '...')
//   t /*+ OPTIONS('branch'='b') */                      t AT (VERSION => '$options${"branch":"b"}') (option_version.h)
//
// A hint together with time travel carries the latter as scan.version, scan.timestamp or scan.timestamp-millis.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "dialect/cursor.h"
#include "dialect/statement.h"

namespace mica::dialect {

// Rewrites the tokens [begin, end) of a statement.
std::string RewriteQuery(const Cursor& cursor, size_t begin, size_t end);

// Rewrites a whole text.
std::string RewriteQuery(std::string_view text, Dialect dialect);

}  // namespace mica::dialect
