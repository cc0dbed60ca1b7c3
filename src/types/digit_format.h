// Formats of Spark's to_char and to_number, such as S$999,099.99.
//
//   0 and 9 digits; where a run before the point begins with 0 it has all of its digits   . or D the point
//   , or G between thousands   $ the dollar, before the digits   S a sign, MI a minus or a blank, in front or behind
//   PR angle brackets around negative numbers, behind; letters in upper or lower case
//
// Immutable, so thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "types/value.h"

namespace mica {

class DigitFormat {
 public:
  // Throws InvalidArgument that names the format and what is wrong in it.
  explicit DigitFormat(std::string_view text);

  // Digits before and behind the point together, and those behind it.
  int precision() const { return whole_digits_ + fraction_digits_; }
  int scale() const { return fraction_digits_; }

  // The number of a text, times 10^scale(); nothing where the text is not of this format. Blanks among the digits do
  // not count.
  std::optional<Int128> Parse(std::string_view text) const;

  // A sign, digits and at most one point as a text of the format's length; '#' for the digits of a number that has more
  // of them than the format.
  std::string Write(std::string_view number) const;

 private:
  enum class Sign { kNone, kPlusOrMinus, kMinus, kBrackets };
  // Digits between commas.
  struct Run {
    int digits = 0;
    bool all = false;  // absent digits are written as 0, and have to be there when read
  };

  bool ParseWhole(std::string_view text, size_t* at, std::string* digits) const;
  void WriteWhole(std::string_view digits, std::string* out) const;
  static void WriteSign(Sign sign, bool negative, bool behind, std::string* out);

  std::vector<Run> runs_;  // before the point
  int whole_digits_ = 0, fraction_digits_ = 0;
  bool point_ = false, dollar_ = false;
  Sign front_ = Sign::kNone, back_ = Sign::kNone;
};

}  // namespace mica
