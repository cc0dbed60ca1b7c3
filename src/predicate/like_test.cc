#include "predicate/like.h"

#include <random>

#include <gtest/gtest.h>

namespace mica {
namespace {

std::string Said(std::string_view pattern, std::optional<char> escape = std::nullopt) {
  LikePredicate like = PredicateOfLike("c", DataType::String(), pattern, escape);
  if (like.predicate == nullptr) return "nothing";
  return (like.exact ? "" : "at least ") + like.predicate->ToString();
}

// M-0520
TEST(Like, SaysWhatAPatternMeans) {
  EXPECT_EQ(Said("abc"), "c = 'abc'");
  EXPECT_EQ(Said(""), "c = ''");
  EXPECT_EQ(Said("abc%"), "c STARTS WITH 'abc'");
  EXPECT_EQ(Said("%abc"), "c ENDS WITH 'abc'");
  EXPECT_EQ(Said("%abc%"), "c CONTAINS 'abc'");
  EXPECT_EQ(Said("%%"), "c IS NOT NULL");
  EXPECT_EQ(Said("_"), "at least c IS NOT NULL");
  EXPECT_EQ(Said("a%b%c"), "at least (c STARTS WITH 'a' AND c CONTAINS 'b' AND c ENDS WITH 'c')");
  EXPECT_EQ(Said("a_"), "at least c STARTS WITH 'a'");
}

TEST(Like, TakesTheMeaningFromWildcardsThatAreEscaped) {
  EXPECT_EQ(Said("100!%%", '!'), "c STARTS WITH '100%'");
  EXPECT_EQ(Said("a!_b!!", '!'), "c = 'a_b!'");
  EXPECT_EQ(Said("a!", '!'), "nothing");
  EXPECT_EQ(Said("a\\%"), "c STARTS WITH 'a\\'");
}

bool LikeMatches(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '%') {
    return LikeMatches(text, pattern.substr(1)) || (!text.empty() && LikeMatches(text.substr(1), pattern));
  }
  return !text.empty() && (pattern[0] == '_' || pattern[0] == text[0]) &&
         LikeMatches(text.substr(1), pattern.substr(1));
}

TEST(Like, NeverLosesAMatch) {
  std::mt19937 random(7);
  auto word = [&](std::string_view letters, size_t longest) {
    std::string text;
    for (size_t n = random() % (longest + 1); n > 0; --n) text += letters[random() % letters.size()];
    return text;
  };
  for (int i = 0; i < 20000; ++i) {
    std::string pattern = word("ab%_", 6), text = word("ab", 6);
    LikePredicate like = PredicateOfLike("c", DataType::String(), pattern, std::nullopt);
    bool matches = Matches(*like.predicate, [&](const std::string&) { return Value(text); });
    if (like.exact) {
      ASSERT_EQ(matches, LikeMatches(text, pattern)) << text << " LIKE " << pattern;
    } else if (LikeMatches(text, pattern)) {
      ASSERT_TRUE(matches) << text << " LIKE " << pattern;
    }
  }
}

}  // namespace
}  // namespace mica
