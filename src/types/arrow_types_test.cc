#include "types/arrow_types.h"

#include <algorithm>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "types/random_values.h"

namespace mica {
namespace {

TEST(ArrowTypes, EveryTypeHasTheSharedForm) {
  auto form = [](const char* type) { return ToArrowType(DataType::Parse(type))->ToString(); };
  EXPECT_EQ(form("CHAR(3)"), "string");
  EXPECT_EQ(form("BYTES"), "binary");
  EXPECT_EQ(form("BLOB"), "binary");
  EXPECT_EQ(form("TINYINT"), "int8");
  EXPECT_EQ(form("DECIMAL(5,2)"), "decimal128(5, 2)");
  EXPECT_EQ(form("DATE"), "date32[day]");
  EXPECT_EQ(form("TIME(9)"), "time32[ms]");
  EXPECT_EQ(form("TIMESTAMP(0)"), "timestamp[ms]");
  EXPECT_EQ(form("TIMESTAMP(6)"), "timestamp[us]");
  EXPECT_EQ(form("TIMESTAMP_LTZ(7)"), "timestamp[ns, tz=UTC]");
  EXPECT_EQ(form("VARIANT"), "struct<value: binary not null, metadata: binary not null>");
  EXPECT_EQ(form("INT NOT NULL ARRAY"), "list<element: int32 not null>");
  EXPECT_EQ(form("STRING MULTISET"), "map<string, int32>");
  const DataType map = DataType::Map(DataType::String(), DataType::BigInt());
  EXPECT_EQ(ToArrowType(map)->ToString(), "map<string, int64>");
  const DataType row = DataType::Row({{1, "a", DataType::Int()}, {2, "b", DataType::String().WithNullable(false)}});
  EXPECT_EQ(ToArrowType(row)->ToString(), "struct<a: int32, b: string not null>");
}

TEST(ArrowTypes, TypesComeBackFromArrow) {
  for (const char* text : {"STRING", "BYTES", "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT NOT NULL", "FLOAT",
                           "DOUBLE", "DECIMAL(5, 2)", "DATE", "TIME(3)", "TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP(9)",
                           "VARIANT", "TIMESTAMP(6) WITH LOCAL TIME ZONE"}) {
    const DataField field{1, "f", DataType::Parse(text)};
    EXPECT_EQ(FromArrowField(*ToArrowField(field)).type.ToString(), text);
  }
  const DataType map = DataType::Map(DataType::String().WithNullable(false), DataType::Array(DataType::Int()));
  const DataType row = DataType::Row({{-1, "m", map}, {-1, "i", DataType::Int().WithNullable(false)}});
  EXPECT_EQ(FromArrowField(*ToArrowField({1, "r", row})).type, row);
}

TEST(ArrowTypes, UsersArrowTypesHaveTheNearestPaimonType) {
  auto type = [](std::shared_ptr<arrow::DataType> arrow_type) {
    return FromArrowField(*arrow::field("f", std::move(arrow_type))).type.ToString();
  };
  EXPECT_EQ(type(arrow::uint8()), "SMALLINT");
  EXPECT_EQ(type(arrow::uint32()), "BIGINT");
  EXPECT_EQ(type(arrow::uint64()), "DECIMAL(20, 0)");
  EXPECT_EQ(type(arrow::large_utf8()), "STRING");
  EXPECT_EQ(type(arrow::utf8_view()), "STRING");
  EXPECT_EQ(type(arrow::fixed_size_binary(4)), "BINARY(4)");
  EXPECT_EQ(type(arrow::dictionary(arrow::int8(), arrow::utf8())), "STRING");
  EXPECT_EQ(type(arrow::timestamp(arrow::TimeUnit::SECOND, "Europe/Berlin")), "TIMESTAMP(0) WITH LOCAL TIME ZONE");
  EXPECT_EQ(type(arrow::large_list(arrow::date64())), "ARRAY<DATE>");
  EXPECT_ERROR(type(arrow::null()), Unsupported, "'f'");
  EXPECT_ERROR(type(arrow::decimal256(50, 2)), Unsupported, "decimal256");
  EXPECT_ERROR(type(arrow::struct_({arrow::field("inner", arrow::duration(arrow::TimeUnit::MILLI))})), Unsupported,
               "'inner'");
}

constexpr const char* kAtomicTypes[] = {"BOOLEAN",
                                        "TINYINT",
                                        "SMALLINT",
                                        "INT",
                                        "BIGINT",
                                        "FLOAT",
                                        "DOUBLE",
                                        "DECIMAL(9,2)",
                                        "DECIMAL(18,0)",
                                        "DECIMAL(38,18)",
                                        "DATE",
                                        "TIME(3)",
                                        "TIMESTAMP(0)",
                                        "TIMESTAMP(3)",
                                        "TIMESTAMP(6)",
                                        "TIMESTAMP(9)",
                                        "TIMESTAMP_LTZ(3)",
                                        "TIMESTAMP_LTZ(6)",
                                        "TIMESTAMP_LTZ(9)",
                                        "STRING",
                                        "CHAR(5)",
                                        "BYTES",
                                        "BINARY(3)"};

TEST(ArrowTypes, ValuesGoIntoArraysAndComeBack) {
  RandomValues random(7);
  for (const char* text : kAtomicTypes) {
    const DataType type = DataType::Parse(text);
    const std::vector<Value> values = random.Some(type, 200, true);
    const auto array = ToArray(values, type);
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_TRUE(CompareValues(ValueAt(*array, static_cast<int64_t>(i), type), values[i]) == 0) << text;
    }
    const auto repeated = RepeatValue(values[0], type, 3);
    EXPECT_TRUE(repeated->type()->Equals(ToArrowType(type)));
    EXPECT_EQ(repeated->length(), 3);
    EXPECT_TRUE(CompareValues(ValueAt(*repeated, 2, type), values[0]) == 0);
    EXPECT_EQ(RepeatValue(Value(), type, 4)->null_count(), 4);
    EXPECT_EQ(RepeatValue(values[0], type, 0)->length(), 0);
  }
  EXPECT_EQ(RepeatValue(Value(), DataType::Array(DataType::Int()), 2)->null_count(), 2);
}

TEST(ArrowTypes, TimestampsBeyondNanosecondsAreRefused) {
  const DataType type = DataType::Timestamp(9);
  const TimestampValue last{9223372036854, 775807};
  EXPECT_TRUE(CompareValues(ValueAt(*RepeatValue(last, type, 1), 0, type), last) == 0);
  const TimestampValue first{-9223372036855, 224192};
  EXPECT_TRUE(CompareValues(ValueAt(*RepeatValue(first, type, 1), 0, type), first) == 0);
  EXPECT_ERROR(RepeatValue(TimestampValue{9223372036854, 775808}, type, 1), Unsupported,
               "2262-04-11 23:47:16.854775808");
  EXPECT_ERROR(RepeatValue(TimestampValue{-62135596800000, 0}, type, 1), Unsupported, "0001-01-01");
  RepeatValue(TimestampValue{-62135596800000, 0}, DataType::Timestamp(6), 1);
}

TEST(ArrowTypes, AnArrayOfAnotherTypeIsRefused) {
  const auto array = RepeatValue(int64_t{1}, DataType::Int(), 1);
  EXPECT_ERROR(ValueAt(*array, 0, DataType::BigInt()), InvalidArgument, "int32");
  EXPECT_ERROR(ValueAt(*array, 0, DataType::String()), InvalidArgument, "int32");
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("a", array->type())}), 1, {array});
  std::vector<int32_t> hashes;
  EXPECT_ERROR(HashRows(*batch, std::vector<int>{0}, std::vector<DataType>{DataType::BigInt()}, &hashes),
               InvalidArgument, "int32");
}

TEST(ArrowTypes, HashesOfBatchesAreThoseOfTheirRows) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(seed);
  RandomValues random(seed);
  for (int round = 0; round < 60; ++round) {
    const size_t rows = random.OneIn(4) ? 2500 : random.Next() % 50;
    const size_t column_count = random.OneIn(20) ? 60 : random.Next() % 5;
    arrow::FieldVector fields;
    arrow::ArrayVector arrays;
    std::vector<int> columns;
    std::vector<DataType> types;
    for (size_t i = 0; i < column_count; ++i) {
      types.push_back(DataType::Parse(kAtomicTypes[random.Next() % std::size(kAtomicTypes)]));
      // A slice, so that offsets of values, validity and texts count.
      arrays.push_back(ToArray(random.Some(types.back(), rows + 3, random.OneIn(2)), types.back())->Slice(3));
      fields.push_back(arrow::field(std::to_string(i), arrays.back()->type()));
      columns.push_back(static_cast<int>(column_count - 1 - i));
    }
    std::reverse(types.begin(), types.end());
    const auto batch = arrow::RecordBatch::Make(arrow::schema(fields), static_cast<int64_t>(rows), arrays);
    std::vector<int32_t> hashes;
    HashRows(*batch, columns, types, &hashes);
    ASSERT_EQ(hashes.size(), rows);
    for (size_t row = 0; row < rows; ++row) {
      ASSERT_EQ(hashes[row], RowAt(*batch, static_cast<int64_t>(row), columns, types).Hash());
    }
  }
}

}  // namespace
}  // namespace mica
