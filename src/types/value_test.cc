#include "types/value.h"

#include <cstdlib>
#include <ctime>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "types/decimal.h"
#include "types/hex.h"
#include "types/number_text.h"
#include "types/timestamp.h"

namespace mica {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

// The zone of this process, put back at the end.
class Zone {
 public:
  explicit Zone(const char* name) {
    if (const char* before = std::getenv("TZ")) before_ = before;
    setenv("TZ", name, 1);
    tzset();
  }
  ~Zone() {
    before_ ? setenv("TZ", before_->c_str(), 1) : unsetenv("TZ");
    tzset();
  }

 private:
  std::optional<std::string> before_;
};

Value Read(std::string_view text, const char* type) {
  return ValueFromString(text, DataType::Parse(type));
}
std::string Show(const Value& value, const char* type) {
  return ValueToString(value, DataType::Parse(type));
}
std::string ReadAndShow(std::string_view text, const char* type) {
  return Show(Read(text, type), type);
}

bool Before(const Value& a, const Value& b) {
  return CompareValues(a, b) < 0 && CompareValues(b, a) > 0;
}
bool Same(const Value& a, const Value& b) {
  return CompareValues(a, b) == 0;
}

TEST(Value, NullsComeFirst) {
  EXPECT_TRUE(Before(Value(), Value(int64_t{-5})));
  EXPECT_TRUE(Before(Value(), Value(std::string())));
  EXPECT_TRUE(Same(Value(), Value()));
}

// P-10
TEST(Value, TextAndBinaryCompareByUnsignedBytes) {
  EXPECT_TRUE(Before(std::string("\x7f"), std::string("\x80")));
  EXPECT_TRUE(Before(std::string("\x01"), std::string("\xff")));
  EXPECT_TRUE(Before(std::string("\x80"), std::string("\xff")));
  EXPECT_TRUE(Before(std::string("a"), std::string("é")));
  EXPECT_TRUE(Before(std::string("a"), std::string("ab")));
  EXPECT_TRUE(Before(std::string("a"), std::string("a\0", 2)));
}

TEST(Value, NanIsGreatestAndZerosAreEqual) {
  EXPECT_TRUE(Before(std::numeric_limits<double>::infinity(), kNan));
  EXPECT_TRUE(Same(kNan, -kNan));
  EXPECT_TRUE(Same(0.0, -0.0));
  EXPECT_TRUE(Same(0.0f, -0.0f));
  EXPECT_TRUE(Before(-1.5f, 0.0f));
}

TEST(Value, NumbersAndTimesCompareByValue) {
  EXPECT_TRUE(Before(int64_t{-1}, int64_t{0}));
  EXPECT_TRUE(Before(false, true));
  EXPECT_TRUE(Before(DecimalValue{-10}, DecimalValue{9}));
  EXPECT_TRUE(Before(TimestampValue{-1, 999'999}, TimestampValue{0, 0}));
  EXPECT_TRUE(Before(TimestampValue{5, 1}, TimestampValue{5, 2}));
}

TEST(Value, TextOfFloatsHasTheFewestDigits) {
  EXPECT_EQ(DoubleToString(1.5), "1.5");
  EXPECT_EQ(DoubleToString(100), "100.0");
  EXPECT_EQ(DoubleToString(1e7), "1.0E7");
  EXPECT_EQ(DoubleToString(9999999), "9999999.0");
  EXPECT_EQ(DoubleToString(1e10), "1.0E10");
  EXPECT_EQ(DoubleToString(1e-5), "1.0E-5");
  EXPECT_EQ(DoubleToString(0.001), "0.001");
  EXPECT_EQ(DoubleToString(0.00123), "0.00123");
  EXPECT_EQ(DoubleToString(-12345678.9), "-1.23456789E7");
  EXPECT_EQ(DoubleToString(0.0), "0.0");
  EXPECT_EQ(DoubleToString(-0.0), "-0.0");
  EXPECT_EQ(DoubleToString(kNan), "NaN");
  EXPECT_EQ(DoubleToString(-std::numeric_limits<double>::infinity()), "-Infinity");
  EXPECT_EQ(DoubleToString(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(FloatToString(0.1f), "0.1");
  EXPECT_EQ(FloatToString(3.4028235e38f), "3.4028235E38");
  EXPECT_EQ(DoubleToString(1234.5), "1234.5");
}

TEST(Value, NumbersAreReadAsTheCastFromTextDoes) {
  EXPECT_EQ(std::get<int64_t>(Read("-128", "TINYINT")), -128);
  EXPECT_EQ(std::get<int64_t>(Read("+12.99", "INT")), 12);
  EXPECT_EQ(std::get<int64_t>(Read("-9223372036854775808", "BIGINT")), std::numeric_limits<int64_t>::min());
  for (const char* text : {"", "-", "+", "1e3", " 1", "1 ", "12a", "1.2.3", "9223372036854775808", "abc"}) {
    EXPECT_ERROR(Read(text, "BIGINT"), InvalidArgument, "BIGINT");
  }
  EXPECT_ERROR(Read("128", "TINYINT"), InvalidArgument, "'128'");
  EXPECT_EQ(std::get<double>(Read(" 1.5e3 ", "DOUBLE")), 1500);
  EXPECT_EQ(std::get<double>(Read("1.5d", "DOUBLE")), 1.5);
  EXPECT_EQ(std::get<double>(Read("-Infinity", "DOUBLE")), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(std::get<double>(Read("1e999", "DOUBLE")), std::numeric_limits<double>::infinity());
  EXPECT_EQ(std::get<double>(Read("1e-999", "DOUBLE")), 0);
  EXPECT_TRUE(Same(Read("NaN", "DOUBLE"), kNan));
  EXPECT_EQ(std::get<float>(Read(".5", "FLOAT")), 0.5f);
  for (const char* text : {"", "inf", "nan", "1,5", "0x", "--1", "d"}) {
    EXPECT_ERROR(Read(text, "DOUBLE"), InvalidArgument, "DOUBLE");
  }
  EXPECT_EQ(std::get<bool>(Read("YES", "BOOLEAN")), true);
  EXPECT_EQ(std::get<bool>(Read("0", "BOOLEAN")), false);
  EXPECT_ERROR(Read("on", "BOOLEAN"), InvalidArgument, "'on'");
}

TEST(Value, DecimalsAreReadAndShownWithAllTheirDigits) {
  EXPECT_EQ(ReadAndShow("1.5", "DECIMAL(10,2)"), "1.50");
  EXPECT_EQ(ReadAndShow("0", "DECIMAL(10,3)"), "0.000");
  EXPECT_EQ(ReadAndShow("-.005", "DECIMAL(10,2)"), "-0.01");
  EXPECT_EQ(ReadAndShow("1.005", "DECIMAL(10,2)"), "1.01");
  EXPECT_EQ(ReadAndShow("12e3", "DECIMAL(10,2)"), "12000.00");
  EXPECT_EQ(ReadAndShow("1e-9", "DECIMAL(10,2)"), "0.00");
  EXPECT_EQ(ReadAndShow("99999999999999999999.999999999999999999", "DECIMAL(38,18)"),
            "99999999999999999999.999999999999999999");
  EXPECT_EQ(ReadAndShow("-12345678901234567890", "DECIMAL(20,0)"), "-12345678901234567890");
  EXPECT_ERROR(Read("1000", "DECIMAL(5,2)"), InvalidArgument, "'1000'");
  EXPECT_ERROR(Read("999.995", "DECIMAL(5,2)"), InvalidArgument, "'999.995'");
  EXPECT_ERROR(Read("1e1000000", "DECIMAL(5,2)"), InvalidArgument, "DECIMAL(5, 2)");
  for (const char* text : {"", ".", "-", "1.2.3", "1e", "1x", " 1", "e5", "1e99999999999"}) {
    EXPECT_ERROR(Read(text, "DECIMAL(5,2)"), InvalidArgument, "DECIMAL(5, 2)");
  }
}

TEST(Value, DecimalBytesAreTheFewest) {
  EXPECT_EQ(ToHex(DecimalToBigEndian(0)), "00");
  EXPECT_EQ(ToHex(DecimalToBigEndian(-1)), "ff");
  EXPECT_EQ(ToHex(DecimalToBigEndian(127)), "7f");
  EXPECT_EQ(ToHex(DecimalToBigEndian(128)), "0080");
  EXPECT_EQ(ToHex(DecimalToBigEndian(-128)), "80");
  EXPECT_EQ(ToHex(DecimalToBigEndian(-129)), "ff7f");
  for (Int128 value : {Int128{0}, Int128{-1}, Int128{255}, PowerOfTen(38) - 1, -PowerOfTen(38) + 1}) {
    EXPECT_TRUE(DecimalFromBigEndian(DecimalToBigEndian(value)) == value);
  }
  EXPECT_ERROR(DecimalFromBigEndian(""), Corrupt, "decimal");
  EXPECT_ERROR(DecimalFromBigEndian(std::string(17, 'a')), Corrupt, "decimal");
}

TEST(Value, DatesAndTimesAreReadAndShown) {
  EXPECT_EQ(ReadAndShow("2024-02-29", "DATE"), "2024-02-29");
  EXPECT_EQ(ReadAndShow("1969-12-31", "DATE"), "1969-12-31");
  EXPECT_EQ(ReadAndShow("0001-01-01", "DATE"), "0001-01-01");
  EXPECT_EQ(ReadAndShow("2024-2", "DATE"), "2024-02-01");
  EXPECT_EQ(ReadAndShow("2024-01-02 03:04:05", "DATE"), "2024-01-02");
  EXPECT_EQ(std::get<int64_t>(Read("9999-12-31", "DATE")), 2932896);
  EXPECT_EQ(std::get<int64_t>(Read("19723", "DATE")), 19723);
  for (const char* text :
       {"", "2023-02-29", "2024-13-01", "2024-00-01", "2024-01-32", "x", "2024-01-x", "10000-01-01"}) {
    EXPECT_ERROR(Read(text, "DATE"), InvalidArgument, "DATE");
  }
  EXPECT_EQ(ReadAndShow("01:02:03", "TIME(0)"), "01:02:03");
  EXPECT_EQ(ReadAndShow("1:2", "TIME(0)"), "01:02:00");
  EXPECT_EQ(ReadAndShow("01:02:03.456", "TIME(3)"), "01:02:03.456");
  EXPECT_EQ(ReadAndShow("01:02:03.45", "TIME(3)"), "01:02:03.45");
  EXPECT_EQ(ReadAndShow("01:02:03", "TIME(3)"), "01:02:03.0");
  EXPECT_EQ(std::get<int64_t>(Read("3723000", "TIME(0)")), 3723000);
  for (const char* text : {"", "24:00:00", "1:60", "1:2:3.x", "a:b"}) {
    EXPECT_ERROR(Read(text, "TIME(0)"), InvalidArgument, "TIME(0)");
  }
}

TEST(Value, TimestampsAreReadAndShownWithTheirPrecision) {
  EXPECT_EQ(ReadAndShow("2024-01-01 10:20:00", "TIMESTAMP(0)"), "2024-01-01 10:20:00");
  EXPECT_EQ(ReadAndShow("2024-01-01 10:20:00", "TIMESTAMP(3)"), "2024-01-01 10:20:00.000");
  EXPECT_EQ(ReadAndShow("2024-01-01 10:20:00.123456789", "TIMESTAMP(6)"), "2024-01-01 10:20:00.123456");
  EXPECT_EQ(ReadAndShow("1969-12-31 23:59:59.999999999", "TIMESTAMP(9)"), "1969-12-31 23:59:59.999999999");
  EXPECT_EQ(ReadAndShow("2024-01-01T10:20", "TIMESTAMP(0)"), "2024-01-01 10:20:00");
  EXPECT_EQ(ReadAndShow("2024-1-2", "TIMESTAMP(0)"), "2024-01-02 00:00:00");
  EXPECT_EQ(ReadAndShow("2023-02-31", "TIMESTAMP(0)"), "2023-02-28 00:00:00");
  EXPECT_EQ(ReadAndShow("2023-12-31 24:00:00", "TIMESTAMP(0)"), "2024-01-01 00:00:00");
  EXPECT_EQ(ReadAndShow("1704104400000", "TIMESTAMP(3)"), "2024-01-01 10:20:00.000");
  EXPECT_EQ(ReadAndShow("1704104400", "TIMESTAMP(0)"), "2024-01-01 10:20:00");
  EXPECT_TRUE(Same(Read("1969-12-31 23:59:59.999999999", "TIMESTAMP(9)"), TimestampValue{-1, 999'999}));
  for (const char* text :
       {"", "2024-01-01 10", "2024-01-01 10:20", "2024-01-01X10:20:00", "2024-01-01 25:00:00", "2024-01-01 24:00:01",
        "2024-01-01 10:20:00.1234567890", "2024-01-01 10:20:00Z", "24-01-01", "2024-01-01 10:20:61"}) {
    EXPECT_ERROR(Read(text, "TIMESTAMP(3)"), InvalidArgument, "TIMESTAMP(3)");
  }
}

TEST(Value, TextFitsTheLengthOfItsType) {
  EXPECT_EQ(std::get<std::string>(Read("ab", "CHAR(4)")), "ab  ");
  EXPECT_EQ(std::get<std::string>(Read("日本", "CHAR(3)")), "日本 ");
  EXPECT_EQ(std::get<std::string>(Read("日本", "VARCHAR(2)")), "日本");
  EXPECT_EQ(std::get<std::string>(Read("", "STRING")), "");
  EXPECT_EQ(std::get<std::string>(Read("ab", "BINARY(3)")), std::string("ab\0", 3));
  EXPECT_ERROR(Read("日本語", "VARCHAR(2)"), InvalidArgument, "longer");
  EXPECT_ERROR(Read("abc", "CHAR(2)"), InvalidArgument, "longer");
  EXPECT_ERROR(Read("[1]", "INT ARRAY"), Unsupported, "ARRAY<INT>");
}

TEST(Value, InstantsAreShownInTheZoneOfTheProcess) {
  const Zone zone("Asia/Shanghai");
  EXPECT_EQ(Show(TimestampValue{0, 0}, "TIMESTAMP_LTZ(3)"), "1970-01-01 08:00:00.000");
  EXPECT_TRUE(Same(Read("1970-01-01 08:00:00", "TIMESTAMP_LTZ(3)"), TimestampValue{0, 0}));
  EXPECT_EQ(Show(TimestampValue{0, 0}, "TIMESTAMP(3)"), "1970-01-01 00:00:00.000");
}

TEST(Value, ClockChangesFollowTheEarlierOffset) {
  const Zone zone("Europe/Berlin");
  auto instant = [](const char* local) {
    return Show(InstantFromLocal(std::get<TimestampValue>(Read(local, "TIMESTAMP(0)"))), "TIMESTAMP(0)");
  };
  EXPECT_EQ(instant("2024-01-15 12:00:00"), "2024-01-15 11:00:00");
  EXPECT_EQ(instant("2024-07-15 12:00:00"), "2024-07-15 10:00:00");
  EXPECT_EQ(instant("2024-03-31 01:59:59"), "2024-03-31 00:59:59");
  EXPECT_EQ(instant("2024-03-31 02:30:00"), "2024-03-31 01:30:00");  // skipped: moves on to 03:30
  EXPECT_EQ(instant("2024-03-31 03:00:00"), "2024-03-31 01:00:00");
  EXPECT_EQ(instant("2024-10-27 01:59:59"), "2024-10-26 23:59:59");
  EXPECT_EQ(instant("2024-10-27 02:30:00"), "2024-10-27 00:30:00");  // twice: the first one
  EXPECT_EQ(instant("2024-10-27 03:00:00"), "2024-10-27 02:00:00");
}

TEST(Value, CalendarIsRightOverAllEras) {
  for (int64_t days = -800'000; days < 3'000'000; days += 997) {
    const CivilDate date = DateFromDays(days);
    EXPECT_EQ(DaysFromDate(date), days);
    EXPECT_TRUE(date.month >= 1 && date.month <= 12 && date.day >= 1 && date.day <= DaysInMonth(date.year, date.month));
  }
  EXPECT_EQ(FormatDate(0), "1970-01-01");
  EXPECT_EQ(FormatDate(-1), "1969-12-31");
  EXPECT_EQ(FormatTimestampIso({0, 0}), "1970-01-01T00:00");
  EXPECT_EQ(FormatTimestampIso({1, 0}), "1970-01-01T00:00:00.001");
  EXPECT_EQ(FormatTimestampIso({1000, 0}), "1970-01-01T00:00:01");
  EXPECT_EQ(FormatTimestampIso({0, 1}), "1970-01-01T00:00:00.000000001");
  EXPECT_EQ(FormatTimestampIso({0, 1000}), "1970-01-01T00:00:00.000001");
}

TEST(Value, RandomTextIsReadOrRefused) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const std::string alphabet = "0123456789012345678901234567890-+.:eETN \xc3";
  for (int i = 0; i < 20'000; ++i) {
    std::string text(random() % 24, '0');
    for (char& c : text) c = alphabet[random() % alphabet.size()];
    for (const char* type_text : {"INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(38,10)", "DATE", "TIME(3)",
                                  "TIMESTAMP(0)", "TIMESTAMP(6)", "TIMESTAMP_LTZ(9)", "CHAR(3)"}) {
      const DataType type = DataType::Parse(type_text);
      try {
        const Value value = ValueFromString(text, type);
        // What was read is shown as a text that reads back the same, unless its year has more than four digits.
        const std::string shown = ValueToString(value, type);
        const auto* timestamp = std::get_if<TimestampValue>(&value);
        const bool usual =
            !timestamp || (timestamp->millis > -62'000'000'000'000 && timestamp->millis < 253'000'000'000'000);
        const bool far_date = type.root() == TypeRoot::kDate && std::get<int64_t>(value) > 2'932'896;
        if (usual && !far_date) {
          EXPECT_TRUE(CompareValues(ValueFromString(shown, type), value) == 0) << text << " as " << type_text;
        }
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kInvalidArgument) << text;
      }
    }
  }
}

std::optional<Value> Cast(const Value& value, const char* from, const char* to, bool exact = false) {
  return CastValue(value, DataType::Parse(from), DataType::Parse(to), exact);
}

TEST(Value, ExactCastsGiveNothingWhenSomethingIsLost) {
  EXPECT_TRUE(Same(*Cast(int64_t{127}, "INT", "TINYINT", true), int64_t{127}));
  EXPECT_FALSE(Cast(int64_t{128}, "INT", "TINYINT", true));
  EXPECT_FALSE(Cast(int64_t{16777217}, "INT", "FLOAT", true));
  EXPECT_TRUE(Cast(int64_t{16777216}, "INT", "FLOAT", true));
  EXPECT_FALSE(Cast(std::numeric_limits<int64_t>::max(), "BIGINT", "DOUBLE", true));
  EXPECT_TRUE(Cast(std::numeric_limits<int64_t>::min(), "BIGINT", "DOUBLE", true));
  EXPECT_FALSE(Cast(1.5, "DOUBLE", "INT", true));
  EXPECT_TRUE(Cast(2.0, "DOUBLE", "INT", true));
  EXPECT_FALSE(Cast(kNan, "DOUBLE", "INT", true));
  EXPECT_FALSE(Cast(1e20, "DOUBLE", "BIGINT", true));
  EXPECT_FALSE(Cast(DecimalValue{155}, "DECIMAL(5,2)", "DECIMAL(5,1)", true));
  EXPECT_TRUE(Cast(DecimalValue{150}, "DECIMAL(5,2)", "DECIMAL(5,1)", true));
  EXPECT_FALSE(Cast(DecimalValue{99999}, "DECIMAL(5,2)", "DECIMAL(5,3)", true));
  EXPECT_FALSE(Cast(std::string("01"), "STRING", "INT", true));
  EXPECT_FALSE(Cast(std::string("x"), "STRING", "INT", true));
  EXPECT_TRUE(Cast(std::string("1"), "STRING", "INT", true));
  EXPECT_FALSE(Cast(std::string("abc"), "STRING", "CHAR(5)", true));
  EXPECT_FALSE(Cast(TimestampValue{1, 0}, "TIMESTAMP(3)", "DATE", true));
  EXPECT_TRUE(Cast(TimestampValue{86400000, 0}, "TIMESTAMP(3)", "DATE", true));
  EXPECT_FALSE(Cast(int64_t{5}, "INT", "BOOLEAN", true));
  EXPECT_TRUE(Cast(Value(), "INT", "BOOLEAN", true));
  EXPECT_ERROR(Cast(int64_t{5}, "DATE", "BOOLEAN", true), Unsupported, "There is no cast from 'DATE' to 'BOOLEAN'");
}

}  // namespace
}  // namespace mica
