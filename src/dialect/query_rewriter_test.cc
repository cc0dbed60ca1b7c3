#include "dialect/query_rewriter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
           "SELECT a, count(*) FILTER (WHERE b > 1) FROM t AS x LEFT JOIN u USING (id) -- end\nWHERE c IN ('a', "
           "'it''s')",
           "SELECT version AS of FROM t",
           "SELECT * FROM t$snapshots",
           "SELECT * FROM 'file.parquet'",
           "SELECT timestamp '2024-01-01 00:00:00', t.timestamp FROM t",
           "SELECT /*+ BROADCAST(t) */ a FROM t /*+ MERGE(x) */",
           "SELECT a::HUGEINT, CAST(b AS UTINYINT) FROM t AT (VERSION => 1)",
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
  EXPECT_EQ(Spark("SELECT X'1F', 12L, -1.5D, 3BD, 2S FROM 2024_t"),
            "SELECT from_hex('1F'), CAST(12 AS BIGINT), -CAST(1.5 AS DOUBLE), 3, CAST(2 AS SMALLINT) FROM \"2024_t\"");
}

TEST(QueryRewriter, TranslatesTypesInCasts) {
  EXPECT_EQ(Spark("SELECT CAST(a AS STRING), try_cast(f(b, 'AS') AS ARRAY<STRUCT<x: INT>>), c::bytes"),
            "SELECT CAST(a AS VARCHAR), try_cast(f(b, 'AS') AS STRUCT(\"x\" INTEGER)[]), c::BLOB");
  EXPECT_EQ(Spark("CAST(a AS TIMESTAMP)"), "CAST(a AS TIMESTAMPTZ)");
  EXPECT_EQ(Flink("CAST(a AS TIMESTAMP)"), "CAST(a AS TIMESTAMP)");
  EXPECT_EQ(Flink("CAST(a AS TIMESTAMP_LTZ(3)) AS STRING"), "CAST(a AS TIMESTAMPTZ) AS STRING");
}

TEST(QueryRewriter, TranslatesOperatorsJoinsAndFunctions) {
  EXPECT_EQ(Spark("SELECT nvl(a, 0) FROM t LEFT ANTI JOIN u ON t.x <=> u.x"),
            "SELECT coalesce(a, 0) FROM t ANTI JOIN u ON t.x IS NOT DISTINCT FROM u.x");
  EXPECT_EQ(Spark("a DIV 2"), "a // 2");
  EXPECT_EQ(Spark("a<=>b"), "a IS NOT DISTINCT FROM b");
  EXPECT_EQ(Spark("SELECT default.a FROM default.t VALUES (DEFAULT)"),
            "SELECT \"default\".a FROM \"default\".t VALUES (DEFAULT)");
  EXPECT_EQ(Spark("SELECT div FROM t"), "SELECT div FROM t");
  EXPECT_EQ(Spark("array(1, 2)"), "list_value(1, 2)");
  EXPECT_EQ(Spark("ARRAY(SELECT 1)"), "ARRAY(SELECT 1)");
  EXPECT_EQ(Flink("CONCAT('eod-', DATE_FORMAT(CURRENT_TIMESTAMP, 'yyyy-MM-dd''T''HH:mm:ss.SSS %'))"),
            "CONCAT('eod-', strftime(CURRENT_TIMESTAMP, '%Y-%m-%dT%H:%M:%S.%g %%'))");
  EXPECT_THAT(Failure("date_format(a, 'QQ')"), HasSubstr("uses 'QQ'"));
  EXPECT_THAT(Failure("SELECT * FROM t LATERAL VIEW explode(a) x AS y"), HasSubstr("LATERAL VIEW"));
}

// M-0503, M-0504, M-0506, M-0507, M-0509
TEST(QueryRewriter, TurnsTimeTravelIntoAtWithTheAliasFirst) {
  EXPECT_EQ(Spark("SELECT * FROM t VERSION AS OF 1"), "SELECT * FROM t AT (VERSION => 1)");
  EXPECT_EQ(Spark("FROM db.t FOR VERSION AS OF 'my-tag' AS q WHERE a"),
            "FROM db.t AS q AT (VERSION => 'my-tag') WHERE a");
  EXPECT_EQ(Spark("FROM t TIMESTAMP AS OF '2023-06-01 00:00:00.123' x, u"),
            "FROM t AS x AT (TIMESTAMP => '2023-06-01 00:00:00.123'), u");
  EXPECT_EQ(Spark("FROM t TIMESTAMP AS OF 1678883047"), "FROM t AT (TIMESTAMP => to_timestamp(1678883047))");
  EXPECT_EQ(Spark("FROM t TIMESTAMP AS OF CAST('2024-01-01' AS STRING) JOIN u ON a"),
            "FROM t AT (TIMESTAMP => CAST('2024-01-01' AS VARCHAR)) JOIN u ON a");
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

}  // namespace
}  // namespace mica::dialect
