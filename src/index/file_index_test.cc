// File indexes: bytes of Paimon for Java, and random columns beside plain evaluation (Format 11, 13).
#include "index/file_index.h"

#include <cmath>
#include <random>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/arrow.h"
#include "base/error.h"
#include "base/mutations.h"
#include "index/bitmap_index.h"
#include "index/bloom_filter.h"
#include "index/file_index_builder.h"
#include "index/index_value.h"
#include "types/arrow_types.h"

namespace mica {
namespace {

using T = DataType;

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

std::string ToHex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<uint8_t>(byte));
  return text;
}

Value Text(const char* text) {
  return std::string(text);
}
Value Number(int64_t number) {
  return number;
}

PredicatePtr Is(PredicateOp op, const T& type, Value literal) {
  return Predicate::Compare(op, "c", type, std::move(literal));
}

std::string RowsOf(const IndexAnswer& answer) {
  if (answer.kind == IndexAnswer::Kind::kUnknown) return "?";
  std::string text;
  for (const int64_t row : answer.rows.positions()) text += (text.empty() ? "" : ",") + std::to_string(row);
  return text;
}

TEST(IndexValue, HashesAreJavas) {
  EXPECT_EQ(IndexHash(Text(""), T::String()), -1205034819632174695);
  EXPECT_EQ(IndexHash(Text("a"), T::String()), -3292477735350538661);
  EXPECT_EQ(IndexHash(Number(1), T::Int()), 6614235796240398542);
  EXPECT_EQ(IndexHash(Number(-9000000000), T::BigInt()), 993351306192087701);
  EXPECT_EQ(IndexHash(Number(-31), T(TypeRoot::kDate)), 2127717990451271634);
  EXPECT_EQ(IndexHash(-2.25, T(TypeRoot::kDouble)), -2601598109836619412);
  EXPECT_EQ(IndexHash(TimestampValue{-877, 123456}, T::Timestamp(6)), IndexHashOfNumber(-876877));
  EXPECT_EQ(IndexHash(TimestampValue{-877, 456000}, T::Timestamp(6)), -4335648708560376630);
}

TEST(BloomFilter, BytesAreJavas) {
  const auto body = [](const Value& value, const T& type) {
    BloomFilter filter(20, 0.1);
    filter.Add(IndexHash(value, type));
    return ToHex(filter.Serialize());
  };
  EXPECT_EQ(body(Number(1), T::Int()), "00000003000000000000800001004000");
  EXPECT_EQ(body(std::string("\x00\xff\x80", 3), T::Bytes()), "00000003000002040000001000000000");
  EXPECT_EQ(body(-2.25, T(TypeRoot::kDouble)), "00000003000000000000000240000800");
  EXPECT_THROW(BloomFilter(0, 0.1), Error);
  EXPECT_THROW(BloomFilter(10, 1.0), Error);
  EXPECT_THROW(BloomFilter(INT64_MAX, 0.1), Error);
}

TEST(FileIndex, ContainerIsJavas) {
  BloomFilter filter(100, 0.1);
  filter.Add(IndexHash(Text("a"), T::String()));
  filter.Add(IndexHash(Text("b"), T::String()));
  EXPECT_EQ(ToHex(WriteFileIndex({{"s", "bloom-filter", filter.Serialize()}})),
            "00054e4ed01a35ae00000001000000350000000100017300000001000c626c6f6f6d2d66696c7465720000003500000040000000000000"
            "0003000000000000002000000000000000000000000000000000080000000000000000000000000000000000000000100000000000200200"
            "000000400000");
}

TEST(FileIndex, NamesComeBack) {
  const std::string name("a\0\xf0\x9f\x98\x80z", 7);
  FileIndex index(WriteFileIndex({{name, "bitmap", std::nullopt}, {"b", "bitmap", "xyz"}}));
  ASSERT_EQ(index.places().size(), 2u);
  EXPECT_TRUE(index.places().contains(name));
  EXPECT_EQ(index.Parts()[1].body, "xyz");
}

TEST(BitmapIndex, ReadsBothVersionsOfJava) {
  const auto version2 = FromHex(
      "02000000040000000201fffffffc00000012000000010000000161000000000000001e00000002000000016100000000000000140000000162ff"
      "fffffeffffffff3a30000001000000000001001000000000000200");
  const auto index2 = OpenBitmapIndex(version2, T::String());
  EXPECT_EQ(RowsOf(index2->Ask(*Is(PredicateOp::kEqual, T::String(), Text("a")))), "0,2");
  EXPECT_EQ(RowsOf(index2->Ask(*Is(PredicateOp::kEqual, T::String(), Text("b")))), "1");
  EXPECT_EQ(RowsOf(index2->Ask(*Is(PredicateOp::kEqual, T::String(), Text("c")))), "");
  EXPECT_EQ(RowsOf(index2->Ask(*Is(PredicateOp::kNotEqual, T::String(), Text("a")))), "1");
  EXPECT_EQ(RowsOf(index2->Ask(*Predicate::IsNull("c", T::String()))), "3");
  EXPECT_EQ(RowsOf(index2->Ask(*Predicate::IsNotNull("c", T::String()))), "0,1,2");
  const auto version1 = FromHex(
      "0100000007000000030100000000000000017afffffff90000000178000000140000000179000000283a300000010000000000010010000000000"
      "001003a300000010000000000010010000000020003003a30000001000000000001001000000004000500");
  const auto index1 = OpenBitmapIndex(version1, T::String());
  EXPECT_EQ(RowsOf(index1->Ask(*Predicate::IsNull("c", T::String()))), "0,1");
  EXPECT_EQ(RowsOf(index1->Ask(*Predicate::In("c", T::String(), {Text("x"), Text("z")}))), "2,3,6");
  EXPECT_EQ(RowsOf(index1->Ask(*Predicate::NotIn("c", T::String(), {Text("x"), Text("z")}))), "4,5");
}

TEST(BitmapIndex, WritesAsJavaDoes) {
  BitmapIndexBuilder builder(T::String(), 2, 16 << 10);
  const auto add = [&](const char* text) {
    std::string bytes;
    AppendIndexValue(Text(text), T::String(), &bytes);
    builder.Add(bytes);
  };
  add("a");
  add("b");
  add("a");
  builder.AddNull();
  EXPECT_EQ(ToHex(builder.Serialize()),
            "02000000040000000201fffffffc00000012000000010000000161000000000000001e000000020000000161000000000000001400000001"
            "62fffffffeffffffff3a30000001000000000001001000000000000200");
}

TEST(BsiIndex, ComparesNumbersOfJava) {
  const auto body = FromHex(
      "010000000401010000000000000000000000000000001e3a30000001000000000001001000000000000200000000053a300000000000003a30000"
      "0010000000000010010000000000002003a30000001000000000000001000000002003a300000010000000000010010000000000002003a30000"
      "001000000000000001000000002000101000000000000000000000000000000143a3000000100000000000000100000000100000000053a30000"
      "0000000003a300000000000003a30000001000000000000001000000001003a300000000000003a3000000100000000000000100000000100");
  const auto index = OpenBsiIndex(body, T::BigInt());
  const auto ask = [&](PredicateOp op, int64_t number) { return RowsOf(index->Ask(*Is(op, T::BigInt(), Number(number)))); };
  EXPECT_EQ(ask(PredicateOp::kEqual, 30), "2");
  EXPECT_EQ(ask(PredicateOp::kEqual, -20), "1");
  EXPECT_EQ(ask(PredicateOp::kEqual, 31), "");
  EXPECT_EQ(ask(PredicateOp::kLess, 30), "0,1");
  EXPECT_EQ(ask(PredicateOp::kLessOrEqual, -20), "1");
  EXPECT_EQ(ask(PredicateOp::kLess, -20), "");
  EXPECT_EQ(ask(PredicateOp::kGreater, -21), "0,1,2");
  EXPECT_EQ(ask(PredicateOp::kGreaterOrEqual, 11), "2");
  EXPECT_EQ(ask(PredicateOp::kGreater, INT64_MIN), "0,1,2");
  EXPECT_EQ(ask(PredicateOp::kNotEqual, 10), "1,2");
  EXPECT_EQ(RowsOf(index->Ask(*Predicate::IsNull("c", T::BigInt()))), "3");
}

TEST(RangeBitmapIndex, ComparesTextOfJava) {
  const auto body = FromHex(
      "000000170100000004000000030000000178000000017a000000410000000d0100000001000000040000001a00000000010000000178000000000"
      "000000000000002000000080000000a00000000000000050000000179000000017a0000001a010200000016000000100000000000000012000000"
      "12000000123a3000000100000000000200100000000000010002003a30000001000000000000001000000001003a300000010000000000000010"
      "0000000200");
  const auto index = OpenRangeBitmapIndex(body, T::String());
  const auto ask = [&](PredicateOp op, const char* text) { return RowsOf(index->Ask(*Is(op, T::String(), Text(text)))); };
  EXPECT_EQ(ask(PredicateOp::kEqual, "y"), "1");
  EXPECT_EQ(ask(PredicateOp::kEqual, "xx"), "");
  EXPECT_EQ(ask(PredicateOp::kLess, "y"), "0");
  EXPECT_EQ(ask(PredicateOp::kLess, "a"), "");
  EXPECT_EQ(ask(PredicateOp::kLess, "zz"), "0,1,2");
  EXPECT_EQ(ask(PredicateOp::kGreaterOrEqual, "xx"), "1,2");
  EXPECT_EQ(ask(PredicateOp::kGreater, "z"), "");
  EXPECT_EQ(ask(PredicateOp::kNotEqual, "z"), "0,1");
  EXPECT_EQ(RowsOf(index->Ask(*Predicate::IsNull("c", T::String()))), "3");
}

// A random value of a few.
Value RandomValue(const T& type, std::mt19937& random) {
  const auto number = static_cast<int64_t>(random() % 7) - 3;
  if (random() % 5 == 0) return {};
  switch (type.root()) {
    case TypeRoot::kBoolean: return number > 0;
    case TypeRoot::kFloat: return number == 3 ? std::nanf("") : number == 0 && random() % 2 == 0 ? -0.0F : static_cast<float>(number);
    case TypeRoot::kDouble: return number == 3 ? std::nan("") : number == 0 && random() % 2 == 0 ? -0.0 : static_cast<double>(number);
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: return TimestampValue{number, type.precision() > 3 ? static_cast<int32_t>(random() % 3) * 1000 : 0};
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kVarbinary: return std::string(static_cast<size_t>(number + 3), static_cast<char>('a' + random() % 2));
    default: return number;
  }
}

TEST(FileIndex, RandomColumnsLoseNoRow) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::vector<T> types = {T(TypeRoot::kBoolean), T(TypeRoot::kTinyInt), T(TypeRoot::kSmallInt), T::Int(), T::BigInt(),
                                T(TypeRoot::kFloat), T(TypeRoot::kDouble), T(TypeRoot::kDate), T(TypeRoot::kTime),
                                T::Timestamp(3), T::Timestamp(6), T::TimestampLtz(9), T::String(), T::Varchar(9), T::Bytes()};
  for (int round = 0; round < 600; ++round) {
    const T type = types[random() % types.size()];
    const int64_t rows = 1 + static_cast<int64_t>(random() % 60);
    std::vector<Value> values;
    auto builder = Take(arrow::MakeBuilder(ToArrowType(type)));
    for (int64_t i = 0; i < rows; ++i) AppendValue(values.emplace_back(RandomValue(type, random)), type, builder.get());
    const auto array = Take(builder->Finish());
    const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("c", array->type())}), rows, {array});
    std::vector<FileIndexColumn> columns;
    if (HasIndexHash(type)) columns.push_back({.column = "c", .type = type, .kind = "bloom-filter", .items = 10});
    if (HasIndexValue(type)) {
      columns.push_back({.column = "c", .type = type, .kind = "bitmap", .version = 1 + static_cast<int32_t>(random() % 2),
                         .block_bytes = random() % 2 == 0 ? 16 : 1000});
    }
    FileIndexBuilder indexes(columns);
    const int64_t cut = static_cast<int64_t>(random()) % rows;
    indexes.Add(*batch->Slice(0, cut));
    indexes.Add(*batch->Slice(cut));
    FileIndex index(WriteFileIndex(indexes.Parts()));
    std::vector<DataField> fields(1);
    fields[0].name = "c";
    fields[0].type = type;
    const auto leaf = [&]() -> PredicatePtr {
      const Value literal = RandomValue(type, random);
      switch (random() % 7) {
        case 0: return Predicate::IsNull("c", type);
        case 1: return Predicate::IsNotNull("c", type);
        case 2: return Predicate::In("c", type, {literal, RandomValue(type, random)});
        case 3: return Predicate::NotIn("c", type, {literal, RandomValue(type, random)});
        case 4: return Predicate::Compare(PredicateOp::kNotEqual, "c", type, literal);
        case 5: return Predicate::Compare(PredicateOp::kLess, "c", type, literal);
        default: return Predicate::Compare(PredicateOp::kEqual, "c", type, literal);
      }
    };
    const PredicatePtr predicate = random() % 3 == 0   ? leaf()
                                   : random() % 2 == 0 ? Predicate::And({leaf(), leaf()})
                                                       : Predicate::Or({leaf(), leaf()});
    const IndexAnswer answer = index.Ask(*predicate, fields);
    for (int64_t i = 0; i < rows; ++i) {
      const bool matches = Matches(*predicate, [&](const std::string&) { return values[static_cast<size_t>(i)]; });
      if (!matches) continue;
      ASSERT_NE(answer.kind, IndexAnswer::Kind::kNone) << predicate->ToString() << " of " << type.ToString();
      if (answer.kind == IndexAnswer::Kind::kRows) {
        ASSERT_TRUE(answer.rows.Contains(static_cast<uint32_t>(i))) << predicate->ToString() << " of " << type.ToString();
      }
    }
  }
}

TEST(FileIndex, DamagedBytesAreErrorsOrAnswers) {
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("c", arrow::int64())}), 300, {[] {
                                                arrow::Int64Builder values;
                                                for (int64_t i = 0; i < 300; ++i) Check(values.Append(i % 17));
                                                return Take(values.Finish());
                                              }()});
  FileIndexBuilder indexes({{.column = "c", .type = T::BigInt(), .kind = "bloom-filter", .items = 50},
                            {.column = "c", .type = T::BigInt(), .kind = "bitmap", .block_bytes = 64}});
  indexes.Add(*batch);
  const std::string bytes = WriteFileIndex(indexes.Parts());
  std::vector<DataField> fields(1);
  fields[0].name = "c";
  fields[0].type = T::BigInt();
  Mutations mutations;
  for (int i = 0; i < Mutations::Rounds(3000); ++i) {
    const std::string damaged = mutations.Of(bytes);
    Mutations::ExpectErrorOrValue(
        [&] { FileIndex(damaged).Ask(*Is(PredicateOp::kNotEqual, T::BigInt(), Number(3)), fields); });
  }
}

}  // namespace
}  // namespace mica
