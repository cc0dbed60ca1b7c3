// Patterns of Java's DecimalFormat, such as #,##0.00, for writing numbers.
//
//   0 a digit   # a digit that may be left out   . the point   , a comma every so many digits   'text'   others:
//   themselves
//
// Halves are rounded to the even digit. Exponents, percent signs and a second pattern for negative numbers are refused.
// Immutable, so thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mica {

class NumberPattern {
 public:
  // Throws InvalidArgument that names the pattern and what is wrong in it.
  explicit NumberPattern(std::string_view pattern);

  // The pattern with commas between thousands and so many decimals.
  static NumberPattern Decimals(int digits);

  std::string Format(double value) const;
  // A sign, digits and at most one point.
  std::string FormatDecimal(std::string_view text) const;

 private:
  NumberPattern() = default;
  std::string Laid(bool negative, std::string_view whole, std::string_view fraction) const;

  std::string before_, after_;
  size_t least_whole_ = 0, least_fraction_ = 0, most_fraction_ = 0;
  size_t group_ = 0;  // digits between commas; 0: none
};

}  // namespace mica
