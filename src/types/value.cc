#include "types/value.h"

#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "types/decimal.h"
#include "types/number_text.h"
#include "types/text_length.h"
#include "types/timestamp.h"

namespace mica {

// ---------------------------------------------------------------------------------------------------------------------
// Order

namespace {

template <typename T>
std::weak_ordering CompareSame(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    const bool a_nan = std::isnan(a);
    const bool b_nan = std::isnan(b);
    if (a_nan || b_nan) return a_nan <=> b_nan;
    return a < b ? std::weak_ordering::less : a > b ? std::weak_ordering::greater : std::weak_ordering::equivalent;
  } else {
    // Strings compare by unsigned bytes here (P-10).
    return a <=> b;
  }
}

}  // namespace

std::weak_ordering CompareValues(const Value& a, const Value& b) {
  if (a.index() != b.index()) return a.index() <=> b.index();
  return std::visit(
      [&](const auto& left) -> std::weak_ordering {
        using T = std::decay_t<decltype(left)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return std::weak_ordering::equivalent;
        } else {
          return CompareSame(left, std::get<T>(b));
        }
      },
      a);
}

// ---------------------------------------------------------------------------------------------------------------------
// Text

std::string ValueToString(const Value& value, const DataType& type) {
  if (mica::IsNull(value)) return "null";
  switch (type.root()) {
    case TypeRoot::kBoolean: return std::get<bool>(value) ? "true" : "false";
    case TypeRoot::kTinyInt:
    case TypeRoot::kSmallInt:
    case TypeRoot::kInt:
    case TypeRoot::kBigInt: return std::to_string(std::get<int64_t>(value));
    case TypeRoot::kFloat: return FloatToString(std::get<float>(value));
    case TypeRoot::kDouble: return DoubleToString(std::get<double>(value));
    case TypeRoot::kDecimal: return DecimalToString(std::get<DecimalValue>(value).unscaled, type.scale());
    case TypeRoot::kDate: return FormatDate(std::get<int64_t>(value));
    case TypeRoot::kTime: return FormatTime(std::get<int64_t>(value), type.precision());
    case TypeRoot::kTimestamp: return FormatTimestamp(std::get<TimestampValue>(value), type.precision());
    case TypeRoot::kTimestampLtz:
      return FormatTimestamp(LocalFromInstant(std::get<TimestampValue>(value)), type.precision());
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob: return std::get<std::string>(value);
    default: throw Unsupported("A value of type '{}' has no text form", type.ToString());
  }
}

namespace {

std::pair<int64_t, int64_t> IntegerRange(TypeRoot root) {
  switch (root) {
    case TypeRoot::kTinyInt: return {INT8_MIN, INT8_MAX};
    case TypeRoot::kSmallInt: return {INT16_MIN, INT16_MAX};
    case TypeRoot::kBigInt: return {INT64_MIN, INT64_MAX};
    default: return {INT32_MIN, INT32_MAX};
  }
}

template <typename T>
std::optional<Value> ToValue(const std::optional<T>& value) {
  if (!value) return std::nullopt;
  return Value(*value);
}

std::optional<Value> ReadBoolean(std::string_view text) {
  for (std::string_view word : {"t", "true", "y", "yes", "1"}) {
    if (EqualsIgnoreCase(text, word)) return Value(true);
  }
  for (std::string_view word : {"f", "false", "n", "no", "0"}) {
    if (EqualsIgnoreCase(text, word)) return Value(false);
  }
  return std::nullopt;
}

// A text of digits is a count of the precision's unit; only whole groups of three have one.
std::optional<Value> ReadTimestamp(std::string_view text, int32_t precision) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return ToValue(TimestampFromString(text, precision));
  }
  auto count = IntegerFromString(text);
  if (!count || precision % 3 != 0) return std::nullopt;
  int64_t units_per_second = 1;
  for (int32_t i = 0; i < precision; ++i) units_per_second *= 10;
  int64_t unused;
  if (units_per_second == 1 && __builtin_mul_overflow(*count, int64_t{1000}, &unused)) return std::nullopt;
  return Value(TimestampFromUnits(*count, units_per_second));
}

// Nothing when the text is malformed; NULL when it is a decimal too large for the type.
std::optional<Value> ReadText(std::string_view text, const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean: return ReadBoolean(text);
    case TypeRoot::kTinyInt:
    case TypeRoot::kSmallInt:
    case TypeRoot::kInt:
    case TypeRoot::kBigInt: {
      auto number = IntegerFromString(text);
      auto [low, high] = IntegerRange(type.root());
      if (!number || *number < low || *number > high) return std::nullopt;
      return Value(*number);
    }
    case TypeRoot::kFloat: return ToValue(FloatFromString(text));
    case TypeRoot::kDouble: return ToValue(DoubleFromString(text));
    case TypeRoot::kDecimal: {
      auto unscaled = DecimalFromString(text, type.precision(), type.scale());
      return unscaled ? Value(DecimalValue{*unscaled}) : Value();
    }
    case TypeRoot::kDate: return ToValue(DateFromString(text));
    case TypeRoot::kTime: return ToValue(TimeFromString(text));
    case TypeRoot::kTimestamp: return ReadTimestamp(text, type.precision());
    case TypeRoot::kTimestampLtz: {
      auto local = TimestampFromString(text, type.precision());
      if (!local) return std::nullopt;
      return Value(InstantFromLocal(*local));
    }
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary: return Value(FitLength(text, type));
    default: throw Unsupported("Text cannot be read as a value of type '{}'", type.ToString());
  }
}

Error CannotRead(std::string_view text, const DataType& type) {
  return InvalidArgument("Cannot read '{}' as a value of type '{}'", text, type.ToString());
}

}  // namespace

Value ValueFromString(std::string_view text, const DataType& type) {
  const bool is_text = type.IsString() || type.IsBinary();
  if (is_text) {
    const int64_t length = type.IsString() ? CountCodePoints(text) : static_cast<int64_t>(text.size());
    if (length > type.length()) {
      throw InvalidArgument("The text '{}' is longer than type '{}' allows", text, type.ToString());
    }
  }
  std::optional<Value> value;
  try {
    value = ReadText(text, type);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kUnsupported) throw;
  }
  if (!value || mica::IsNull(*value)) throw CannotRead(text, type);
  return *std::move(value);
}

// ---------------------------------------------------------------------------------------------------------------------
// Casts

namespace {

bool IsFloating(TypeRoot root) {
  return root == TypeRoot::kFloat || root == TypeRoot::kDouble;
}

// Keeps the low bits.
int64_t Narrow(int64_t value, TypeRoot root) {
  switch (root) {
    case TypeRoot::kTinyInt: return static_cast<int8_t>(value);
    case TypeRoot::kSmallInt: return static_cast<int16_t>(value);
    case TypeRoot::kInt: return static_cast<int32_t>(value);
    default: return value;
  }
}

// Fractions are cut off, NaN is 0, and what is too large is the largest: BIGINT or, for the smaller types, INT whose
// low bits are then kept.
int64_t FloatingToInteger(double value, TypeRoot root) {
  if (std::isnan(value)) return 0;
  auto [low, high] = IntegerRange(root == TypeRoot::kBigInt ? TypeRoot::kBigInt : TypeRoot::kInt);
  if (value <= static_cast<double>(low)) return Narrow(low, root);
  if (value >= static_cast<double>(high)) return Narrow(high, root);
  return Narrow(static_cast<int64_t>(value), root);
}

Value Floating(double value, TypeRoot root) {
  if (root == TypeRoot::kFloat) return static_cast<float>(value);
  return value;
}

Value DecimalOrNull(std::optional<Int128> unscaled) {
  return unscaled ? Value(DecimalValue{*unscaled}) : Value();
}

std::optional<Value> CastInteger(int64_t value, const DataType& to) {
  if (to.IsInteger()) return Narrow(value, to.root());
  switch (to.root()) {
    case TypeRoot::kFloat: return static_cast<float>(value);
    case TypeRoot::kDouble: return static_cast<double>(value);
    case TypeRoot::kDecimal: return DecimalOrNull(DecimalFromInteger(value, to.precision(), to.scale()));
    case TypeRoot::kBoolean: return value != 0;
    default: return std::nullopt;
  }
}

std::optional<Value> CastFloating(double value, const DataType& to) {
  if (to.IsInteger()) return FloatingToInteger(value, to.root());
  if (IsFloating(to.root())) return Floating(value, to.root());
  if (to.root() != TypeRoot::kDecimal) return std::nullopt;
  if (!std::isfinite(value)) throw CannotRead(DoubleToString(value), to);
  return DecimalOrNull(DecimalFromString(DoubleToString(value), to.precision(), to.scale()));
}

std::optional<Value> CastDecimal(Int128 unscaled, int32_t scale, const DataType& to) {
  if (to.IsInteger()) return Narrow(DecimalToInteger(unscaled, scale), to.root());
  if (IsFloating(to.root())) return Floating(DecimalToDouble(unscaled, scale), to.root());
  if (to.root() == TypeRoot::kDecimal)
    return DecimalOrNull(RescaleDecimal(unscaled, scale, to.precision(), to.scale()));
  return std::nullopt;
}

std::optional<Value> CastTimestamp(const TimestampValue& value, const DataType& from, const DataType& to) {
  const bool instant = from.root() == TypeRoot::kTimestampLtz;
  switch (to.root()) {
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: {
      TimestampValue result = value;
      if (from.root() != to.root()) result = instant ? LocalFromInstant(value) : InstantFromLocal(value);
      if (from.precision() > to.precision()) result = TruncateTimestamp(result, to.precision());
      return result;
    }
    case TypeRoot::kDate: {
      const TimestampValue local = instant ? LocalFromInstant(value) : value;
      return FloorDivide(local.millis, kMillisPerDay);
    }
    case TypeRoot::kTime: {
      const TimestampValue local = instant ? LocalFromInstant(value) : value;
      return FloorModulo(local.millis, kMillisPerDay);
    }
    // Seconds since the epoch, cut off.
    case TypeRoot::kInt:
    case TypeRoot::kBigInt: return Narrow(value.millis / 1000, to.root());
    default: return std::nullopt;
  }
}

// The cast, or nothing when there is none. NULL for a decimal that is too large.
std::optional<Value> CastOne(const Value& value, const DataType& from, const DataType& to) {
  if (from.IsString()) {
    const std::string& text = std::get<std::string>(value);
    if (!to.IsPrimitive()) return std::nullopt;
    auto result = ReadText(text, to);
    if (!result) throw CannotRead(text, to);
    return result;
  }
  if (from.IsBinary()) {
    if (to.IsBinary()) return FitLength(std::get<std::string>(value), to);
    if (to.IsString()) return value;
    return std::nullopt;
  }
  if (!from.IsPrimitive()) return std::nullopt;
  if (to.IsString()) return FitLength(ValueToString(value, from), to);
  switch (from.root()) {
    case TypeRoot::kBoolean:
      if (to.root() == TypeRoot::kBoolean) return value;
      return CastInteger(std::get<bool>(value) ? 1 : 0, to);
    case TypeRoot::kTinyInt:
    case TypeRoot::kSmallInt:
    case TypeRoot::kInt:
    case TypeRoot::kBigInt: {
      const int64_t number = std::get<int64_t>(value);
      const bool to_seconds = to.IsTimestamp() && (from.root() == TypeRoot::kInt || from.root() == TypeRoot::kBigInt);
      if (!to_seconds) return CastInteger(number, to);
      int64_t millis;
      if (__builtin_mul_overflow(number, int64_t{1000}, &millis)) throw CannotRead(std::to_string(number), to);
      const TimestampValue seconds{millis, 0};
      return to.root() == TypeRoot::kTimestampLtz ? LocalFromInstant(seconds) : seconds;
    }
    case TypeRoot::kFloat: return CastFloating(std::get<float>(value), to);
    case TypeRoot::kDouble: return CastFloating(std::get<double>(value), to);
    case TypeRoot::kDecimal: return CastDecimal(std::get<DecimalValue>(value).unscaled, from.scale(), to);
    case TypeRoot::kDate:
    case TypeRoot::kTime: {
      const int64_t number = std::get<int64_t>(value);
      if (to.root() == from.root()) return value;
      if (!to.IsTimestamp()) return std::nullopt;
      const TimestampValue local{from.root() == TypeRoot::kDate ? number * kMillisPerDay : number, 0};
      return to.root() == TypeRoot::kTimestampLtz ? InstantFromLocal(local) : local;
    }
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: return CastTimestamp(std::get<TimestampValue>(value), from, to);
    default: return std::nullopt;
  }
}

// Whether `result` still says all of `value`.
bool IsExact(const Value& value, const DataType& from, const Value& result, const DataType& to) {
  if (mica::IsNull(result)) return false;
  if (from.root() == to.root() && !IsFloating(to.root()) && from.root() != TypeRoot::kDecimal) return value == result;
  if ((from.IsString() && to.IsString()) || (from.IsBinary() && to.IsBinary())) return value == result;
  if (from.IsInteger() && IsFloating(to.root())) {
    // Exact doubles within 2^63; the bound itself is not a BIGINT.
    const double number = to.root() == TypeRoot::kFloat ? std::get<float>(result) : std::get<double>(result);
    return number < 0x1p63 && static_cast<int64_t>(number) == std::get<int64_t>(value);
  }
  if (from.root() == TypeRoot::kBoolean && to.root() == TypeRoot::kDecimal) return true;
  auto back = CastOne(result, to, from);
  return back && CompareValues(*back, value) == 0;
}

}  // namespace

std::optional<Value> CastValue(const Value& value, const DataType& from, const DataType& to, bool exact) {
  if (mica::IsNull(value) || from.SameTypeAs(to)) return value;
  std::optional<Value> result;
  try {
    result = CastOne(value, from, to);
    if (result && exact && !IsExact(value, from, *result, to)) return std::nullopt;
  } catch (const Error& error) {
    if (exact && error.kind() == ErrorKind::kInvalidArgument) return std::nullopt;
    throw;
  }
  if (!result) throw Unsupported("There is no cast from '{}' to '{}'", from.ToString(), to.ToString());
  return result;
}

}  // namespace mica
