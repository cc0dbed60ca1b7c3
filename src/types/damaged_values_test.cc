// Damaged rows, type texts and partition texts are errors, whatever the damage.
#include <gtest/gtest.h>

#include "base/mutations.h"
#include "types/binary_row.h"
#include "types/data_type.h"
#include "types/partition_path.h"

namespace mica {
namespace {

std::vector<DataType> Types() {
  return {DataType::Int(),       DataType::String(),       DataType::Decimal(38, 18), DataType::Timestamp(9),
          DataType::Bytes(),     DataType::Decimal(10, 2), DataType::Timestamp(3),    DataType(TypeRoot::kDouble),
          DataType::Varchar(30), DataType(TypeRoot::kBoolean)};
}

TEST(DamagedValuesTest, BinaryRows) {
  Mutations mutations;
  const std::vector<DataType> types = Types();
  const std::vector<Value> values = {int64_t{7},        std::string("a much longer text"), DecimalValue{-5},
                                     TimestampValue{1}, std::string("\0\1", 2),            DecimalValue{150},
                                     TimestampValue{2}, 1.5,                               Value(),
                                     true};
  const std::string intact = BinaryRow::Of(values, types).Serialize();
  for (int i = 0; i < Mutations::Rounds(5000); ++i) {
    const std::string damaged = mutations.Of(intact);
    Mutations::ExpectErrorOrValue([&] { BinaryRow::Deserialize(damaged).Values(types); });
    Mutations::ExpectErrorOrValue([&] { BinaryRow::Deserialize(damaged).Hash(); });
  }
}

TEST(DamagedValuesTest, TypeTexts) {
  Mutations mutations;
  const std::string_view texts[] = {"DECIMAL(10, 2) NOT NULL", "VARCHAR(30)",   "TIMESTAMP(6) WITH LOCAL TIME ZONE",
                                    "INT ARRAY",               "TIME(3)",       "BINARY(4) NOT NULL",
                                    "STRING MULTISET",         "CHAR(1) ARRAY NOT NULL"};
  for (int i = 0; i < Mutations::Rounds(5000); ++i) {
    const std::string damaged = mutations.Of(texts[mutations.Next() % std::size(texts)]);
    Mutations::ExpectErrorOrValue([&] { DataType::Parse(damaged).ToString(); });
  }
}

TEST(DamagedValuesTest, PartitionTexts) {
  Mutations mutations;
  const std::string_view texts[] = {"2024-02-29", "2024-01-01 00:00:00.000001", "12.50", "-7", "a%2Fb%", "1.0E10", "true"};
  for (int i = 0; i < Mutations::Rounds(3000); ++i) {
    const std::string damaged = mutations.Of(texts[mutations.Next() % std::size(texts)]);
    // Whatever the text, its escaped form is a name that gives it back.
    const std::string escaped = EscapePathName(damaged);
    EXPECT_EQ(escaped.find('/'), std::string::npos);
    EXPECT_EQ(UnescapePathName(escaped), damaged);
    UnescapePathName(damaged);
    for (const DataType& type : Types()) {
      if (type.IsBinary()) continue;
      Mutations::ExpectErrorOrValue([&] { ParsePartitionValue(damaged, type, {}); });
      Mutations::ExpectErrorOrValue([&] { ValueFromString(damaged, type); });
    }
  }
}

}  // namespace
}  // namespace mica
