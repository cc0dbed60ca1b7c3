#include "types/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/text.h"

namespace mica {

namespace {

template <typename T>
std::string ToText(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  std::array<char, 64> buffer;
  auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(value), std::chars_format::scientific);
  const std::string_view scientific(buffer.data(), static_cast<size_t>(end - buffer.data()));
  const size_t e = scientific.find('e');
  std::string digits(1, scientific[0]);
  if (e > 2) digits += scientific.substr(2, e - 2);
  const int exponent = std::atoi(std::string(scientific.substr(e + 1)).c_str());

  std::string text = value < 0 ? "-" : "";
  if (exponent < -3 || exponent >= 7) {
    text += digits[0];
    text += '.';
    text += digits.size() > 1 ? digits.substr(1) : "0";
    return text + "E" + std::to_string(exponent);
  }
  if (exponent < 0) return text + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) return text + digits + std::string(whole - digits.size(), '0') + ".0";
  return text + digits.substr(0, whole) + "." + digits.substr(whole);
}

template <typename T>
std::optional<T> FromText(std::string_view text) {
  text = Trim(text);
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  T value;
  if (text == "NaN") {
    value = std::numeric_limits<T>::quiet_NaN();
  } else if (text == "Infinity") {
    value = std::numeric_limits<T>::infinity();
  } else {
    if (text.size() > 1 && std::string_view("fFdD").find(text.back()) != std::string_view::npos) text.remove_suffix(1);
    // from_chars would also read "inf" and "nan".
    if (text.empty() || !((text[0] >= '0' && text[0] <= '9') || text[0] == '.')) return std::nullopt;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
    if (error == std::errc::result_out_of_range) {
      // Too large is infinite, too small is zero.
      const std::string copy(text);
      value = static_cast<T>(std::strtold(copy.c_str(), nullptr));
    }
  }
  return negative ? -value : value;
}

}  // namespace

std::string FloatToString(float value) {
  return ToText(value);
}
std::string DoubleToString(double value) {
  return ToText(value);
}
std::optional<float> FloatFromString(std::string_view text) {
  return FromText<float>(text);
}
std::optional<double> DoubleFromString(std::string_view text) {
  return FromText<double>(text);
}

std::optional<int64_t> IntegerFromString(std::string_view text) {
  size_t i = 0;
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  if (i == text.size()) return std::nullopt;
  // Counted down, because the least value has no positive counterpart.
  int64_t negated = 0;
  for (; i < text.size() && text[i] != '.'; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    if (__builtin_mul_overflow(negated, int64_t{10}, &negated) ||
        __builtin_sub_overflow(negated, int64_t{text[i] - '0'}, &negated)) {
      return std::nullopt;
    }
  }
  for (++i; i < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
  }
  if (text[0] == '-') return negated;
  if (negated == std::numeric_limits<int64_t>::min()) return std::nullopt;
  return -negated;
}

}  // namespace mica
