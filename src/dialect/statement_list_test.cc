#include "dialect/statement_list.h"

#include <gtest/gtest.h>

#include "dialect/parser.h"

namespace mica::dialect {
namespace {

TEST(StatementList, EveryExampleParsesInBothDialects) {
  for (const StatementInfo& statement : Statements()) {
    for (Dialect dialect : {Dialect::kSpark, Dialect::kFlink}) {
      EXPECT_NO_THROW(ParseStatement(std::string(statement.example), dialect)) << statement.example;
    }
  }
}

}  // namespace
}  // namespace mica::dialect
