#include "dialect/query_rewriter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dialect/option_version.h"

namespace mica::dialect {
namespace {

using ::testing::HasSubstr;

std::string Spark(std::string_view sql) {
  return RewriteQuery(sql, Dialect::kSpark);
}
std::string Flink(std::string_view sql) {
  return RewriteQuery(sql, Dialect::kFlink);
}
std::string Failure(std::string_view sql, Dialect dialect = Dialect::kSpark) {
  try {
    return "no error: " + RewriteQuery(sql, dialect);
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(QueryRewriter, LeavesPlainSqlAlone) {
  for (std::string_view sql : {
           "SELECT a, count(*) FILTER (WHERE b > 1) AS n FROM t AS x LEFT JOIN u USING (id) -- end\nWHERE c IN ('a', "
           "'it''s')",
           "SELECT version AS of FROM t",
           "SELECT * FROM t$snapshots",
           "SELECT * FROM 'file.parquet'",
           "SELECT timestamp '2024-01-01 00:00:00' AS c, t.timestamp FROM t",
           "SELECT /*+ BROADCAST(t) */ a FROM t /*+ MERGE(x) */",
           "SELECT a::HUGEINT, CAST(b AS UTINYINT) c FROM t AT (VERSION => 1)",
           "SELECT 0x1F, $1, ?, a.\"b c\" FROM \"my db\".t",
           "SELECT x AS \"My Name\"",
       }) {
    EXPECT_EQ(Spark(sql), sql);
    EXPECT_EQ(Flink(sql), sql);
  }
}

TEST(QueryRewriter, QuotesNamesAndTextForTheEngine) {
  EXPECT_EQ(Spark("SELECT `a\"b`, \"te'xt\", 'it\\'s' FROM db.`t$snapshots`"),
            "SELECT \"a\"\"b\", 'te''xt', 'it''s' FROM db.\"t$snapshots\"");
  EXPECT_EQ(Flink("SELECT `a`, \"b\" FROM `c`.`d`"), "SELECT \"a\", \"b\" FROM \"c\".\"d\"");
  EXPECT_EQ(Spark("X'1F', 12L, -1.5D, 3BD, 2S FROM 2024_t"),
            "from_hex('1F'), CAST(12 AS BIGINT), -CAST(1.5 AS DOUBLE), 3, CAST(2 AS SMALLINT) FROM \"2024_t\"");
}

TEST(QueryRewriter, TranslatesTypesInCasts) {
  EXPECT_EQ(Spark("CAST(a AS STRING), try_cast(f(b, 'AS') AS ARRAY<STRUCT<x: INT>>), c::bytes"),
            "CAST(mica_text(a) AS VARCHAR), try_cast(f(b, 'AS') AS STRUCT(\"x\" INTEGER)[]), c::BLOB");
  EXPECT_EQ(Spark("CAST(a AS TIMESTAMP)"), "CAST(mica_moment(a) AS TIMESTAMPTZ)");
  EXPECT_EQ(Flink("CAST(a AS TIMESTAMP)"), "CAST(a AS TIMESTAMP)");
  EXPECT_EQ(Flink("CAST(a AS TIMESTAMP_LTZ(3)) AS STRING"), "CAST(a AS TIMESTAMPTZ) AS STRING");
}

TEST(QueryRewriter, TranslatesOperatorsJoinsAndFunctions) {
  EXPECT_EQ(Spark("SELECT nvl(a, 0) b FROM t LEFT ANTI JOIN u ON t.x <=> u.x"),
            "SELECT coalesce(a, 0) b FROM t ANTI JOIN u ON t.x IS NOT DISTINCT FROM u.x");
  EXPECT_EQ(Spark("a DIV 2"), "a // 2");
  EXPECT_EQ(Spark("a<=>b"), "a IS NOT DISTINCT FROM b");
  EXPECT_EQ(Spark("SELECT default.a FROM default.t VALUES (DEFAULT)"),
            "SELECT \"default\".a FROM \"default\".t VALUES (DEFAULT)");
  EXPECT_EQ(Spark("7 DIV -2, 7 DIV-2, a DIV +b, a DIV CASE WHEN b THEN 1 END"),
            "7 // -2, 7 // -2, a // +b, a // CASE WHEN b THEN 1 END");
  EXPECT_EQ(Spark("SELECT div FROM t"), "SELECT div FROM t");
  EXPECT_EQ(Spark("SELECT div - 2, a div FROM t"), "SELECT div - 2, a div FROM t");
  EXPECT_EQ(Spark("array(1, 2)"), "list_value(1, 2)");
  EXPECT_EQ(Spark("ARRAY(SELECT 1)"), "ARRAY(SELECT 1)");
  EXPECT_EQ(Spark("array(`a b`)[0] ^ 2, !x"), "list_value(\"a b\")[0] @^ 2, NOT x");
}

TEST(QueryRewriter, KnowsMinusBetweenQueries) {
  EXPECT_EQ(Spark("SELECT a FROM t MINUS SELECT b FROM u"), "SELECT a FROM t EXCEPT SELECT b FROM u");
  EXPECT_EQ(Spark("(SELECT a FROM t) MINUS ALL (SELECT b FROM u)"), "(SELECT a FROM t) EXCEPT ALL (SELECT b FROM u)");
  EXPECT_EQ(Spark("SELECT minus, a AS minus FROM minus"), "SELECT minus, a AS minus FROM minus");
}

TEST(QueryRewriter, JoinsTextsSideBySide) {
  EXPECT_EQ(Spark("SELECT 'a' 'b' \"c\", 'd' AS x"), "SELECT 'abc', 'd' AS x");
  EXPECT_EQ(Flink("SELECT 'a' \"b\""), "SELECT 'a' \"b\"");
}

TEST(QueryRewriter, PartsOperatorsFromSigns) {
  EXPECT_EQ(Spark("a!=-1 AND 7%-3=b||-c"), "a!= -1 AND 7% -3=b|| -c");
  EXPECT_EQ(Flink("5&~3, 5|+3, b=~1, ~-1"), "5& ~3, 5| +3, b= ~1, ~ -1");
  EXPECT_EQ(Flink("a<=-1, b*-1, c-+1, d<>-1"), "a<=-1, b*-1, c-+1, d<>-1");
  EXPECT_EQ(Spark("a<=>-1, 2^-b, !-c"), "a IS NOT DISTINCT FROM -1, 2 @^  -b, NOT  -c");
}

TEST(QueryRewriter, CutsFractionsInCastsToWholeNumbers) {
  EXPECT_EQ(Spark("CAST(CAST(a AS STRING) AS INT)"), "CAST(mica_truncate(CAST(mica_text(a) AS VARCHAR)) AS INTEGER)");
  EXPECT_EQ(Flink("TRY_CAST('1.7' AS BIGINT) + f(x)"), "TRY_CAST(mica_truncate('1.7') AS BIGINT) + f(x)");
}

TEST(QueryRewriter, WrapsAggregatesWithAllThatBelongsToThem) {
  EXPECT_EQ(Spark("collect_set(a)"), "list_distinct(coalesce(list(a), list_value()))");
  EXPECT_EQ(Spark("collect_set(nvl(a, 1)) FILTER (WHERE (b))"),
            "list_distinct(coalesce(list(coalesce(a, 1)) FILTER (WHERE (b)), list_value()))");
  EXPECT_EQ(Spark("collect_set(a) OVER (ORDER BY b), 1"),
            "list_distinct(coalesce(list(a) OVER (ORDER BY b), list_value())), 1");
  EXPECT_EQ(Spark("collect_set(a) OVER w"), "list_distinct(coalesce(list(a) OVER w, list_value()))");
}

TEST(QueryRewriter, TurnsWordsInCallsIntoArguments) {
  EXPECT_EQ(Flink("SUBSTRING(a FROM 2 FOR 3)"), "substr(a , 2 , 3)");
  EXPECT_EQ(Flink("OVERLAY(a PLACING b FROM 1)"), "mica_overlay(a , b , 1)");
  EXPECT_EQ(Flink("FLOOR(ts TO DAY)"), "FLOOR(ts , 'day')");
  EXPECT_EQ(Flink("TIMESTAMPADD(DAY, 1, ts)"), "TIMESTAMPADD('day', 1, ts)");
  EXPECT_EQ(Spark("datediff(day, start)"), "datediff(day, start)");
  EXPECT_EQ(Spark("EXTRACT(DOW FROM d) + 1"), "CAST(1 + extract(DOW FROM d) AS INTEGER) + 1");
  EXPECT_EQ(Flink("EXTRACT(DOW FROM d) + 1"), "(1 + extract(DOW FROM d)) + 1");
  EXPECT_EQ(Spark("EXTRACT(SECOND FROM t)"), "mica_seconds(extract(microseconds FROM t))");
  EXPECT_EQ(Spark("EXTRACT(YEAROFWEEK FROM t)"), "CAST(extract(isoyear FROM t) AS INTEGER)");
  EXPECT_EQ(Spark("date_part('YEAR', t)"), "CAST(extract(YEAR FROM t) AS INTEGER)");
  EXPECT_EQ(Spark("date_part('seconds', t)"), "mica_seconds(extract(microseconds FROM t))");
  EXPECT_EQ(Flink("date_part('dow', t)"), "(1 + extract(dow FROM t))");
  EXPECT_EQ(Spark("first(x) IGNORE NULLS"), "mica_flink_first(x) ");
  EXPECT_EQ(Spark("position('a', b)"), "locate('a', b)");
  EXPECT_EQ(Spark("count_if(a > 1) OVER ()"), "count(CASE WHEN a > 1 THEN 1 END) OVER ()");
}

TEST(QueryRewriter, RewritesLambdas) {
  EXPECT_EQ(Spark("transform(a, x -> x + 1)"), "transform(a, lambda x: x + 1)");
  EXPECT_EQ(Spark("transform(a, (x, i) -> x + i), i"), "transform(a, lambda x, i: x + (i - 1)), i");
  EXPECT_EQ(Spark("exists(a, x -> x > 1)"), "mica_any(list_transform(a, lambda x: x > 1))");
  EXPECT_EQ(Spark("EXISTS (SELECT 1)"), "EXISTS (SELECT 1)");
  EXPECT_EQ(Spark("transform(a, x -> 'p' || x)"), "transform(a, lambda x: 'p' || x)");
  EXPECT_EQ(Spark("filter(a, x -> 1 < x)"), "list_filter(a, lambda x: 1 < x)");
  EXPECT_EQ(Spark("max(j -> 'a'), transform(j -> 'a', x -> x)"), "max(j -> 'a'), transform(j -> 'a', lambda x: x)");
}

TEST(QueryRewriter, RewritesPatternsAndIntervals) {
  EXPECT_EQ(Spark("a RLIKE 'b' AND c NOT RLIKE 'd'"), "a @~ 'b' AND c !@~ 'd'");
  EXPECT_EQ(Spark("a LIKE ANY ('b', 'c')"), "a ~~@ list_value ('b', 'c')");
  EXPECT_EQ(Spark("a NOT LIKE ALL ('b')"), "a !~~@@ list_value ('b')");
  EXPECT_EQ(Spark("a LIKE 'b\\_%'"), "a LIKE 'b\\_%' ESCAPE '\\'");
  EXPECT_EQ(Spark("INTERVAL '1-2' YEAR TO MONTH"), "INTERVAL '1 years 2 months'");
  EXPECT_EQ(Spark("INTERVAL '-1 02:03:04.5' DAY TO SECOND"), "INTERVAL '-1 DAYs -02 HOURs -03 MINUTEs -04.5 SECONDs'");
  EXPECT_EQ(Spark("INTERVAL 1 DAY 2 HOURS"), "(INTERVAL '1' DAY + INTERVAL '2' HOUR)");
  EXPECT_EQ(Spark("INTERVAL '3' DAY"), "INTERVAL '3' DAY");
  EXPECT_THAT(Failure("INTERVAL '1' YEAR TO MONTH"), HasSubstr("an interval from YEAR to MONTH"));
}

TEST(QueryRewriter, RewritesTablesOfValuesAndViews) {
  EXPECT_EQ(Spark("SELECT a FROM VALUES (1), (2) AS t(a)"),
            "SELECT a FROM (SELECT * FROM (VALUES (1), (2)) AS \"values\"(col1)) AS t(a)");
  EXPECT_EQ(Flink("SELECT a FROM VALUES (1), (2) AS t(a)"), "SELECT a FROM (VALUES (1), (2)) AS t(a)");
  EXPECT_EQ(Spark("FROM (VALUES (f(1, 2), [3, 4])) v"),
            "FROM (SELECT * FROM (VALUES (f(1, 2), [3, 4])) AS \"values\"(col1, col2)) v");
  EXPECT_EQ(Flink("MAP['a', ARRAY[1]]['a']"), "map('a', ARRAY[1])['a']");
  EXPECT_EQ(Spark("FROM t LATERAL VIEW explode(`a b`) x AS y WHERE y"),
            "FROM t CROSS JOIN LATERAL (SELECT unnest(mica_explode(\"a b\"), max_depth := 2)) AS \"x\"(\"y\") WHERE y");
  EXPECT_EQ(Spark("FROM t LATERAL VIEW OUTER posexplode(a) AS p, y"),
            "FROM t LEFT JOIN LATERAL (SELECT unnest(mica_posexplode(a), max_depth := 2)) AS \"view_2\"(\"p\", \"y\") "
            "ON TRUE");
  EXPECT_THAT(Failure("FROM t LATERAL VIEW upper(a) x AS y"), HasSubstr("another function than explode"));
}

TEST(QueryRewriter, TurnsGeneratorsIntoUnnest) {
  EXPECT_EQ(Spark("SELECT explode(a), b"), "SELECT unnest(mica_explode(a), max_depth := 2), b");
  EXPECT_EQ(Spark("SELECT b, explode(m) AS (k, v) FROM t"),
            "SELECT b, unnest(mica_named(mica_explode(m), 'k', 'v'), max_depth := 2)  FROM t");
  EXPECT_EQ(Spark("SELECT explode_outer(nvl(a, b)) x"),
            "SELECT unnest(mica_named(mica_at_least_one(mica_explode(coalesce(a, b))), 'x'), max_depth := 2) ");
  EXPECT_EQ(Flink("FROM t, UNNEST(m) AS u(k, v)"),
            "FROM t, (SELECT unnest(mica_unnest(m), max_depth := 2)) AS u(k, v)");
  EXPECT_EQ(Flink("FROM t CROSS JOIN UNNEST(a) WITH ORDINALITY AS u(x, n)"),
            "FROM t CROSS JOIN (SELECT unnest(mica_unnest_counted(a), max_depth := 2))  AS u(x, n)");
  EXPECT_EQ(Spark("FROM explode(a) AS t(x)"), "FROM (SELECT unnest(mica_explode(a), max_depth := 2)) AS t(x)");
  EXPECT_EQ(Flink("SELECT explode(a)"), "SELECT explode(a)");
}

TEST(QueryRewriter, NamesColumnsByWhatWasWritten) {
  EXPECT_EQ(Spark("SELECT nvl(a, 0), `b`, nvl(a /* or */, 1) c FROM t"),
            "SELECT coalesce(a, 0) AS \"nvl(a, 0)\", \"b\", coalesce(a /* or */, 1) c FROM t");
  EXPECT_EQ(Spark("SELECT f(\n  nvl(a, 1)) FROM t"), "SELECT f(\n  coalesce(a, 1)) AS \"f( nvl(a, 1))\" FROM t");
  EXPECT_EQ(Spark("SELECT count(*), t.*, (SELECT nvl(a, 1)) x"),
            "SELECT count(*) AS \"count(*)\", t.*, (SELECT coalesce(a, 1) AS \"nvl(a, 1)\") x");
  EXPECT_EQ(Spark("nvl(a, 0)"), "coalesce(a, 0)");
}

TEST(QueryRewriter, GroupsInTheWordsOfHive) {
  EXPECT_EQ(Spark("GROUP BY a, nvl(b, 1) WITH ROLLUP HAVING c"), "GROUP BY ROLLUP( a, coalesce(b, 1))  HAVING c");
  EXPECT_EQ(Spark("GROUP BY a WITH CUBE"), "GROUP BY CUBE( a) ");
  EXPECT_EQ(Spark("GROUP BY a, b GROUPING SETS ((a), (b))"), "GROUP BY GROUPING SETS ((a), (b))");
  EXPECT_EQ(Spark("GROUP BY (a), (SELECT b) ORDER BY c"), "GROUP BY (a), (SELECT b) ORDER BY c");
}

TEST(QueryRewriter, OrdersWhereTasksWouldSort) {
  EXPECT_EQ(Spark("FROM t DISTRIBUTE BY a, f(b, c) SORT BY d DESC"), "FROM t  ORDER BY d DESC");
  EXPECT_EQ(Spark("FROM t CLUSTER BY a LIMIT 1"), "FROM t ORDER BY a LIMIT 1");
  EXPECT_EQ(Spark("sum(a) OVER (DISTRIBUTE BY b SORT BY c)"), "sum(a) OVER (PARTITION BY b ORDER BY c)");
}

TEST(QueryRewriter, ReordersArgumentsAroundLambdas) {
  EXPECT_EQ(Spark("aggregate(a, nvl(b, 0), (s, x) -> s + x)"),
            "struct_extract(list_reduce(list_transform(a, lambda next_0: struct_pack(sum := CASE WHEN FALSE THEN "
            "coalesce(b, 0) WHEN FALSE THEN (coalesce(b, 0)) + next_0 END, x := next_0)), lambda sum_0, next_0: "
            "struct_pack(sum := struct_extract(sum_0, 'sum') + "
            "struct_extract(next_0, 'x'), x := struct_extract(next_0, 'x')), struct_pack(sum := coalesce(b, 0), "
            "x := list_extract(a, 1))), 'sum')");
  EXPECT_EQ(Spark("struct(a AS x, b, nvl(c, 1) AS `y z`)"), "struct(\"x\" := a, b, \"y z\" := coalesce(c, 1))");
  EXPECT_EQ(
      Spark("map_zip_with(a, b, (k, x, y) -> x + y)"),
      "map_from_entries(list_transform(mica_zip_maps(a, b), lambda pair_0: struct_pack(k := struct_extract(pair_0, "
      "'k'), v := struct_extract(pair_0, 'x') + struct_extract(pair_0, 'y'))))");
  EXPECT_EQ(Spark("zip_with(a, b, (x, y) -> x.c + y)"),
            "list_transform(mica_zip(a, b), lambda pair_0: struct_extract(pair_0, 1).c + struct_extract(pair_0, 2))");
  EXPECT_EQ(Flink("aggregate(a)"), "aggregate(a)");
}

TEST(QueryRewriter, CountsTuples) {
  EXPECT_EQ(Spark("count(DISTINCT a, f(b, c))"), "count(DISTINCT mica_tuple( a, f(b, c)))");
  EXPECT_EQ(Spark("count(a, b)"), "count(mica_tuple(a, b))");
  EXPECT_EQ(Spark("count(DISTINCT f(b, c))"), "count(DISTINCT f(b, c))");
}

// M-0503, M-0504, M-0506, M-0507, M-0509
TEST(QueryRewriter, TurnsTimeTravelIntoAtWithTheAliasFirst) {
  EXPECT_EQ(Spark("SELECT * FROM t VERSION AS OF 1"), "SELECT * FROM t AT (VERSION => 1)");
  EXPECT_EQ(Spark("FROM db.t FOR VERSION AS OF 'my-tag' AS q WHERE a"),
            "FROM db.t AS q AT (VERSION => 'my-tag') WHERE a");
  EXPECT_EQ(Spark("FROM t TIMESTAMP AS OF '2023-06-01 00:00:00.123' x, u"),
            "FROM t AS x AT (TIMESTAMP => '2023-06-01 00:00:00.123'), u");
  EXPECT_EQ(Spark("FROM t TIMESTAMP AS OF 1678883047"),
            "FROM t AT (TIMESTAMP => system.main.to_timestamp(1678883047))");
  EXPECT_EQ(Spark("FROM t TIMESTAMP AS OF CAST('2024-01-01' AS STRING) JOIN u ON a"),
            "FROM t AT (TIMESTAMP => CAST(mica_text('2024-01-01') AS VARCHAR)) JOIN u ON a");
  EXPECT_EQ(Flink("FROM `t` FOR SYSTEM_TIME AS OF TIMESTAMP '2026-05-19 09:00:00' + INTERVAL '1' DAY AS x(a, `b`)"),
            "FROM \"t\" AS x(a, \"b\") AT (TIMESTAMP => TIMESTAMP '2026-05-19 09:00:00' + INTERVAL '1' DAY)");
}

TEST(QueryRewriter, ReadsOneTableAtTwoVersions) {
  EXPECT_EQ(Spark("SELECT * FROM t VERSION AS OF 1 a JOIN t VERSION AS OF 2 b ON a.x = b.x"),
            "SELECT * FROM t AS a AT (VERSION => 1) JOIN t AS b AT (VERSION => 2) ON a.x = b.x");
}

// M-0336, M-0508
TEST(QueryRewriter, CarriesOptionHintsInTheVersion) {
  std::string sql = Flink("FROM orders m JOIN orders /*+ OPTIONS('branch'='b''s') */ b ON m.id = b.id");
  EXPECT_EQ(sql, R"(FROM orders m JOIN orders AS b AT (VERSION => '$options${"branch":"b''s"}') ON m.id = b.id)");
  EXPECT_EQ(DecodeOptions(R"($options${"branch":"b's"})"), (Options{{"branch", "b's"}}));
  EXPECT_EQ(DecodeOptions("my-tag"), std::nullopt);
  EXPECT_EQ(Flink("FROM t AS q /*+ OPTIONS(a.b = 1) */"), R"(FROM t AS q AT (VERSION => '$options${"a.b":"1"}'))");
}

TEST(QueryRewriter, CombinesHintAndTimeTravel) {
  EXPECT_EQ(Spark("FROM t /*+ OPTIONS('branch'='b') */ VERSION AS OF 3 q"),
            R"(FROM t AS q AT (VERSION => '$options${"branch":"b","scan.version":"3"}'))");
  EXPECT_EQ(Spark("FROM t TIMESTAMP AS OF 12 /*+ OPTIONS('k'='v') */"),
            R"(FROM t AT (VERSION => '$options${"k":"v","scan.timestamp-millis":"12000"}'))");
}

TEST(QueryRewriter, QuotesColumnsThatOnlyTheEngineReserves) {
  EXPECT_EQ(Spark("SELECT id FROM t WHERE at = 1 AND NOT end"), R"(SELECT id FROM t WHERE "at" = 1 AND NOT "end")");
  EXPECT_EQ(Spark("SELECT 2 * at, 1 FROM t ORDER BY desc DESC, offset LIMIT 1"),
            R"(SELECT 2 * "at" AS "2 * at", 1 FROM t ORDER BY "desc" DESC, "offset" LIMIT 1)");
  EXPECT_EQ(Spark("SELECT 1 FROM t JOIN u USING (at)"), R"(SELECT 1 FROM t JOIN u USING ("at"))");
  // Where they are no columns.
  for (std::string_view same :
       {"SELECT CASE WHEN a THEN 1 END AS x FROM t", "SELECT * FROM t LIMIT 1 OFFSET 2",
        "SELECT a FROM t ORDER BY a DESC", "SELECT sum(a) OVER w AS x FROM t WINDOW w AS (ORDER BY a)",
        "SELECT * FROM t WHERE a = SOME (SELECT 1)"}) {
    EXPECT_EQ(Spark(same), same);
  }
}

TEST(QueryRewriter, RefusesWhatItCannotCarry) {
  EXPECT_THAT(Failure("SELECT /*+ OPTIONS('a'='b') */ 1"), HasSubstr("right after a table name"));
  EXPECT_THAT(Failure("FROM o JOIN d FOR SYSTEM_TIME AS OF o.proctime AS d ON x", Dialect::kFlink),
              HasSubstr("temporal join"));
  EXPECT_THAT(Failure("FROM t VERSION AS OF x"),
              HasSubstr("expected a snapshot id, or a tag name in quotes, found 'x'"));
  EXPECT_THAT(Failure("FROM t VERSION AS OF"), HasSubstr("found the end of the statement"));
  EXPECT_THAT(Failure("FROM t VERSION AS OF 1 VERSION AS OF 2"), HasSubstr("one version or time only"));
  EXPECT_THAT(Failure("FROM t /*+ OPTIONS('a') */"), HasSubstr("'=' and a value for option 'a'"));
}

TEST(QueryRewriter, TimestampsKeepTheirNanoseconds) {
  EXPECT_EQ(Spark("TIMESTAMP '2024-01-01 00:00:00.123456789'"), "TIMESTAMP_NS '2024-01-01 00:00:00.123456789'");
  EXPECT_EQ(Flink("TIMESTAMP '2024-01-01 00:00:00.123456000'"), "TIMESTAMP '2024-01-01 00:00:00.123456000'");
}

}  // namespace
}  // namespace mica::dialect
