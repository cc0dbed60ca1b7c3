#include "format/column_stats.h"

#include <cmath>

#include <arrow/api.h>

#include "types/arrow_types.h"

namespace mica {

namespace {

struct Extremes {
  int64_t least = -1;
  int64_t greatest = -1;
  bool has_nan = false;
};

template <typename ArrayType, typename ValueOf>
Extremes FindExtremes(const ArrayType& array, ValueOf&& value_of) {
  Extremes found;
  using T = std::decay_t<decltype(value_of(0))>;
  T least{}, greatest{};
  const bool has_nulls = array.null_count() > 0;
  for (int64_t i = 0; i < array.length(); ++i) {
    if (has_nulls && array.IsNull(i)) continue;
    const T value = value_of(i);
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) {
        found.has_nan = true;
        return found;
      }
    }
    if (found.least < 0) {
      found.least = found.greatest = i;
      least = greatest = value;
    } else if (value < least) {
      found.least = i;
      least = value;
    } else if (greatest < value) {
      found.greatest = i;
      greatest = value;
    }
  }
  return found;
}

template <typename ArrayType>
Extremes OfNumbers(const arrow::Array& array) {
  const auto& typed = static_cast<const ArrayType&>(array);
  return FindExtremes(typed, [&](int64_t i) { return typed.Value(i); });
}

Extremes ExtremesOf(const arrow::Array& array) {
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      return OfNumbers<arrow::BooleanArray>(array);
    case arrow::Type::INT8:
      return OfNumbers<arrow::Int8Array>(array);
    case arrow::Type::INT16:
      return OfNumbers<arrow::Int16Array>(array);
    case arrow::Type::INT32:
      return OfNumbers<arrow::Int32Array>(array);
    case arrow::Type::INT64:
      return OfNumbers<arrow::Int64Array>(array);
    case arrow::Type::DATE32:
      return OfNumbers<arrow::Date32Array>(array);
    case arrow::Type::TIME32:
      return OfNumbers<arrow::Time32Array>(array);
    case arrow::Type::TIMESTAMP:
      return OfNumbers<arrow::TimestampArray>(array);
    case arrow::Type::FLOAT:
      return OfNumbers<arrow::FloatArray>(array);
    case arrow::Type::DOUBLE:
      return OfNumbers<arrow::DoubleArray>(array);
    case arrow::Type::STRING: {
      const auto& text = static_cast<const arrow::StringArray&>(array);
      return FindExtremes(text, [&](int64_t i) { return text.GetView(i); });
    }
    case arrow::Type::DECIMAL128: {
      const auto& decimals = static_cast<const arrow::Decimal128Array&>(array);
      return FindExtremes(decimals, [&](int64_t i) {
        Int128 value;
        std::memcpy(&value, decimals.GetValue(i), sizeof(value));
        return value;
      });
    }
    default:
      throw Internal("No bounds for arrays of type {}", array.type()->ToString());
  }
}

// Equal zeros of either sign are both covered.
void SpreadZeros(Value* min, Value* max) {
  if (auto* value = std::get_if<float>(min); value && *value == 0) *value = -0.0F;
  if (auto* value = std::get_if<float>(max); value && *value == 0) *value = 0.0F;
  if (auto* value = std::get_if<double>(min); value && *value == 0) *value = -0.0;
  if (auto* value = std::get_if<double>(max); value && *value == 0) *value = 0.0;
}

}  // namespace

ColumnStatsCollector::ColumnStatsCollector(DataType type)
    : type_(std::move(type)), bounded_(type_.IsPrimitive() && !type_.IsBinary()) {}

void ColumnStatsCollector::Add(const arrow::Array& array) {
  null_count_ += array.null_count();
  if (!bounded_ || array.null_count() == array.length()) return;
  Extremes found = ExtremesOf(array);
  if (found.has_nan) {
    bounded_ = false;
    return;
  }
  Widen(array, found.least, found.greatest);
}

void ColumnStatsCollector::Widen(const arrow::Array& array, int64_t least, int64_t greatest) {
  Value low = ValueAt(array, least, type_);
  Value high = ValueAt(array, greatest, type_);
  if (IsNull(min_) || CompareValues(low, min_) < 0) min_ = std::move(low);
  if (IsNull(max_) || CompareValues(high, max_) > 0) max_ = std::move(high);
}

ColumnStats ColumnStatsCollector::Finish() const {
  ColumnStats stats;
  stats.null_count = null_count_;
  if (bounded_ && !IsNull(min_)) {
    stats.min = min_;
    stats.max = max_;
    SpreadZeros(&*stats.min, &*stats.max);
  }
  return stats;
}

}  // namespace mica
