#include "hive/thrift_value.h"

#include <cstring>

#include "base/expect_error.h"
#include "base/mutations.h"
#include "hive/hive_structs.h"

namespace mica {
namespace {

class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string bytes) : bytes_(std::move(bytes)) {}
  void Read(char* out, size_t count) override {
    if (count > bytes_.size() - at_) throw Corrupt("the bytes end");
    std::memcpy(out, bytes_.data() + at_, count);
    at_ += count;
  }

 private:
  std::string bytes_;
  size_t at_ = 0;
};

std::string Bytes(const ThriftValue& value) {
  std::string out;
  AppendThrift(value, &out);
  return out;
}

HiveTable ATable() {
  HiveTable table;
  table.database = "db";
  table.name = "t";
  table.owner = "me";
  table.create_seconds = 1700000000;
  table.type = "MANAGED_TABLE";
  table.storage.columns = {{"a", "int", "a comment"}, {"b", "array<string>", std::nullopt}};
  table.storage.location = "file:/w/db.db/t";
  table.storage.serde = "a.Serde";
  table.storage.serde_parameters = {{"x", "1"}};
  table.partition_keys = {{"dt", "string", std::nullopt}};
  table.parameters = {{"k", "v"}, {"empty", ""}};
  return table;
}

TEST(ThriftValue, AStructIsWrittenAsTheProtocolSays) {
  const ThriftValue value =
      ThriftValue::Struct({{1, ThriftValue::Text("ab")}, {2, ThriftValue::I32(-2)}, {300, ThriftValue::Bool(true)}});
  const std::string expected(
      "\x0b\x00\x01\x00\x00\x00\x02"
      "ab"
      "\x08\x00\x02\xff\xff\xff\xfe"
      "\x02\x01\x2c\x01"
      "\x00",
      21);
  EXPECT_EQ(Bytes(value), expected);
}

TEST(ThriftValue, ATableComesBackAsItWasSent) {
  TextSource source(Bytes(ToThrift(ATable())));
  const HiveTable back = ToHiveTable(ReadThrift(source, ThriftType::kStruct));
  EXPECT_EQ(back.database, "db");
  EXPECT_EQ(back.create_seconds, 1700000000);
  EXPECT_EQ(back.storage.columns, ATable().storage.columns);
  EXPECT_EQ(back.storage.serde_parameters, ATable().storage.serde_parameters);
  EXPECT_EQ(back.partition_keys, ATable().partition_keys);
  EXPECT_EQ(back.parameters, ATable().parameters);
}

TEST(ThriftValue, FieldsThatNobodyHereKnowsSurviveAChange) {
  ThriftValue sent = ToThrift(ATable());
  const ThriftValue unknown =
      ThriftValue::Struct({{7, ThriftValue::Structs({ThriftValue::Struct({{1, ThriftValue::I64(5)}})})}});
  sent.fields[77] = unknown;
  sent.fields[7].fields[12] = ThriftValue::Bool(true);
  HiveTable table = ToHiveTable(sent);
  table.parameters["k"] = "other";
  const ThriftValue again = ToThrift(table);
  EXPECT_EQ(Bytes(again.fields.at(77)), Bytes(unknown));
  EXPECT_EQ(again.fields.at(7).NumberAt(12), 1);
  EXPECT_EQ(again.TextMapAt(9).at("k"), "other");
}

TEST(ThriftValue, DamagedBytesAreFoundOut) {
  const std::string whole = Bytes(ToThrift(ATable()));
  Mutations mutations;
  for (int i = 0; i < Mutations::Rounds(2000); ++i) {
    Mutations::ExpectErrorOrValue([&] {
      TextSource source(mutations.Of(whole));
      ToHiveTable(ReadThrift(source, ThriftType::kStruct));
    });
  }
}

TEST(ThriftValue, NestingWithoutEndIsRefused) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += std::string("\x0c\x00\x01", 3);
  TextSource source(bytes);
  EXPECT_ERROR(ReadThrift(source, ThriftType::kStruct), Corrupt, "nested deeper");
}

}  // namespace
}  // namespace mica
