#include "types/bucket_function.h"

#include <limits>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/arrow.h"
#include "base/expect_error.h"
#include "types/arrow_types.h"
#include "types/hex.h"

namespace mica {
namespace {

using Key = std::vector<Value>;

std::vector<DataType> Types(const std::vector<const char*>& texts) {
  std::vector<DataType> types;
  for (const char* text : texts) types.push_back(DataType::Parse(text));
  return types;
}

// The buckets of keys one by one, after a check that a batch of them gives the same.
std::vector<int32_t> Buckets(BucketFunction function, const std::vector<const char*>& type_texts,
                             const std::vector<Key>& keys, int32_t count) {
  const std::vector<DataType> types = Types(type_texts);
  std::vector<int32_t> buckets;
  for (const Key& key : keys) buckets.push_back(BucketOf(function, key, types, count));

  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  std::vector<int> columns;
  for (size_t i = 0; i < types.size(); ++i) {
    auto builder = Take(arrow::MakeBuilder(ToArrowType(types[i])));
    for (const Key& key : keys) AppendValue(key[i], types[i], builder.get());
    arrays.push_back(Take(builder->Finish()));
    fields.push_back(arrow::field(std::to_string(i), arrays.back()->type()));
    columns.push_back(static_cast<int>(i));
  }
  const auto batch = arrow::RecordBatch::Make(arrow::schema(fields), static_cast<int64_t>(keys.size()), arrays);
  EXPECT_EQ(BucketsOf(function, *batch, columns, types, count), buckets);
  return buckets;
}

Value Integer(int64_t value) {
  return value;
}
Value Text(std::string value) {
  return value;
}

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

// Format 13 and 14.1
TEST(BucketFunction, DefaultBucketsAreThoseOfTheFormat) {
  const auto kDefault = BucketFunction::kDefault;
  EXPECT_EQ(
      Buckets(kDefault, {"INT"}, {{Integer(1)}, {Integer(2)}, {Integer(3)}, {Integer(4)}, {Integer(7)}, {Value()}}, 2),
      (std::vector<int32_t>{0, 0, 1, 0, 1, 0}));
  EXPECT_EQ(Buckets(kDefault, {"INT"}, {{Integer(0)}}, 2), (std::vector<int32_t>{1}));
  EXPECT_EQ(
      Buckets(kDefault, {"STRING", "BIGINT"},
              {{Text("a"), Integer(1)}, {Text("a"), Integer(2)}, {Text(""), Integer(0)}, {Text("ünï"), Integer(-1)}},
              4),
      (std::vector<int32_t>{3, 2, 2, 0}));
  EXPECT_EQ(
      Buckets(kDefault, {"BIGINT", "STRING"},
              {{Integer(1), Text("x")}, {Integer(-1), Text("y")}, {Integer(kMax), Text("é")}, {Integer(0), Value()}},
              3),
      (std::vector<int32_t>{2, 2, 1, 2}));
  EXPECT_EQ(Buckets(kDefault, {"DATE"}, {{Integer(2932896)}}, 5), (std::vector<int32_t>{1}));
  EXPECT_EQ(Buckets(kDefault, {"BYTES"}, {{Text(FromHex("deadbeef"))}}, 5), (std::vector<int32_t>{4}));
  EXPECT_EQ(Buckets(kDefault, {"TIMESTAMP(9)"}, {{TimestampValue{1709210096789, 12345}}}, 5),
            (std::vector<int32_t>{1}));
  EXPECT_EQ(Buckets(kDefault, {"FLOAT"}, {{-1.5f}}, 5), (std::vector<int32_t>{1}));
}

TEST(BucketFunction, ModBucketsAreThoseOfTheFormat) {
  const auto buckets = Buckets(BucketFunction::kMod, {"BIGINT"},
                               {{Integer(-1)}, {Integer(kMin)}, {Integer(kMax)}, {Integer(7)}, {Value()}}, 5);
  EXPECT_EQ(buckets, (std::vector<int32_t>{4, 2, 2, 2, 0}));
  EXPECT_EQ(Buckets(BucketFunction::kMod, {"INT"}, {{Integer(-1)}, {Value()}}, 3), (std::vector<int32_t>{2, 0}));
  EXPECT_ERROR(CheckBucketKey(BucketFunction::kMod, Types({"STRING"})), InvalidArgument, "INT or BIGINT");
  EXPECT_ERROR(CheckBucketKey(BucketFunction::kMod, Types({"INT", "INT"})), InvalidArgument, "one column");
}

TEST(BucketFunction, HiveBucketsAreThoseOfTheFormat) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<const char*> types = {"INT",  "STRING", "BIGINT",  "DOUBLE", "DECIMAL(20,4)",
                                          "DATE", "FLOAT",  "BOOLEAN", "BYTES",  "DECIMAL(10,2)"};
  const std::vector<Key> keys = {{Integer(1), Text("é日本"), Integer(-5), 1.25, DecimalValue{1005000}, Integer(19723),
                                  2.5f, true, Text(FromHex("01ff")), DecimalValue{-150}},
                                 {Integer(-7), Text("abc"), Integer(kMax), -0.0, DecimalValue{-100}, Integer(-2), -0.0f,
                                  false, Text(""), DecimalValue{0}},
                                 {Integer(0), Text(""), Integer(int64_t{1} << 40), nan, DecimalValue{10000000},
                                  Integer(0), static_cast<float>(nan), true, Text("\x80"), DecimalValue{1234567890}},
                                 Key(10)};
  const std::vector<int32_t> hashes = {1203684461, -442423932, 1994006197, 0};
  for (size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(HiveHash(keys[i], Types(types)), hashes[i]);
  EXPECT_EQ(Buckets(BucketFunction::kHive, types, keys, 100003), (std::vector<int32_t>{48353, 8566, 46380, 0}));
  EXPECT_ERROR(CheckBucketKey(BucketFunction::kHive, Types({"TIMESTAMP(3)"})), InvalidArgument, "TIMESTAMP(3)");
}

TEST(BucketFunction, NamesAreChecked) {
  EXPECT_EQ(BucketFunctionOf("hive"), BucketFunction::kHive);
  EXPECT_EQ(BucketFunctionOf("MOD"), BucketFunction::kMod);
  EXPECT_ERROR(BucketFunctionOf("spark"), InvalidArgument, "'spark'");
}

}  // namespace
}  // namespace mica
