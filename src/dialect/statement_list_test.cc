#include "dialect/statement_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dialect/parser.h"
#include "dialect/statement_beginnings.h"

namespace mica::dialect {
namespace {

TEST(StatementList, EveryExampleParsesInBothDialects) {
  for (const StatementInfo& statement : Statements()) {
    for (Dialect dialect : {Dialect::kSpark, Dialect::kFlink}) {
      EXPECT_NO_THROW(ParseStatement(std::string(statement.example), dialect)) << statement.example;
    }
  }
}

TEST(StatementList, TellsTheWordsThatStatementsBeginWith) {
  using testing::ElementsAre;
  EXPECT_THAT(Beginnings("SHOW {TABLES | VIEWS} [IN db]"),
              ElementsAre("SHOW TABLES", "SHOW TABLES IN", "SHOW VIEWS", "SHOW VIEWS IN"));
  EXPECT_THAT(Beginnings("[CREATE OR] REPLACE TABLE t (...)"), ElementsAre("CREATE OR REPLACE TABLE", "REPLACE TABLE"));
  EXPECT_THAT(Beginnings("SHOW CREATE {TABLE t | VIEW v} AS"), ElementsAre("SHOW CREATE TABLE", "SHOW CREATE VIEW"));
  EXPECT_THAT(Beginnings("USE {[CATALOG] c | db}"), ElementsAre("USE", "USE CATALOG"));
  EXPECT_THAT(Beginnings("CALL [catalog.]sys.p(v)"), ElementsAre("CALL"));
  EXPECT_THAT(Beginnings("{unclosed"), ElementsAre());
}

TEST(StatementList, EveryExampleBeginsAsItsSyntaxSays) {
  for (const StatementInfo& statement : Statements()) {
    std::string example(statement.example);
    bool found = false;
    for (const std::string& beginning : Beginnings(statement.syntax)) found = found || example.starts_with(beginning);
    EXPECT_TRUE(found) << statement.syntax << ": " << example;
  }
}

}  // namespace
}  // namespace mica::dialect
