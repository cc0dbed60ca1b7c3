// For tests: random values of any atomic type, with the corners of each type more often than chance has them, and
// arrays of them.
#pragma once

#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <arrow/api.h>

#include "base/arrow.h"
#include "types/arrow_types.h"
#include "types/decimal.h"

namespace mica {

class RandomValues {
 public:
  explicit RandomValues(uint32_t seed) : random_(seed) {}

  uint64_t Next() { return random_(); }
  bool OneIn(uint64_t n) { return random_() % n == 0; }
  // Small numbers are often equal to one another.
  int64_t Integer(int bits) {
    if (OneIn(3)) return static_cast<int64_t>(random_() % 7) - 3;
    return static_cast<int64_t>(random_()) >> (64 - bits);
  }

  Value One(const DataType& type) {
    switch (type.root()) {
      case TypeRoot::kBoolean: return OneIn(2);
      case TypeRoot::kTinyInt: return Integer(8);
      case TypeRoot::kSmallInt: return Integer(16);
      case TypeRoot::kInt: return Integer(32);
      case TypeRoot::kDate: return Integer(22);
      case TypeRoot::kTime: return static_cast<int64_t>(random_() % 86'400'000);
      case TypeRoot::kBigInt: return Integer(64);
      case TypeRoot::kFloat: return static_cast<float>(Floating());
      case TypeRoot::kDouble: return Floating();
      case TypeRoot::kDecimal: {
        const auto wide = static_cast<Int128>(Integer(64)) * (OneIn(2) ? 1 : Integer(60));
        return DecimalValue{wide % PowerOfTen(type.precision())};
      }
      case TypeRoot::kTimestamp:
      case TypeRoot::kTimestampLtz: {
        const int64_t millis = Integer(type.precision() > 6 ? 43 : 48);
        int32_t nanos = static_cast<int32_t>(random_() % 1'000'000);
        if (type.precision() <= 3 || OneIn(3)) nanos = 0;
        if (type.precision() <= 6) nanos -= nanos % 1000;
        return TimestampValue{millis, nanos};
      }
      default: {
        std::string text(random_() % (OneIn(2) ? 3 : 24), 'a');
        for (char& c : text)
          c = type.IsString() ? static_cast<char>('a' + random_() % 3) : static_cast<char>(random_());
        return text;
      }
    }
  }

  std::vector<Value> Some(const DataType& type, size_t count, bool with_nulls) {
    std::vector<Value> values;
    for (size_t i = 0; i < count; ++i) values.push_back(with_nulls && OneIn(5) ? Value() : One(type));
    return values;
  }

 private:
  double Floating() {
    switch (random_() % 8) {
      case 0: return std::numeric_limits<double>::quiet_NaN();
      case 1: return -0.0;
      case 2: return 0.0;
      case 3: return std::numeric_limits<double>::infinity();
      case 4: return 1e-3 * static_cast<double>(Integer(40));
      default: return 0.5 * static_cast<double>(Integer(4));
    }
  }

  std::mt19937_64 random_;
};

inline std::shared_ptr<arrow::Array> ToArray(const std::vector<Value>& values, const DataType& type) {
  auto builder = Take(arrow::MakeBuilder(ToArrowType(type)));
  for (const Value& value : values) AppendValue(value, type, builder.get());
  return Take(builder->Finish());
}

}  // namespace mica
