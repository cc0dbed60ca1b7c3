#include "dialect/type_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mica::dialect {
namespace {

using ::testing::HasSubstr;

std::string Spark(std::string_view text) {
  return ParseType(text, Dialect::kSpark).ToString();
}
std::string Flink(std::string_view text) {
  return ParseType(text, Dialect::kFlink).ToString();
}
std::string Failure(std::string_view text, Dialect dialect = Dialect::kSpark) {
  try {
    return "no error, read as " + ParseType(text, dialect).ToString();
  } catch (const Error& error) {
    return error.what();
  }
}

// M-0201
TEST(TypeParser, ReadsTheTypesOfSpark) {
  EXPECT_EQ(ParseType("byte", Dialect::kSpark), DataType(TypeRoot::kTinyInt));
  EXPECT_EQ(ParseType("SHORT", Dialect::kSpark), DataType(TypeRoot::kSmallInt));
  EXPECT_EQ(ParseType("LONG", Dialect::kSpark), DataType::BigInt());
  EXPECT_EQ(ParseType("REAL", Dialect::kSpark), DataType(TypeRoot::kFloat));
  EXPECT_EQ(ParseType("STRING", Dialect::kSpark), DataType::String());
  EXPECT_EQ(ParseType("BINARY", Dialect::kSpark), DataType::Bytes());
  EXPECT_EQ(ParseType("DECIMAL", Dialect::kSpark), DataType::Decimal(10, 0));
  EXPECT_EQ(ParseType("DECIMAL(20, 4)", Dialect::kSpark), DataType::Decimal(20, 4));
  EXPECT_EQ(ParseType("VARCHAR(5)", Dialect::kSpark), DataType::Varchar(5));
}

// M-0201, M-0203, M-0204
TEST(TypeParser, BareTimestampMeansWhatTheDialectSays) {
  EXPECT_EQ(ParseType("TIMESTAMP", Dialect::kSpark), DataType::TimestampLtz(6));
  EXPECT_EQ(ParseType("TIMESTAMP", Dialect::kSpark, {.timestamp_ntz = true}), DataType::Timestamp(6));
  EXPECT_EQ(ParseType("TIMESTAMP", Dialect::kFlink), DataType::Timestamp(6));
  EXPECT_EQ(ParseType("TIMESTAMP_NTZ", Dialect::kSpark), DataType::Timestamp(6));
  EXPECT_EQ(ParseType("TIMESTAMP(9) WITH LOCAL TIME ZONE", Dialect::kFlink), DataType::TimestampLtz(9));
  EXPECT_EQ(ParseType("TIMESTAMP_LTZ(3)", Dialect::kFlink), DataType::TimestampLtz(3));
  EXPECT_EQ(ParseType("TIME", Dialect::kFlink), DataType(TypeRoot::kTime, true, 0));
}

// M-0204
TEST(TypeParser, ReadsNestedTypesOfBothDialects) {
  DataField x{-1, "x", DataType::Int(), "note", std::nullopt};
  DataField y{-1, "y", DataType::Array(DataType::String().WithNullable(false)), std::nullopt, std::nullopt};
  DataType row = DataType::Row({x, y});
  EXPECT_EQ(ParseType("STRUCT<x: INT COMMENT 'note', y: ARRAY<STRING NOT NULL>>", Dialect::kSpark), row);
  EXPECT_EQ(ParseType("ROW<x INT 'note', `y` ARRAY<STRING NOT NULL>>", Dialect::kFlink), row);
  EXPECT_EQ(ParseType("ROW(x INT 'note', y STRING NOT NULL ARRAY)", Dialect::kFlink), row);
  EXPECT_EQ(ParseType("MAP<INT, MULTISET<BIGINT>>", Dialect::kFlink),
            DataType::Map(DataType::Int(), DataType::Multiset(DataType::BigInt())));
}

// M-0205
TEST(TypeParser, KeepsToTheLimits) {
  EXPECT_EQ(Flink("CHAR"), "CHAR(1)");
  EXPECT_EQ(Flink("VARBINARY"), "VARBINARY(1)");
  EXPECT_THAT(Failure("VARCHAR"), HasSubstr("VARCHAR needs a length"));
  EXPECT_THAT(Failure("CHAR(0)"), HasSubstr("from 1 to 2147483647"));
  EXPECT_THAT(Failure("VARCHAR(99999999999)"), HasSubstr("from 1 to 2147483647"));
  EXPECT_THAT(Failure("DECIMAL(39)"), HasSubstr("precision of DECIMAL is 39, it must be from 1 to 38"));
  EXPECT_THAT(Failure("DECIMAL(5, 6)"), HasSubstr("scale of DECIMAL is 6, it must be from 0 to 5"));
  EXPECT_THAT(Failure("TIMESTAMP(10)"), HasSubstr("from 0 to 9"));
  EXPECT_THAT(Failure("TIMESTAMP WITH TIME ZONE"), HasSubstr("WITH LOCAL TIME ZONE"));
  EXPECT_THAT(Failure("STRNG"), HasSubstr("unknown data type 'STRNG'. Did you mean 'STRING'?"));
  EXPECT_THAT(Failure("STRUCT<a: INT, a: INT>"), HasSubstr("field 'a' is given twice"));
  std::string deep;
  for (int i = 0; i < 10000; ++i) deep += "ARRAY<";
  EXPECT_THAT(Failure(deep), HasSubstr("nested deeper than"));
}

TEST(TypeParser, WritesTypesForTheEngine) {
  EXPECT_EQ(EngineType(ParseType("MAP<STRING, STRUCT<`a b`: BYTES>>", Dialect::kSpark)),
            "MAP(VARCHAR, STRUCT(\"a b\" BLOB))");
  EXPECT_EQ(EngineType(ParseType("ARRAY<TIMESTAMP(3)>", Dialect::kFlink)), "TIMESTAMP_MS[]");
  EXPECT_EQ(EngineType(ParseType("MULTISET<DECIMAL(5,2)>", Dialect::kFlink)), "MAP(DECIMAL(5, 2), INTEGER)");
  EXPECT_EQ(Spark("INT NOT NULL"), "INT NOT NULL");
}

}  // namespace
}  // namespace mica::dialect
