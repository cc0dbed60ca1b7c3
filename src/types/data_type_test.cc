#include "types/data_type.h"

#include <random>

#include <gtest/gtest.h>

#include "base/expect_error.h"

namespace mica {
namespace {

TEST(DataType, TextOfAtomicTypesReadsBackAsItWasWritten) {
  for (const char* text : {"CHAR(10)",
                           "VARCHAR(20)",
                           "STRING",
                           "BINARY(10)",
                           "VARBINARY(20)",
                           "BYTES",
                           "BOOLEAN",
                           "TINYINT",
                           "SMALLINT",
                           "INT",
                           "BIGINT",
                           "FLOAT",
                           "DOUBLE",
                           "DATE",
                           "DECIMAL(10, 2)",
                           "DECIMAL(38, 38)",
                           "TIME(0)",
                           "TIMESTAMP(6)",
                           "TIMESTAMP(0)",
                           "TIMESTAMP(6) WITH LOCAL TIME ZONE",
                           "VARIANT",
                           "BLOB",
                           "INT NOT NULL",
                           "STRING NOT NULL",
                           "TIMESTAMP(9) WITH LOCAL TIME ZONE NOT NULL"}) {
    EXPECT_EQ(DataType::Parse(text).ToString(), text);
    EXPECT_EQ(DataType::FromJson(Json(text)).ToJson(), Json(text));
  }
}

TEST(DataType, TextAcceptsTheOtherSpellings) {
  auto parsed = [](const char* text) { return DataType::Parse(text).ToString(); };
  EXPECT_EQ(parsed("integer"), "INT");
  EXPECT_EQ(parsed(" numeric ( 5 , 1 ) "), "DECIMAL(5, 1)");
  EXPECT_EQ(parsed("DEC"), "DECIMAL(10, 0)");
  EXPECT_EQ(parsed("decimal(7)"), "DECIMAL(7, 0)");
  EXPECT_EQ(parsed("Double Precision NULL"), "DOUBLE");
  EXPECT_EQ(parsed("CHAR"), "CHAR(1)");
  EXPECT_EQ(parsed("VARCHAR"), "VARCHAR(1)");
  EXPECT_EQ(parsed("varchar(2147483647) not null"), "STRING NOT NULL");
  EXPECT_EQ(parsed("TIME(3) WITHOUT TIME ZONE"), "TIME(3)");
  EXPECT_EQ(parsed("TIMESTAMP WITHOUT TIME ZONE"), "TIMESTAMP(6)");
  EXPECT_EQ(parsed("TIMESTAMP_LTZ(3)"), "TIMESTAMP(3) WITH LOCAL TIME ZONE");
  EXPECT_EQ(parsed("INT NOT NULL ARRAY"), "ARRAY<INT NOT NULL>");
  EXPECT_EQ(parsed("INT ARRAY NOT NULL MULTISET"), "MULTISET<ARRAY<INT> NOT NULL>");
}

TEST(DataType, TextThatIsNoTypeIsRefused) {
  for (const char* text :
       {"", "  ", "FOO", "INT INT", "DECIMAL(39)", "DECIMAL(5,6)", "DECIMAL(5", "CHAR(0)", "CHAR(-1)",
        "CHAR(99999999999)", "TIMESTAMP(10)", "TIMESTAMP WITH TIME ZONE", "INT NOT", "5", "(", "VARCHAR()"}) {
    EXPECT_ERROR(DataType::Parse(text), InvalidArgument, "Cannot read the type");
  }
  EXPECT_ERROR(DataType::Parse("GEOMETRY(OGC:CRS84)"), Unsupported, "GEOMETRY");
  EXPECT_ERROR(DataType::Parse("INT" + std::string(100'000, ' ') + "ARRAY X"), InvalidArgument, "not expected");
}

TEST(DataType, JsonOfNestedTypesReadsBackAsItWasWritten) {
  const char* text = R"({"type":"ROW NOT NULL","fields":[)"
                     R"({"id":3,"name":"a","type":{"type":"ARRAY","element":"INT NOT NULL"},"description":"d"},)"
                     R"({"id":4,"name":"m","type":{"type":"MAP NOT NULL","key":"STRING NOT NULL","value":)"
                     R"({"type":"MULTISET","element":"BIGINT"}},"defaultValue":"x"}]})";
  const DataType type = DataType::FromJson(ParseJson(text, "type"));
  EXPECT_EQ(type.ToJson().dump(), text);
  EXPECT_EQ(type.ToString(),
            "ROW<`a` ARRAY<INT NOT NULL> 'd', `m` MAP<STRING NOT NULL, MULTISET<BIGINT>> NOT NULL> NOT NULL");
  EXPECT_EQ(type, DataType::FromJson(type.ToJson()));
  EXPECT_NE(type, type.WithNullable(true));
  EXPECT_TRUE(type.SameTypeAs(type.WithNullable(true)));
  EXPECT_EQ(*type.fields()[1].default_value, "x");
}

TEST(DataType, RowFieldsWithoutIdAreNumbered) {
  const char* text = R"({"type":"ROW","fields":[{"name":"a","type":"INT"},{"name":"b","type":)"
                     R"({"type":"ROW","fields":[{"name":"c","type":"INT"}]}},{"name":"d","type":"INT"}]})";
  int32_t next = 7;
  const DataType type = DataType::FromJson(ParseJson(text, "type"), &next);
  EXPECT_EQ(type.fields()[0].id, 7);
  EXPECT_EQ(type.fields()[1].id, 8);
  EXPECT_EQ(type.fields()[1].type.fields()[0].id, 9);
  EXPECT_EQ(type.fields()[2].id, 10);
  EXPECT_EQ(next, 11);
}

TEST(DataType, JsonThatIsNoTypeIsRefused) {
  for (const char* text :
       {"1", "null", "[]", "{}", R"({"type":"ARRAY"})", R"({"type":"MAP","key":"INT"})", R"({"type":"ROW"})",
        R"({"type":"ROW","fields":[1]})", R"({"type":"ROW","fields":[{"id":1,"type":"INT"}]})",
        R"({"type":"ROW","fields":[{"id":1,"name":"a"}]})", R"({"type":"LIST","element":"INT"})",
        R"({"type":"ROW","fields":[{"id":99999999999,"name":"a","type":"INT"}]})"}) {
    EXPECT_ERROR(DataType::FromJson(ParseJson(text, "type")), Corrupt, "");
  }
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += R"({"type":"ARRAY","element":)";
  deep += "\"INT\"" + std::string(5000, '}');
  EXPECT_ERROR(DataType::FromJson(ParseJson(deep, "type")), Corrupt, "nested");
}

TEST(DataType, RandomTextNeverCrashes) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const std::vector<std::string> words = {
      "INT",  "DECIMAL", "(",     ")",        ",",         "10",   "99999999999999999999",
      "NOT",  "NULL",    "ARRAY", "MULTISET", "TIMESTAMP", "WITH", "LOCAL",
      "TIME", "ZONE",    "<",     "\xff",     "`",         "'",    "2"};
  size_t types = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (uint64_t j = 0, count = random() % 7; j < count; ++j)
      text += words[random() % words.size()] + (random() % 3 ? " " : "");
    try {
      const DataType type = DataType::Parse(text);
      if (type.root() < TypeRoot::kArray) {
        EXPECT_EQ(DataType::Parse(type.ToString()), type);
      }
      EXPECT_EQ(DataType::FromJson(type.ToJson()), type);
      ++types;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInvalidArgument);
    }
  }
  EXPECT_GT(types, 100u);
}

// Format 2.1.
TEST(DataType, ColumnsAreNumberedBeforeAndNestedFieldsAfterWhatTheyHold) {
  auto field = [](std::string name, DataType type) { return DataField{-1, std::move(name), std::move(type)}; };
  const DataType y = DataType::Row({field("z", DataType::Int())});
  const DataType b = DataType::Row({field("x", DataType::Int()), field("y", y)});
  int32_t highest = -1;
  const auto fields =
      AssignFieldIds({field("a", DataType::Int()), field("b", b), field("c", DataType::Int())}, &highest);
  EXPECT_EQ(fields[0].id, 0);
  EXPECT_EQ(fields[1].id, 1);
  EXPECT_EQ(fields[1].type.fields()[0].id, 2);
  EXPECT_EQ(fields[1].type.fields()[1].type.fields()[0].id, 3);
  EXPECT_EQ(fields[1].type.fields()[1].id, 4);
  EXPECT_EQ(fields[2].id, 5);
  EXPECT_EQ(highest, 5);
  EXPECT_EQ(HighestFieldId(fields), 5);
  auto with_system = fields;
  with_system.push_back(SequenceNumberField());
  EXPECT_EQ(HighestFieldId(with_system), 5);
  EXPECT_EQ(HighestFieldId({}), -1);
}

// Format 14.1.
TEST(DataType, DerivedIdsOfElementsKeysAndValues) {
  EXPECT_EQ(MapKeyFieldId(29, 1), 536841214);
  EXPECT_EQ(MapValueFieldId(29, 1), 536900608);
  EXPECT_EQ(MapKeyFieldId(4, 1), 536866814);
  EXPECT_EQ(MapKeyFieldId(4, 2), 536866813);
  EXPECT_EQ(MapValueFieldId(4, 1), 536875008);
  EXPECT_EQ(MapValueFieldId(4, 2), 536875009);
  EXPECT_EQ(ElementFieldId(4, 3), 536875010);
}

TEST(DataType, SystemFieldsHaveTheirIds) {
  EXPECT_EQ(SequenceNumberField().type.ToString(), "BIGINT NOT NULL");
  EXPECT_EQ(SequenceNumberField().id, 2147483646);
  EXPECT_EQ(ValueKindField().type.ToString(), "TINYINT NOT NULL");
  const DataField key = KeyField({2, "f2", DataType::String()});
  EXPECT_EQ(key.id, 1073741825);
  EXPECT_EQ(key.name, "_KEY_f2");
}

}  // namespace
}  // namespace mica
