#include "types/binary_row.h"

#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "types/hex.h"

namespace mica {
namespace {

struct Cell {
  const char* type;
  Value value;
};

BinaryRow RowOf(const std::vector<Cell>& cells) {
  std::vector<Value> values;
  std::vector<DataType> types;
  for (const Cell& cell : cells) {
    values.push_back(cell.value);
    types.push_back(DataType::Parse(cell.type));
  }
  return BinaryRow::Of(values, types);
}

Value Integer(int64_t value) {
  return value;
}
Value Text(std::string value) {
  return value;
}
Value Decimal(Int128 unscaled) {
  return DecimalValue{unscaled};
}
Value Timestamp(int64_t millis, int32_t nanos = 0) {
  return TimestampValue{millis, nanos};
}
const Value kNull;

constexpr int64_t kLeapDay = 1709210096789;  // 2024-02-29 12:34:56.789

Int128 ParseInt128(std::string_view digits) {
  Int128 value = 0;
  for (char c : digits) value = value * 10 + (c - '0');
  return value;
}

// Format 13 and 14.1: bytes and hashes that Java writes.
TEST(BinaryRow, BytesAndHashesAreThoseOfTheFormat) {
  struct Vector {
    std::vector<Cell> cells;
    std::string hex;
    int32_t hash;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const float nan_float = std::numeric_limits<float>::quiet_NaN();
  const int64_t least = std::numeric_limits<int64_t>::min();
  const std::vector<Vector> vectors = {
      {{}, "0000000000000000", -1670924195},
      {{{"BOOLEAN", true}}, "00000000000000000100000000000000", 1465514398},
      {{{"TIME(0)", Integer(1)}}, "00000000000000000100000000000000", 1465514398},
      {{{"DOUBLE", 4.9E-324}}, "00000000000000000100000000000000", 1465514398},
      {{{"TINYINT", Integer(-128)}}, "00000000000000008000000000000000", -1226381822},
      {{{"SMALLINT", Integer(-32768)}}, "00000000000000000080000000000000", -141722409},
      {{{"INT", kNull}}, "00010000000000000000000000000000", -1748325344},
      {{{"INT", Integer(-1)}}, "0000000000000000ffffffff00000000", 1133687267},
      {{{"DATE", Integer(-1)}}, "0000000000000000ffffffff00000000", 1133687267},
      {{{"BIGINT", Integer(least)}}, "00000000000000000000000000000080", 302122119},
      {{{"STRING", Text("")}}, "00000000000000000000000000000080", 302122119},
      {{{"BYTES", Text("")}}, "00000000000000000000000000000080", 302122119},
      {{{"BIGINT", Integer(-1)}}, "0000000000000000ffffffffffffffff", -821098432},
      {{{"DECIMAL(18,0)", Decimal(-1)}}, "0000000000000000ffffffffffffffff", -821098432},
      {{{"DECIMAL(5,2)", Decimal(-1)}}, "0000000000000000ffffffffffffffff", -821098432},
      {{{"TIMESTAMP(3)", Timestamp(-1)}}, "0000000000000000ffffffffffffffff", -821098432},
      {{{"FLOAT", -1.5f}}, "00000000000000000000c0bf00000000", 497031901},
      {{{"DOUBLE", nan}, {"FLOAT", nan_float}}, "0000000000000000000000000000f87f0000c07f00000000", -428583913},
      {{{"DOUBLE", -0.0}, {"FLOAT", -0.0f}}, "000000000000000000000000000000800000008000000000", 1732973281},
      {{{"DECIMAL(5,2)", Decimal(99999)}}, "00000000000000009f86010000000000", -1139834775},
      {{{"DECIMAL(38,18)", Decimal(-1)}},
       "00000000000000000100000010000000ff000000000000000000000000000000",
       907730780},
      {{{"DECIMAL(38,18)", Decimal(ParseInt128("12345678901234567890123456789012345678"))}},
       "000000000000000010000000100000000949b0f6f0023313c4499050de38f34e",
       496617349},
      {{{"TIMESTAMP(6)", Timestamp(kLeapDay, 12000)}}, "0000000000000000e02e0000100000009554dcf48d010000", 472471053},
      {{{"TIMESTAMP(9)", Timestamp(-1, 999999)}}, "00000000000000003f420f0010000000ffffffffffffffff", 61627685},
      {{{"BINARY(3)", Text(std::string("\x00\xff\x7f", 3))}}, "000000000000000000ff7f0000000083", -2030641357},
      {{{"CHAR(4)", Text("ab  ")}}, "00000000000000006162202000000084", 864186397},
      {{{"VARCHAR(10)", Text("varchar")}}, "00000000000000007661726368617287", 1073973630},
      {{{"STRING", Text("é日本😀")}}, "00000000000000000c00000010000000c3a9e697a5e69cacf09f988000000000", -1048394325},
      {{{"STRING", Text("ünï")}, {"BIGINT", Integer(-1)}},
       "0000000000000000c3bc6ec3af000085ffffffffffffffff",
       234715720},
      {{{"BIGINT", Integer(0)}, {"STRING", kNull}}, "000200000000000000000000000000000000000000000000", 1685953703},
      {{{"STRING", Text("a much longer key")}, {"INT", Integer(-1)}},
       "00000000000000001100000018000000ffffffff0000000061206d756368206c6f6e676572206b657900000000000000",
       1440023803},
      {{{"TIMESTAMP_LTZ(9)", Timestamp(kLeapDay, 12345)},
        {"DECIMAL(20,0)", Decimal(-ParseInt128("12345678901234567890"))}},
       "0000000000000000393000001800000009000000200000009554dcf48d010000ff54ab567314e0f52e00000000000000",
       862752066},
      {{{"DECIMAL(38,18)", kNull}, {"TIMESTAMP(9)", kNull}, {"STRING", kNull}, {"INT ARRAY", kNull}},
       "000f00000000000000000000280000000000000038000000" + std::string(80, '0'),
       -2053638002},
      {{{"DECIMAL(38,18)", kNull},
        {"TIMESTAMP(9)", Timestamp(1704067200123, 456789)},
        {"TIMESTAMP(3)", kNull},
        {"DECIMAL(10,2)", Decimal(150)},
        {"STRING", Text("a long string of 24 char")}},
       "0005000000000000000000003000000055f8060040000000000000000000000096000000000000001800000048000000000000000000000"
       "000000000"
       "000000007bf451c28c01000061206c6f6e6720737472696e67206f662032342063686172",
       -1222199679},
      {{{"INT", Integer(0)}}, "00000000000000000000000000000000", -300363099},
      {{{"INT", Integer(1)}}, "00000000000000000100000000000000", 1465514398},
      {{{"INT", Integer(2)}}, "00000000000000000200000000000000", 1340390384},
      {{{"INT", Integer(3)}}, "00000000000000000300000000000000", -771300025},
      {{{"STRING", Text("false")}}, "000000000000000066616c7365000085", RowOf({{"STRING", Text("false")}}).Hash()},
  };
  for (const Vector& vector : vectors) {
    const BinaryRow row = RowOf(vector.cells);
    EXPECT_EQ(ToHex(row.bytes()), vector.hex);
    EXPECT_EQ(row.Hash(), vector.hash) << vector.hex;
    for (size_t i = 0; i < vector.cells.size(); ++i) {
      const Value value = row.Get(static_cast<int32_t>(i), DataType::Parse(vector.cells[i].type));
      EXPECT_TRUE(CompareValues(value, vector.cells[i].value) == 0) << vector.hex;
    }
    EXPECT_EQ(BinaryRow::Deserialize(row.Serialize()), row);
  }
  EXPECT_EQ(RowOf({{"STRING", Text("Alice")}}).Hash(), 1285337400);
  EXPECT_EQ(RowOf({{"STRING", Text("Bob")}}).Hash(), 1359740369);
  EXPECT_EQ(RowOf({{"STRING", Text("Emily")}}).Hash(), -834837433);
}

TEST(BinaryRow, ManyFieldsTakeMoreNullBits) {
  std::vector<Cell> cells;
  for (int i = 0; i < 56; ++i) cells.push_back({"TINYINT", Integer(i)});
  cells.push_back({"TINYINT", kNull});
  const BinaryRow row = RowOf(cells);
  EXPECT_EQ(row.bytes().size(), 472u);
  EXPECT_EQ(ToHex(row.bytes().substr(0, 16)), "00000000000000000100000000000000");
  EXPECT_EQ(row.Hash(), -785623908);
  EXPECT_TRUE(row.IsNullAt(56));
  EXPECT_FALSE(row.IsNullAt(55));
}

TEST(BinaryRow, SerializedFormHasABigEndianArity) {
  EXPECT_EQ(ToHex(BinaryRow().Serialize()), "000000000000000000000000");
  EXPECT_EQ(ToHex(RowOf({{"INT", Integer(1)}}).Serialize()), "0000000100000000000000000100000000000000");
  EXPECT_EQ(BinaryRow::Deserialize(FromHex("000000000000000000000000")), BinaryRow());
}

TEST(BinaryRow, LongStringsLieBehindTheSlots) {
  const BinaryRow row =
      RowOf({{"STRING", Text("sixteen letters!")}, {"INT", kNull}, {"INT", kNull}, {"INT", kNull}, {"INT", kNull}});
  EXPECT_EQ(ToHex(row.bytes().substr(8, 8)), "1000000030000000");
}

TEST(BinaryRow, MalformedBytesAreCorrupt) {
  EXPECT_ERROR(BinaryRow::Deserialize(""), Corrupt, "bytes");
  EXPECT_ERROR(BinaryRow::Deserialize("abc"), Corrupt, "bytes");
  EXPECT_ERROR(BinaryRow::Deserialize(FromHex("00000000")), Corrupt, "does not fit");
  EXPECT_ERROR(BinaryRow::Deserialize(FromHex("ffffffff0000000000000000")), Corrupt, "does not fit");
  EXPECT_ERROR(BinaryRow::Deserialize(FromHex("7fffffff0000000000000000")), Corrupt, "does not fit");
  const BinaryRow beyond = BinaryRow::Deserialize(FromHex("0000000100000000000000001000000018000000"));
  EXPECT_ERROR(beyond.Get(0, DataType::String()), Corrupt, "beyond");
  EXPECT_ERROR(beyond.Get(1, DataType::String()), Corrupt, "no field");
  EXPECT_ERROR(beyond.Get(0, DataType::Array(DataType::Int())), Unsupported, "ARRAY");
  const BinaryRow inline_too_long = BinaryRow::Deserialize(FromHex("00000001000000000000000000000000000000ff"));
  EXPECT_ERROR(inline_too_long.Get(0, DataType::String()), Corrupt, "slot");
  EXPECT_ERROR(BinaryRow(3, "").IsNullAt(0), Corrupt, "no field");
  EXPECT_ERROR(beyond.Values(std::vector<DataType>{}), Corrupt, "expected");
}

TEST(BinaryRow, RandomBytesNeverCrash) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const std::vector<const char*> types = {"STRING", "DECIMAL(38, 2)", "TIMESTAMP(9)", "BOOLEAN",
                                          "DOUBLE", "BYTES",          "DECIMAL(5,1)"};
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random() % 64, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % 4 == 0 ? random() : random() % 3);
    if (bytes.size() > 4 && random() % 2) bytes[0] = bytes[1] = bytes[2] = 0;
    try {
      const BinaryRow row = BinaryRow::Deserialize(bytes);
      for (int32_t field = 0; field < row.arity(); ++field) {
        try {
          row.Get(field, DataType::Parse(types[random() % types.size()]));
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
        }
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
    }
  }
}

}  // namespace
}  // namespace mica
