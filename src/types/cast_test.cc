#include "types/cast.h"

#include <limits>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/arrow.h"
#include "base/expect_error.h"
#include "types/nested_text.h"
#include "types/random_values.h"
#include "types/timestamp.h"

namespace mica {
namespace {

// Texts of the values after the cast; a NULL is put in front and has to stay one.
std::vector<std::string> Cast(std::vector<Value> values, const char* from_text, const char* to_text) {
  const DataType from = DataType::Parse(from_text);
  const DataType to = DataType::Parse(to_text);
  std::vector<Value> with_null(1);
  with_null.insert(with_null.end(), values.begin(), values.end());
  values = std::move(with_null);
  const auto cast = CastArray(ToArray(values, from)->Slice(0), from, to);
  EXPECT_TRUE(cast->type()->Equals(ToArrowType(to))) << cast->type()->ToString();
  EXPECT_TRUE(cast->IsNull(0));
  std::vector<std::string> texts;
  for (size_t i = 1; i < values.size(); ++i) {
    const Value value = ValueAt(*cast, static_cast<int64_t>(i), to);
    texts.push_back(ValueToString(value, to));
    // Arrays and single values are cast alike.
    EXPECT_TRUE(CompareValues(*CastValue(values[i], from, to, false), value) == 0) << from_text << " to " << to_text;
  }
  return texts;
}

using Texts = std::vector<std::string>;

Value Integer(int64_t value) {
  return value;
}
Value Text(std::string value) {
  return value;
}
Value At(const char* text) {
  return *TimestampFromString(text, 9);
}

// M-0208
TEST(Cast, NarrowingIntegersKeepsTheLowBits) {
  EXPECT_EQ(Cast({Integer(127), Integer(128), Integer(-129), Integer(383)}, "INT", "TINYINT"),
            (Texts{"127", "-128", "127", "127"}));
  EXPECT_EQ(Cast({Integer(int64_t{1} << 32), Integer(-1)}, "BIGINT", "INT"), (Texts{"0", "-1"}));
  EXPECT_EQ(Cast({Integer(-5)}, "TINYINT", "BIGINT"), (Texts{"-5"}));
  EXPECT_EQ(Cast({Integer(16777217)}, "INT", "FLOAT"), (Texts{"1.6777216E7"}));
}

TEST(Cast, FractionsAreCutOffAndTooLargeNumbersAreTheLargest) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Cast({1.9, -1.9, nan, 1e20, -1e20}, "DOUBLE", "BIGINT"),
            (Texts{"1", "-1", "0", "9223372036854775807", "-9223372036854775808"}));
  EXPECT_EQ(Cast({1e20, -1e20}, "DOUBLE", "INT"), (Texts{"2147483647", "-2147483648"}));
  EXPECT_EQ(Cast({300.7, 1e20, -1e20}, "DOUBLE", "TINYINT"), (Texts{"44", "-1", "0"}));
  EXPECT_EQ(Cast({1e20f, 70000.0f}, "FLOAT", "SMALLINT"), (Texts{"-1", "4464"}));
  EXPECT_EQ(Cast({0.1, 1e300}, "DOUBLE", "FLOAT"), (Texts{"0.1", "Infinity"}));
  EXPECT_EQ(Cast({0.1f}, "FLOAT", "DOUBLE"), (Texts{"0.10000000149011612"}));
}

TEST(Cast, DecimalsRoundHalfUpAndAreNullWhenTheyDoNotFit) {
  EXPECT_EQ(Cast({DecimalValue{1005}, DecimalValue{-1005}, DecimalValue{1004}}, "DECIMAL(6,3)", "DECIMAL(6,2)"),
            (Texts{"1.01", "-1.01", "1.00"}));
  EXPECT_EQ(Cast({DecimalValue{99999}}, "DECIMAL(5,2)", "DECIMAL(5,3)"), (Texts{"null"}));
  EXPECT_EQ(Cast({DecimalValue{99995}}, "DECIMAL(5,2)", "DECIMAL(4,1)"), (Texts{"null"}));
  EXPECT_EQ(Cast({Integer(12), Integer(12345)}, "INT", "DECIMAL(5,2)"), (Texts{"12.00", "null"}));
  EXPECT_EQ(Cast({0.125, 1e10}, "DOUBLE", "DECIMAL(5,2)"), (Texts{"0.13", "null"}));
  EXPECT_EQ(Cast({DecimalValue{-199}, DecimalValue{99999}}, "DECIMAL(5,2)", "TINYINT"), (Texts{"-1", "-25"}));
  EXPECT_EQ(Cast({DecimalValue{150}}, "DECIMAL(5,2)", "DOUBLE"), (Texts{"1.5"}));
  EXPECT_EQ(Cast({DecimalValue{PowerOfTen(37) + 1}}, "DECIMAL(38,18)", "DOUBLE"), (Texts{"1.0E19"}));
  EXPECT_EQ(Cast({Text("1.005"), Text("1e9")}, "STRING", "DECIMAL(5,2)"), (Texts{"1.01", "null"}));
  EXPECT_EQ(Cast({true}, "BOOLEAN", "DECIMAL(5,2)"), (Texts{"1.00"}));
}

TEST(Cast, TextIsReadAndWritten) {
  EXPECT_EQ(Cast({Text("12.7"), Text("-3")}, "STRING", "INT"), (Texts{"12", "-3"}));
  EXPECT_EQ(Cast({Text("yes"), Text("F")}, "VARCHAR(5)", "BOOLEAN"), (Texts{"true", "false"}));
  EXPECT_EQ(Cast({Text("2024-02-29")}, "STRING", "DATE"), (Texts{"2024-02-29"}));
  EXPECT_EQ(Cast({Text("01:02:03")}, "STRING", "TIME(0)"), (Texts{"01:02:03"}));
  EXPECT_EQ(Cast({Text("2024-02-29 01:02:03.4567")}, "STRING", "TIMESTAMP(3)"), (Texts{"2024-02-29 01:02:03.456"}));
  EXPECT_ERROR(Cast({Text("12x")}, "STRING", "INT"), InvalidArgument, "'12x'");
  EXPECT_ERROR(Cast({Text("")}, "STRING", "INT"), InvalidArgument, "INT");
  EXPECT_EQ(Cast({Integer(12345)}, "INT", "STRING"), (Texts{"12345"}));
  EXPECT_EQ(Cast({Integer(12345)}, "INT", "VARCHAR(3)"), (Texts{"123"}));
  EXPECT_EQ(Cast({true}, "BOOLEAN", "CHAR(6)"), (Texts{"true  "}));
  EXPECT_EQ(Cast({1e10, 0.5}, "DOUBLE", "STRING"), (Texts{"1.0E10", "0.5"}));
  EXPECT_EQ(Cast({DecimalValue{150}}, "DECIMAL(5,2)", "STRING"), (Texts{"1.50"}));
  EXPECT_EQ(Cast({Integer(19782)}, "DATE", "STRING"), (Texts{"2024-02-29"}));
  EXPECT_EQ(Cast({Text("日本語"), Text("a")}, "STRING", "VARCHAR(2)"), (Texts{"日本", "a"}));
  EXPECT_EQ(Cast({Text("日本語"), Text("a")}, "STRING", "CHAR(2)"), (Texts{"日本", "a "}));
  EXPECT_EQ(Cast({Text("ab"), Text("abcd")}, "BYTES", "BINARY(3)"), (Texts{std::string("ab\0", 3), "abc"}));
  EXPECT_EQ(Cast({Text("ab")}, "STRING", "BYTES"), (Texts{"ab"}));
  EXPECT_EQ(Cast({Text("ab")}, "BYTES", "STRING"), (Texts{"ab"}));
}

TEST(Cast, BooleansAreZeroAndOne) {
  EXPECT_EQ(Cast({true, false}, "BOOLEAN", "INT"), (Texts{"1", "0"}));
  EXPECT_EQ(Cast({true}, "BOOLEAN", "DOUBLE"), (Texts{"1.0"}));
  EXPECT_EQ(Cast({Integer(-5), Integer(0)}, "INT", "BOOLEAN"), (Texts{"true", "false"}));
}

// P-08
TEST(Cast, TimestampsBefore1970GoToTheirDate) {
  EXPECT_EQ(
      Cast({At("1969-12-31 23:59:59"), At("1960-06-15 10:30:00"), At("1969-12-31 00:00:00"), At("2024-03-04 05:06:07")},
           "TIMESTAMP(6)", "DATE"),
      (Texts{"1969-12-31", "1960-06-15", "1969-12-31", "2024-03-04"}));
  EXPECT_EQ(Cast({At("1969-12-31 23:59:59"), At("2024-03-04 05:06:07")}, "TIMESTAMP(3)", "TIME(0)"),
            (Texts{"23:59:59", "05:06:07"}));
}

// P-09
TEST(Cast, NarrowingTimestampsCutsTheFraction) {
  EXPECT_EQ(Cast({At("1970-01-01 00:00:00.000000009")}, "TIMESTAMP(9)", "TIMESTAMP(3)"),
            (Texts{"1970-01-01 00:00:00.000"}));
  EXPECT_EQ(Cast({At("1970-01-01 00:00:00.000123456")}, "TIMESTAMP(9)", "TIMESTAMP(6)"),
            (Texts{"1970-01-01 00:00:00.000123"}));
  EXPECT_EQ(Cast({At("1970-01-01 00:00:00.123456")}, "TIMESTAMP(6)", "TIMESTAMP(9)"),
            (Texts{"1970-01-01 00:00:00.123456000"}));
  EXPECT_EQ(Cast({At("2024-01-01 00:00:00.987")}, "TIMESTAMP(3)", "TIMESTAMP(1)"), (Texts{"2024-01-01 00:00:00.9"}));
  EXPECT_EQ(Cast({At("2024-01-01 00:00:00.987654321")}, "TIMESTAMP(9)", "TIMESTAMP(8)"),
            (Texts{"2024-01-01 00:00:00.98765432"}));
  for (int32_t precision = 0; precision <= 9; ++precision) {
    const TimestampValue once = TruncateTimestamp(*TimestampFromString("2024-01-01 00:00:00.123456789", 9), precision);
    EXPECT_EQ(TruncateTimestamp(once, precision), once);
  }
  EXPECT_ERROR(Cast({At("0001-01-01 00:00:00")}, "TIMESTAMP(6)", "TIMESTAMP(9)"), Unsupported, "0001-01-01");
}

TEST(Cast, TimesBecomeTimestampsAndSeconds) {
  EXPECT_EQ(Cast({Integer(-1)}, "DATE", "TIMESTAMP(3)"), (Texts{"1969-12-31 00:00:00.000"}));
  EXPECT_EQ(Cast({Integer(3723000)}, "TIME(0)", "TIMESTAMP(0)"), (Texts{"1970-01-01 01:02:03"}));
  EXPECT_EQ(Cast({At("2024-01-01 00:00:00.9")}, "TIMESTAMP(3)", "BIGINT"), (Texts{"1704067200"}));
  EXPECT_EQ(Cast({Integer(1704067200)}, "BIGINT", "TIMESTAMP(6)"), (Texts{"2024-01-01 00:00:00.000000"}));
  EXPECT_ERROR(Cast({1.5}, "DOUBLE", "TIMESTAMP(6)"), Unsupported, "There is no cast");
}

TEST(Cast, AllowedCastsAreThoseOfTypeChanges) {
  auto can = [](const char* from, const char* to, bool allow_explicit = true) {
    return CanCast(DataType::Parse(from), DataType::Parse(to), allow_explicit);
  };
  EXPECT_TRUE(can("INT", "BIGINT", false));
  EXPECT_FALSE(can("BIGINT", "INT", false));
  EXPECT_TRUE(can("BIGINT", "INT"));
  EXPECT_TRUE(can("INT", "DECIMAL(10,2)", false));
  EXPECT_TRUE(can("DOUBLE", "DECIMAL(10,2)", false));
  EXPECT_TRUE(can("DECIMAL(10,2)", "FLOAT", false));
  EXPECT_FALSE(can("DOUBLE", "FLOAT", false));
  EXPECT_TRUE(can("CHAR(5)", "STRING", false));
  EXPECT_FALSE(can("STRING", "CHAR(5)", false));
  EXPECT_TRUE(can("STRING", "CHAR(5)"));
  EXPECT_TRUE(can("TIMESTAMP(6)", "DATE", false));
  EXPECT_FALSE(can("TIMESTAMP_LTZ(6)", "DATE", false));
  EXPECT_TRUE(can("TIMESTAMP_LTZ(6)", "DATE"));
  EXPECT_TRUE(can("TIMESTAMP(9)", "TIMESTAMP_LTZ(3)", false));
  EXPECT_TRUE(can("TIMESTAMP(6)", "BIGINT"));
  EXPECT_FALSE(can("TIMESTAMP(6)", "DOUBLE"));
  EXPECT_FALSE(can("SMALLINT", "TIMESTAMP(6)"));
  EXPECT_FALSE(can("DATE", "INT"));
  EXPECT_TRUE(can("DATE", "STRING"));
  EXPECT_FALSE(can("DATE", "VARCHAR(10)"));
  EXPECT_FALSE(can("DOUBLE", "BOOLEAN"));
  EXPECT_FALSE(can("INT", "BYTES"));
  EXPECT_FALSE(can("INT", "INT NOT NULL", false));
  EXPECT_TRUE(can("INT NOT NULL", "INT", false));
  EXPECT_TRUE(can("INT ARRAY", "BIGINT ARRAY", false));
  EXPECT_FALSE(can("BIGINT ARRAY", "INT ARRAY", false));
  EXPECT_TRUE(can("INT ARRAY", "STRING"));
  EXPECT_FALSE(can("INT", "INT ARRAY"));
  EXPECT_FALSE(can("BLOB", "STRING"));
  EXPECT_FALSE(can("VARIANT", "STRING"));
}

TEST(Cast, EveryAllowedPairIsCarriedOut) {
  const std::vector<const char*> types = {
      "BOOLEAN",      "TINYINT",        "SMALLINT", "INT",     "BIGINT",       "FLOAT",        "DOUBLE",
      "DECIMAL(9,2)", "DECIMAL(38,10)", "DATE",     "TIME(0)", "TIMESTAMP(3)", "TIMESTAMP(9)", "TIMESTAMP_LTZ(6)",
      "STRING",       "VARCHAR(3)",     "CHAR(3)",  "BYTES",   "BINARY(2)"};
  const auto one = [](const DataType& type) -> Value {
    if (type.IsBinary() || type.IsString()) return std::string("1");
    if (type.root() == TypeRoot::kBoolean) return true;
    if (type.root() == TypeRoot::kFloat) return 1.0f;
    if (type.root() == TypeRoot::kDouble) return 1.0;
    if (type.root() == TypeRoot::kDecimal) return DecimalValue{PowerOfTen(type.scale())};
    if (type.IsTimestamp()) return TimestampValue{1000, 0};
    return int64_t{1};
  };
  for (const char* from_text : types) {
    for (const char* to_text : types) {
      const DataType from = DataType::Parse(from_text);
      const DataType to = DataType::Parse(to_text);
      const auto array = ToArray({Value(), one(from)}, from);
      if (!CanCast(from, to, true)) {
        EXPECT_ERROR(CastArray(array, from, to), Unsupported, "There is no cast");
        continue;
      }
      // A single digit is no timestamp with a zone.
      if (from.IsString() && to.root() == TypeRoot::kTimestampLtz) continue;
      const auto cast = CastArray(array, from, to);
      EXPECT_TRUE(cast->type()->Equals(ToArrowType(to))) << from_text << " to " << to_text;
      EXPECT_TRUE(cast->IsNull(0) && cast->IsValid(1)) << from_text << " to " << to_text;
    }
  }
}

std::vector<std::string> TextsOf(const arrow::Array& array, const DataType& type) {
  std::vector<std::string> texts(static_cast<size_t>(array.length()));
  for (size_t i = 0; i < texts.size(); ++i) AppendText(array, static_cast<int64_t>(i), type, &texts[i]);
  return texts;
}

std::shared_ptr<arrow::Array> FromTexts(const std::vector<const char*>& texts, const DataType& type) {
  auto builder = Take(arrow::MakeBuilder(ToArrowType(type)));
  for (const char* text : texts) {
    if (text)
      AppendFromText(text, type, builder.get());
    else
      Check(builder->AppendNull());
  }
  return Take(builder->Finish());
}

TEST(Cast, RowsAreMatchedByIdAndMissingFieldsAreNull) {
  const DataType inner = DataType::Row({{5, "x", DataType::Int()}, {6, "y", DataType::String()}});
  const DataType from = DataType::Row({{1, "a", DataType::Int()}, {2, "b", inner}, {3, "gone", DataType::Int()}});
  const DataType new_inner =
      DataType::Row({{6, "why", DataType::String()}, {7, "new", DataType::Int()}, {5, "x", DataType::BigInt()}});
  const DataType to = DataType::Row({{2, "b", new_inner}, {1, "renamed", DataType::String()}});
  const auto array = FromTexts({"{1, {2, u}, 3}", nullptr, "{null, null, 3}", "{-4, {null, v}, 5}"}, from);

  const auto cast = CastArray(array, from, to);
  EXPECT_TRUE(cast->ValidateFull().ok()) << cast->ValidateFull().ToString();
  EXPECT_TRUE(cast->type()->Equals(ToArrowType(to)));
  EXPECT_EQ(TextsOf(*cast, to), (Texts{"{{u, null, 2}, 1}", "null", "{null, null}", "{{v, null, null}, -4}"}));

  const auto sliced = CastArray(array->Slice(1, 3), from, to);
  EXPECT_TRUE(sliced->ValidateFull().ok());
  EXPECT_EQ(TextsOf(*sliced, to), (Texts{"null", "{null, null}", "{{v, null, null}, -4}"}));
}

TEST(Cast, ElementsOfArraysAndMapsAreCast) {
  const DataType from = DataType::Array(DataType::Map(DataType::String().WithNullable(false), DataType::Int()));
  const DataType to =
      DataType::Array(DataType::Map(DataType::String().WithNullable(false), DataType(TypeRoot::kDouble)));
  const auto array = FromTexts({"[{a -> 1, b -> null}, {}]", nullptr, "[]", "[null, {c -> 3}]"}, from);
  for (int64_t skip : {0, 1, 3}) {
    const auto cast = CastArray(array->Slice(skip), from, to);
    EXPECT_TRUE(cast->ValidateFull().ok()) << cast->ValidateFull().ToString();
    const Texts all = {"[{a -> 1.0, b -> null}, {}]", "null", "[]", "[null, {c -> 3.0}]"};
    EXPECT_EQ(TextsOf(*cast, to), Texts(all.begin() + skip, all.end()));
  }
}

TEST(Cast, NestedValuesBecomeTextAndAreReadFromIt) {
  const DataType array = DataType::Array(DataType::Int());
  EXPECT_EQ(TextsOf(*CastArray(FromTexts({"ARRAY(1, 2,null)", "[]", nullptr}, array), array, DataType::String()),
                    DataType::String()),
            (Texts{"[1, 2, null]", "[]", "null"}));
  const DataType map = DataType::Map(DataType::String(), DataType::Int());
  EXPECT_EQ(TextsOf(*FromTexts({"MAP(k, 1, l, 2)", "{k -> 1, k -> 2}", "map()"}, map), map),
            (Texts{"{k -> 1, l -> 2}", "{k -> 2}", "{}"}));
  const DataType row = DataType::Row({{1, "a", DataType::Int()}, {2, "b", array}});
  EXPECT_EQ(TextsOf(*FromTexts({"STRUCT(42, [1, 2])", "{}", "{null, ARRAY(3)}"}, row), row),
            (Texts{"{42, [1, 2]}", "{null, null}", "{null, [3]}"}));
  const auto texts = ToArray({Text("{7, [8]}"), Value()}, DataType::String());
  EXPECT_EQ(TextsOf(*CastArray(texts, DataType::String(), row), row), (Texts{"{7, [8]}", "null"}));
  EXPECT_ERROR(FromTexts({"1, 2"}, array), InvalidArgument, "'1, 2'");
  EXPECT_ERROR(FromTexts({"{1}"}, row), InvalidArgument, "'2'");
  EXPECT_ERROR(FromTexts({"{a 1}"}, map), InvalidArgument, "{a 1}");
  EXPECT_ERROR(FromTexts({"[x]"}, array), InvalidArgument, "'x'");
}

}  // namespace
}  // namespace mica
