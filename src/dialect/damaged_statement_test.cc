// Statements with slips of every kind are syntax errors, never anything worse.
#include <gtest/gtest.h>

#include "base/mutations.h"
#include "dialect/parser.h"
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
