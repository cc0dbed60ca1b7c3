#include "dialect/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mica::dialect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Texts(std::string_view sql, Dialect dialect = Dialect::kSpark) {
  std::vector<std::string> out;
  for (const Token& token : Tokenize(sql, dialect).list) {
    if (token.kind != TokenKind::kEnd) out.emplace_back(token.text);
  }
  return out;
}

std::string OnlyText(std::string_view sql, Dialect dialect) {
  return TextOf(Tokenize(sql, dialect).list.front(), dialect);
}

TEST(Tokenizer, CutsWordsNumbersAndOperators) {
  EXPECT_THAT(Texts("a.b<=>1.5e-3::INT"), ElementsAre("a", ".", "b", "<=>", "1.5e-3", "::", "INT"));
  EXPECT_THAT(Texts("t$snapshots 2024_orders 12L .5 t.1"),
              ElementsAre("t$snapshots", "2024_orders", "12L", ".5", "t", ".", "1"));
}

TEST(Tokenizer, ClosesNestedTypesOneByOne) {
  EXPECT_THAT(Texts("ARRAY<ARRAY<INT>>"), ElementsAre("ARRAY", "<", "ARRAY", "<", "INT", ">", ">"));
}

TEST(Tokenizer, SkipsCommentsAndKeepsHints) {
  EXPECT_THAT(Texts("a -- b;\n/* c /* d */ ; */ e /*+ OPTIONS('k'='v') */;"),
              ElementsAre("a", "e", "/*+ OPTIONS('k'='v') */", ";"));
}

TEST(Tokenizer, ResolvesEscapesByDialect) {
  EXPECT_EQ(OnlyText(R"('it''s')", Dialect::kFlink), "it's");
  EXPECT_EQ(OnlyText(R"('a\'b\n\u00e9\\')", Dialect::kSpark), "a'b\n\xC3\xA9\\");
  EXPECT_EQ(OnlyText(R"('a\nb')", Dialect::kFlink), R"(a\nb)");
  EXPECT_EQ(OnlyText(R"(r'\d+')", Dialect::kSpark), R"(\d+)");
  EXPECT_EQ(OnlyText("`a``b`", Dialect::kSpark), "a`b");
  EXPECT_EQ(OnlyText(R"("a""b")", Dialect::kSpark), "a\"b");
}

TEST(Tokenizer, EveryTokenKnowsItsPlace) {
  std::string sql = "SELECT `x y` , 'z'";
  for (const Token& token : Tokenize(sql, Dialect::kSpark).list) {
    EXPECT_EQ(sql.substr(token.range.begin, token.range.end - token.range.begin), token.text);
  }
}

TEST(Tokenizer, SaysWhatIsNotClosed) {
  EXPECT_EQ(Tokenize("SELECT 'a", Dialect::kSpark).unclosed, Unclosed::kString);
  EXPECT_EQ(Tokenize("SELECT 'a\\'", Dialect::kSpark).unclosed, Unclosed::kString);
  EXPECT_EQ(Tokenize("SELECT 'a\\'", Dialect::kFlink).unclosed, Unclosed::kNothing);
  EXPECT_EQ(Tokenize("SELECT `a", Dialect::kSpark).unclosed, Unclosed::kQuotedName);
  EXPECT_EQ(Tokenize("SELECT /* /* */", Dialect::kSpark).unclosed, Unclosed::kComment);
}

TEST(SyntaxErrors, PointAtTheCharacter) {
  Error error = SyntaxError("SELECT\n  'é', oops", 15, "expected x");
  EXPECT_EQ(std::string(error.what()), "Syntax error at line 2, column 8: expected x\n    'é', oops\n         ^");
}

TEST(SyntaxErrors, ShowOnlyTheSurroundingsInALongLine) {
  std::string line(1000, 'a');
  std::string text = SyntaxError(line, 500, "expected x").what();
  EXPECT_THAT(text, HasSubstr("column 501"));
  EXPECT_LT(text.size(), 400u);
}

}  // namespace
}  // namespace mica::dialect
