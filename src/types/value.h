// One value outside of a batch: a literal, a partition value, a statistic. The DataType beside it gives the meaning.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "types/data_type.h"

namespace mica {

using Int128 = __int128;

struct DecimalValue {
  Int128 unscaled = 0;  // the scale is that of the type
  auto operator<=>(const DecimalValue&) const = default;
};

// Format 5: wall clock taken as UTC, or an instant for TIMESTAMP_LTZ.
struct TimestampValue {
  int64_t millis = 0;
  int32_t nanos_of_milli = 0;  // 0..999999
  auto operator<=>(const TimestampValue&) const = default;
};

// monostate is NULL. int64_t holds TINYINT..BIGINT, DATE (days) and TIME (millis of day); std::string holds text
// (UTF-8) and binary. Nested types have no Value.
using Value = std::variant<std::monostate, bool, int64_t, float, double, DecimalValue, TimestampValue, std::string>;

inline bool IsNull(const Value& value) {
  return value.index() == 0;
}

// Order of Format 6.4: type semantics, nulls first, text and binary by unsigned bytes, NaN greatest, -0.0 == 0.0.
std::weak_ordering CompareValues(const Value& a, const Value& b);

// Text of a value as the cast to STRING gives it (dates, timestamps with p digits, decimals with s digits, ...).
std::string ValueToString(const Value& value, const DataType& type);

// Cast from text to a type as Java's string casts do; throws InvalidArgument naming text and type.
// CHAR pads, VARCHAR longer than n is refused. Text "" of a non-string type is an error, not NULL.
Value ValueFromString(std::string_view text, const DataType& type);

// Casts between types (Appendix of allowed casts, Engine 8.4); nothing when the value cannot be represented exactly and
// `exact` is set. Throws Unsupported when no cast exists.
std::optional<Value> CastValue(const Value& value, const DataType& from, const DataType& to, bool exact);

}  // namespace mica
