#include "types/partition_path.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "types/hex.h"
#include "types/timestamp.h"

namespace mica {
namespace {

std::string PathOf(std::string_view hex, const std::vector<std::pair<std::string, std::string>>& columns,
                   bool legacy = true) {
  std::vector<DataField> fields;
  for (const auto& [name, type] : columns) fields.push_back({0, name, DataType::Parse(type)});
  return PartitionPath(BinaryRow::Deserialize(FromHex(hex)), fields, {.legacy_name = legacy});
}

std::string TextPath(std::string text) {
  const std::vector<DataField> fields = {{0, "p", DataType::String()}};
  const std::vector<Value> values = {std::move(text)};
  const std::vector<DataType> types = {DataType::String()};
  return PartitionPath(BinaryRow::Of(values, types), fields, {});
}

// Format 14.1
TEST(PartitionPath, PathsAreThoseOfTheFormat) {
  EXPECT_EQ(PathOf("000000020000000000000000464d000000000000e80300001800000000f451c28c010000",
                   {{"d", "DATE"}, {"ts", "TIMESTAMP(6)"}}),
            "d=19782/ts=2024-01-01T00%3A00%3A00.000001/");
  EXPECT_EQ(PathOf("000000020000000000000000ffffffff00000000000000001800000000f451c28c010000",
                   {{"d", "DATE"}, {"ts", "TIMESTAMP(6)"}}),
            "d=-1/ts=2024-01-01T00%3A00/");
  EXPECT_EQ(PathOf("000000020000000000000000ffffffff0000000000f451c28c010000", {{"d", "DATE"}, {"ts", "TIMESTAMP(3)"}},
                   false),
            "d=1969-12-31/ts=2024-01-01 00%3A00%3A00.000/");
  EXPECT_EQ(PathOf("0000000200000000000000000000c03f00000000000000205fa00242", {{"f", "FLOAT"}, {"d", "DOUBLE"}}),
            "f=1.5/d=1.0E10/");
  for (const char* blank : {"0000000100010000000000000000000000000000", "0000000100000000000000000000000000000080",
                            "0000000100000000000000002020000000000082"}) {
    EXPECT_EQ(PathOf(blank, {{"p", "STRING"}}), "p=__DEFAULT_PARTITION__/");
  }
  EXPECT_EQ(PathOf("0000000100000000000000000a00000010000000713f6d2a7322743c3e7c000000000000", {{"p", "STRING"}}),
            "p=q%3Fm%2As%22t<>|/");
  EXPECT_EQ(PathOf("000000000000000000000000", {}), "");
}

TEST(PartitionPath, SpecialCharactersAreEscapedAndReadBack) {
  EXPECT_EQ(TextPath("{}[]^"), "p=%7B%7D%5B%5D%5E/");
  EXPECT_EQ(TextPath("a/b"), "p=a%2Fb/");
  EXPECT_EQ(TextPath("\t"), "p=__DEFAULT_PARTITION__/");
  EXPECT_EQ(TextPath("a\tb"), "p=a%09b/");
  EXPECT_EQ(TextPath("\x7f"), "p=%7F/");
  for (const char* plain : {"+&!@$", "a,b;c", ".dot", "日本", "~", "`", "()", " a "}) {
    EXPECT_EQ(TextPath(plain), std::string("p=") + plain + "/");
  }
  for (std::string text : {std::string("q?m*s\"t<>|"), std::string("100%"), std::string("%41"), std::string("a\0b", 3),
                           std::string("é%")}) {
    EXPECT_EQ(UnescapePathName(EscapePathName(text)), text);
  }
  EXPECT_EQ(UnescapePathName("a%4"), "a%4");
  EXPECT_EQ(UnescapePathName("%zz%2f"), "%zz/");
  EXPECT_EQ(UnescapePathName("%"), "%");
}

TEST(PartitionPath, EmptyTextsOfOtherAlphabetsAreBlank) {
  EXPECT_EQ(TextPath("\u3000\u2003 "), "p=__DEFAULT_PARTITION__/");
  EXPECT_EQ(TextPath("\u00a0"), "p=\u00a0/");
  EXPECT_EQ(TextPath("\u2007"), "p=\u2007/");
}

TEST(PartitionPath, EveryTypeHasItsText) {
  auto text = [](const Value& value, const char* type, bool legacy = true) {
    return EscapePathName(PartitionValueText(value, DataType::Parse(type), {.legacy_name = legacy}));
  };
  EXPECT_EQ(text(true, "BOOLEAN"), "true");
  EXPECT_EQ(text(int64_t{1}, "TINYINT"), "1");
  EXPECT_EQ(text(int64_t{-5}, "INT"), "-5");
  EXPECT_EQ(text(int64_t{10'000'000'000}, "BIGINT"), "10000000000");
  EXPECT_EQ(text(int64_t{19724}, "DATE"), "19724");
  EXPECT_EQ(text(int64_t{19724}, "DATE", false), "2024-01-02");
  EXPECT_EQ(text(DecimalValue{150}, "DECIMAL(10,2)"), "1.50");
  EXPECT_EQ(text(TimestampValue{1704164645678, 0}, "TIMESTAMP(3)"), "2024-01-02T03%3A04%3A05.678");
  EXPECT_EQ(text(TimestampValue{1704164645678, 0}, "TIMESTAMP_LTZ(3)"), "2024-01-02T03%3A04%3A05.678");
  EXPECT_EQ(text(std::string("ab"), "CHAR(2)"), "ab");
  EXPECT_EQ(text(int64_t{3723000}, "TIME(0)"), "3723000");
  EXPECT_EQ(text(int64_t{3723000}, "TIME(0)", false), "01%3A02%3A03");
  EXPECT_ERROR(text(std::string("ab"), "BYTES"), Unsupported, "BYTES");
}

TEST(PartitionPath, TextsAreReadInBothSpellings) {
  for (bool legacy : {true, false}) {
    const PartitionNaming naming{.default_name = "none", .legacy_name = legacy};
    auto read = [&](const char* text, const char* type) {
      return ParsePartitionValue(text, DataType::Parse(type), naming);
    };
    EXPECT_TRUE(IsNull(read("none", "INT")));
    EXPECT_EQ(read("2024-01-02", "DATE"), Value(int64_t{19724}));
    EXPECT_EQ(read("19724", "DATE"), Value(int64_t{19724}));
    EXPECT_EQ(read("-1", "DATE"), Value(int64_t{-1}));
    EXPECT_EQ(read("01:02:03", "TIME(0)"), Value(int64_t{3723000}));
    EXPECT_EQ(read("2024-01-02T03:04:05.678", "TIMESTAMP(3)"), Value(TimestampValue{1704164645678, 0}));
    EXPECT_EQ(read("2024-01-02 03:04:05.678", "TIMESTAMP(3)"), Value(TimestampValue{1704164645678, 0}));
    EXPECT_EQ(read("x", "STRING"), Value(std::string("x")));
    EXPECT_ERROR(read("x", "INT"), InvalidArgument, "'x'");
    EXPECT_ERROR(read("x", "BYTES"), Unsupported, "BYTES");
  }
}

}  // namespace
}  // namespace mica
