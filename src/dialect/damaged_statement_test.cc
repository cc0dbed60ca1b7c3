// Statements with slips of every kind are syntax errors, never anything worse.
#include <gtest/gtest.h>

#include "base/mutations.h"
#include "dialect/parser.h"
#include "dialect/statement_list.h"
#include "dialect/test_corpus.h"
#include "dialect/type_parser.h"

namespace mica::dialect {
namespace {

TEST(DamagedStatementTest, GivesStatementsOrErrors) {
  Mutations mutations;
  for (std::string_view script : {kFlinkCorpus, kSparkCorpus}) {
    const Dialect dialect = script == kFlinkCorpus ? Dialect::kFlink : Dialect::kSpark;
    for (const StatementText& part : SplitStatements(script, dialect)) {
      const std::string_view sql = script.substr(part.range.begin, part.range.end - part.range.begin);
      for (int i = 0; i < Mutations::Rounds(30); ++i) {
        const std::string damaged = mutations.Of(sql);
        Mutations::ExpectErrorOrValue([&] { Parse(damaged, dialect); });
      }
    }
  }
}

// Every form that the reference page tells.
TEST(DamagedStatementTest, ExamplesOfTheReference) {
  Mutations mutations;
  for (const StatementInfo& statement : Statements()) {
    for (int i = 0; i < Mutations::Rounds(60); ++i) {
      const std::string damaged = mutations.Of(statement.example);
      for (Dialect dialect : {Dialect::kSpark, Dialect::kFlink}) {
        Mutations::ExpectErrorOrValue([&] { Parse(damaged, dialect); });
      }
    }
  }
}

TEST(DamagedStatementTest, Queries) {
  Mutations mutations;
  const std::string_view queries[] = {
      "SELECT transform(a, (x, i) -> x + i), filter(b, y -> 'p' || y), EXTRACT(DOW FROM d), 7 DIV -2 FROM t "
      "LATERAL VIEW OUTER posexplode(m) v AS p, k, w WHERE a RLIKE 'x' AND b LIKE ANY ('a', 'b') AND c <=> NULL",
      "SELECT FLOOR(ts TO DAY), TIMESTAMPADD(DAY, 1, ts), INTERVAL '1-2' YEAR TO MONTH, MAP['a', ARRAY[1]]['a'], "
      "OVERLAY(a PLACING b FROM 1), TRY_CAST(x AS ROW<a INT>) FROM VALUES (1, X'1F'), (2L, 1.5D) AS t(a, b)",
      "SELECT collect_set(a) FILTER (WHERE b) OVER (ORDER BY c) FROM t VERSION AS OF 'x' JOIN u TIMESTAMP AS OF 12 "
      "/*+ OPTIONS('k' = 'v') */ q ON t.a = q.a QUALIFY row_number() OVER w > 1 WINDOW w AS (PARTITION BY a)",
      "SELECT struct(a AS x, b), array_sort(a, (l, r) -> l - r), map_zip_with(m, n, (k, x, y) -> x + y), "
      "aggregate(a, 0, (s, x) -> s + x, s -> s * 2), first(x) IGNORE NULLS, from_csv(s, 'a INT, b STRING'), "
      "extract(SECOND FROM ts), position('a', b), count_if(c > 1) FROM t",
      "SELECT a, k FROM t CROSS JOIN UNNEST(m) WITH ORDINALITY AS u(k, v, n), UNNEST(t.a) AS w(x)"};
  for (int i = 0; i < Mutations::Rounds(3000); ++i) {
    const std::string damaged = mutations.Of(queries[mutations.Next() % std::size(queries)]);
    for (Dialect dialect : {Dialect::kSpark, Dialect::kFlink}) {
      Mutations::ExpectErrorOrValue([&] { Parse(damaged, dialect); });
    }
  }
}

TEST(DamagedStatementTest, Types) {
  Mutations mutations;
  const std::string_view types[] = {"MAP<STRING, ROW<`x` DECIMAL(9, 3) NOT NULL COMMENT 'it''s'>>",
                                    "STRUCT<a: ARRAY<INT>, b: TIMESTAMP_NTZ>", "TIMESTAMP(6) WITH LOCAL TIME ZONE"};
  for (int i = 0; i < Mutations::Rounds(2000); ++i) {
    const std::string damaged = mutations.Of(types[mutations.Next() % std::size(types)]);
    for (Dialect dialect : {Dialect::kSpark, Dialect::kFlink}) {
      Mutations::ExpectErrorOrValue([&] { ParseType(damaged, dialect).ToString(); });
    }
  }
  // Deeper than any stack.
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "ARRAY<";
  Mutations::ExpectErrorOrValue([&] { ParseType(deep, Dialect::kSpark); });
  Mutations::ExpectErrorOrValue([&] { Parse("SELECT " + std::string(200'000, '('), Dialect::kSpark); });
}

}  // namespace
}  // namespace mica::dialect
