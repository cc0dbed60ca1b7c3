#include "types/decimal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "base/error.h"

namespace mica {

namespace {

using Unsigned128 = unsigned __int128;

constexpr auto kPowers = [] {
  std::array<Int128, kMaxDecimalPrecision + 1> powers{};
  powers[0] = 1;
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

Unsigned128 Magnitude(Int128 value) {
  return value < 0 ? Unsigned128{0} - static_cast<Unsigned128>(value) : static_cast<Unsigned128>(value);
}

std::string DigitsOf(Unsigned128 value) {
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

bool Fits(Int128 value, int32_t precision) {
  const Int128 limit = PowerOfTen(precision);
  return value < limit && value > -limit;
}

// Leading zeros removed; empty for zero. The number is 0.digits * 10^point.
struct DecimalText {
  bool negative = false;
  std::string digits;
  int64_t point = 0;
};

DecimalText ReadDecimalText(std::string_view text) {
  auto fail = [&] { return InvalidArgument("Cannot read '{}' as a DECIMAL", text); };
  DecimalText number;
  size_t i = 0;
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) number.negative = text[i++] == '-';
  bool any_digit = false;
  bool after_point = false;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !after_point) {
      after_point = true;
    } else if (c >= '0' && c <= '9') {
      any_digit = true;
      if (c == '0' && number.digits.empty()) {
        if (after_point) --number.point;
        continue;
      }
      number.digits += c;
      if (!after_point) ++number.point;
    } else {
      break;
    }
  }
  if (!any_digit) throw fail();
  if (i < text.size()) {
    if (text[i] != 'e' && text[i] != 'E') throw fail();
    ++i;
    if (i < text.size() && text[i] == '+') ++i;
    int32_t exponent = 0;
    auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), exponent);
    if (error != std::errc() || end != text.data() + text.size()) throw fail();
    number.point += exponent;
  }
  return number;
}

}  // namespace

Int128 PowerOfTen(int32_t exponent) {
  MICA_CHECK(exponent >= 0 && exponent <= kMaxDecimalPrecision);
  return kPowers[static_cast<size_t>(exponent)];
}

std::string DecimalToString(Int128 unscaled, int32_t scale) {
  std::string digits = DigitsOf(Magnitude(unscaled));
  if (scale > 0) {
    const auto width = static_cast<size_t>(scale);
    if (digits.size() <= width) digits.insert(0, width + 1 - digits.size(), '0');
    digits.insert(digits.size() - width, 1, '.');
  }
  return unscaled < 0 ? "-" + digits : digits;
}

std::optional<Int128> DecimalFromString(std::string_view text, int32_t precision, int32_t scale) {
  const DecimalText number = ReadDecimalText(text);
  if (number.digits.empty()) return 0;
  // Digits of the result; the rest is rounded away.
  const int64_t kept = number.point + scale;
  if (kept < 0) return 0;
  if (kept > precision) return std::nullopt;
  Int128 value = 0;
  for (int64_t i = 0; i < kept; ++i) {
    const auto at = static_cast<size_t>(i);
    value = value * 10 + (at < number.digits.size() ? number.digits[at] - '0' : 0);
  }
  const auto next = static_cast<size_t>(kept);
  if (next < number.digits.size() && number.digits[next] >= '5') ++value;
  if (!Fits(value, precision)) return std::nullopt;
  return number.negative ? -value : value;
}

std::optional<Int128> DecimalFromInteger(Int128 value, int32_t precision, int32_t scale) {
  return RescaleDecimal(value, 0, precision, scale);
}

std::optional<Int128> RescaleDecimal(Int128 unscaled, int32_t from_scale, int32_t precision, int32_t scale) {
  if (scale >= from_scale) {
    Int128 value;
    if (__builtin_mul_overflow(unscaled, PowerOfTen(scale - from_scale), &value)) return std::nullopt;
    if (!Fits(value, precision)) return std::nullopt;
    return value;
  }
  const Int128 divisor = PowerOfTen(from_scale - scale);
  Int128 value = unscaled / divisor;
  const Int128 rest = unscaled % divisor;
  if (Magnitude(rest) >= Magnitude(divisor) / 2) value += unscaled < 0 ? -1 : 1;
  if (!Fits(value, precision)) return std::nullopt;
  return value;
}

int64_t DecimalToInteger(Int128 unscaled, int32_t scale) {
  return static_cast<int64_t>(unscaled / PowerOfTen(scale));
}

double DecimalToDouble(Int128 unscaled, int32_t scale) {
  // Both parts are exact doubles in the first case, so that the division rounds once.
  constexpr Int128 kExact = Int128{1} << 53;
  if (unscaled <= kExact && unscaled >= -kExact && scale <= 22) {
    return static_cast<double>(unscaled) / static_cast<double>(PowerOfTen(scale));
  }
  return std::strtod(DecimalToString(unscaled, scale).c_str(), nullptr);
}

std::string DecimalToBigEndian(Int128 unscaled) {
  std::string bytes(16, '\0');
  auto rest = static_cast<Unsigned128>(unscaled);
  for (size_t i = 16; i-- > 0; rest >>= 8) bytes[i] = static_cast<char>(rest & 0xff);
  // A leading byte that only repeats the sign of the next one carries nothing.
  size_t skip = 0;
  const char filler = unscaled < 0 ? '\xff' : '\0';
  while (skip < 15 && bytes[skip] == filler && ((bytes[skip + 1] ^ filler) & 0x80) == 0) ++skip;
  return bytes.substr(skip);
}

Int128 DecimalFromBigEndian(std::string_view bytes) {
  if (bytes.empty() || bytes.size() > 16) throw Corrupt("A decimal of '{}' bytes has no value", bytes.size());
  Unsigned128 value = (bytes[0] & 0x80) ? ~Unsigned128{0} : 0;
  for (char byte : bytes) value = (value << 8) | static_cast<unsigned char>(byte);
  return static_cast<Int128>(value);
}

}  // namespace mica
