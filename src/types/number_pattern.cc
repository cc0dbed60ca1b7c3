#include "types/number_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace mica {

NumberPattern::NumberPattern(std::string_view pattern) {
  auto refuse = [&](std::string_view why) {
    throw InvalidArgument("The number pattern '{}' {}. Patterns are like '#,##0.00'", pattern, why);
  };
  bool point = false, digits = false, quoted = false;
  size_t since_comma = 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    std::string& text = digits ? after_ : before_;
    if (c == '\'') {
      const bool quote = i + 1 < pattern.size() && pattern[i + 1] == '\'';
      if (quote) text += pattern[++i];
      if (!quote) quoted = !quoted;
      continue;
    }
    if (quoted) {
      text += c;
      continue;
    }
    if (c == ';' || c == '%' || c == 'E') refuse(fmt::format("has '{}', which is not supported", c));
    if (c != '0' && c != '#' && c != '.' && c != ',') {
      text += c;
      continue;
    }
    if (!after_.empty()) refuse("has digits in two places");
    digits = true;
    if (c == '.') {
      if (point) refuse("has two points");
      point = true;
    } else if (c == ',') {
      if (point) refuse("has a comma behind the point");
      group_ = 1;
      since_comma = 0;
    } else if (point) {
      if (c == '0' && least_fraction_ != most_fraction_) refuse("has '0' behind '#' after the point");
      ++most_fraction_;
      if (c == '0') ++least_fraction_;
    } else {
      if (c == '#' && least_whole_ > 0) refuse("has '#' behind '0' before the point");
      if (c == '0') ++least_whole_;
      ++since_comma;
    }
  }
  if (quoted) refuse("has a quote that does not end");
  if (!digits) refuse("has no digit");
  if (group_ > 0) group_ = since_comma;
  // Java writes one whole digit where a pattern has none at all.
  if (least_whole_ == 0 && most_fraction_ == 0) least_whole_ = 1;
}

NumberPattern NumberPattern::Decimals(int digits) {
  NumberPattern pattern;
  pattern.least_whole_ = 1;
  pattern.least_fraction_ = pattern.most_fraction_ = static_cast<size_t>(digits);
  pattern.group_ = 3;
  return pattern;
}

std::string NumberPattern::Laid(bool negative, std::string_view whole, std::string_view fraction) const {
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  while (fraction.size() > least_fraction_ && fraction.back() == '0') fraction.remove_suffix(1);
  std::string digits(whole.size() < least_whole_ ? least_whole_ - whole.size() : 0, '0');
  digits += whole;
  if (digits.empty() && fraction.empty()) digits = "0";
  if (group_ > 0) {
    for (size_t at = digits.size(); at > group_;) digits.insert(at -= group_, ",");
  }
  std::string out = negative ? "-" : "";
  out += before_ + digits;
  if (!fraction.empty()) out += '.';
  out += fraction;
  return out + after_;
}

std::string NumberPattern::Format(double value) const {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return (std::signbit(value) ? "-" : "") + before_ + "∞" + after_;
  return FormatDecimal(fmt::format("{:.{}f}", value, most_fraction_));
}

std::string NumberPattern::FormatDecimal(std::string_view text) const {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const size_t point = std::min(text.find('.'), text.size());
  std::string digits = "0" + std::string(text.substr(0, point));
  std::string_view fraction = point < text.size() ? text.substr(point + 1) : std::string_view();
  digits += fraction.substr(0, most_fraction_);
  digits.append(most_fraction_ - std::min(most_fraction_, fraction.size()), '0');
  const std::string_view rest = fraction.substr(std::min(most_fraction_, fraction.size()));
  const bool more = !rest.empty() && (rest[0] > '5' || (rest[0] == '5' && rest.find_first_not_of('0', 1) != rest.npos));
  const bool half = !rest.empty() && rest[0] == '5' && !more;
  if (more || (half && (digits.back() - '0') % 2 == 1)) {
    size_t at = digits.size();
    while (digits[--at] == '9') digits[at] = '0';
    ++digits[at];
  }
  const std::string_view all(digits);
  return Laid(negative, all.substr(0, all.size() - most_fraction_), all.substr(all.size() - most_fraction_));
}

}  // namespace mica
