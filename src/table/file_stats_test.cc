#include "table/file_stats.h"

#include <gtest/gtest.h>

namespace mica {
namespace {

// Bounds of the one value, cut to a number of code points.
ColumnStats Cut(const std::string& text, int32_t length, const DataType& type = DataType::String()) {
  return ApplyStatsMode({.min = Value(text), .max = Value(text), .null_count = 0}, type,
                        {.kind = StatsMode::Kind::kTruncate, .length = length});
}

std::string Text(const std::optional<Value>& value) {
  return value ? std::get<std::string>(*value) : "(none)";
}

TEST(FileStatsTest, TextIsCutToCodePointsAndTheUpperBoundStaysOne) {
  const std::string face = "\xF0\x9F\x98\x80", next_face = "\xF0\x9F\x98\x81", last = "\xF4\x8F\xBF\xBF";
  EXPECT_EQ(Text(Cut("abcdefgh", 4).min), "abcd");
  EXPECT_EQ(Text(Cut("abcdefgh", 4).max), "abce");
  EXPECT_EQ(Text(Cut(face + face + face + face + face, 4).min), face + face + face + face);
  EXPECT_EQ(Text(Cut(face + face + face + face + face, 4).max), face + face + face + next_face);
  // Not longer: kept as it is.
  EXPECT_EQ(Text(Cut("abcd", 4).max), "abcd");
  EXPECT_EQ(Text(Cut(face + face, 2).max), face + face);
  // The last code point has no next one: it is dropped, and where nothing is left there are no bounds.
  EXPECT_EQ(Text(Cut("a" + last + "z", 2).max), "b");
  const ColumnStats none = Cut(last + last + "z", 2);
  EXPECT_FALSE(none.min || none.max);
  EXPECT_EQ(none.null_count, 0);
  // The code point behind U+D7FF is U+E000, because surrogates are no text.
  EXPECT_EQ(Text(Cut("\xED\x9F\xBFz", 1).max), "\xEE\x80\x80");
}

TEST(FileStatsTest, ModesKeepLessAndLess) {
  const ColumnStats stats{.min = Value(std::string("abcdefgh")), .max = Value(std::string("x")), .null_count = 3};
  auto keep = [&](std::string_view mode) { return ApplyStatsMode(stats, DataType::String(), ParseStatsMode(mode)); };
  EXPECT_EQ(Text(keep("full").min), "abcdefgh");
  EXPECT_EQ(Text(keep("truncate(3)").min), "abc");
  EXPECT_EQ(Text(keep("truncate(3)").max), "x");
  EXPECT_FALSE(keep("counts").min);
  EXPECT_EQ(keep("counts").null_count, 3);
  EXPECT_FALSE(keep("none").null_count);
}

}  // namespace
}  // namespace mica
