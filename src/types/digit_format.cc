#include "types/digit_format.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/error.h"
#include "types/decimal.h"

namespace mica {

namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsBlank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}
bool IsComma(char c) {
  return c == ',' || c == 'G';
}
bool IsPoint(char c) {
  return c == '.' || c == 'D';
}

// A sign in front stays next to the number: blanks go before it.
void AppendBlank(std::string* out) {
  size_t at = out->size();
  while (at > 0 && std::string_view("+-<").find((*out)[at - 1]) != std::string_view::npos) --at;
  out->insert(at, 1, ' ');
}

// A sign behind stays next to it too.
void AppendBehind(char c, std::string* out) {
  size_t at = out->size();
  while (at > 0 && (*out)[at - 1] == ' ') --at;
  out->insert(at, 1, c);
}

// A point without digits behind it is not written.
void DropLonePoint(std::string* out) {
  const size_t point = out->find('.');
  if (point == std::string::npos) return;
  if (point + 1 == out->size() || (*out)[point + 1] == ' ') (*out)[point] = ' ';
}

}  // namespace

DigitFormat::DigitFormat(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const std::string_view format = upper;
  size_t at = 0;
  auto refuse = [&](std::string_view why) {
    throw InvalidArgument("The format '{}' {}. Formats are like 'S$999,099.99'", text, why);
  };
  auto take_digits = [&] {
    const size_t begin = at;
    while (at < format.size() && (format[at] == '0' || format[at] == '9')) ++at;
    return static_cast<int>(at - begin);
  };
  auto take_sign = [&](bool behind) {
    const std::string_view rest = format.substr(at);
    Sign sign = Sign::kNone;
    if (rest.starts_with('S')) sign = Sign::kPlusOrMinus;
    if (rest.starts_with("MI")) sign = Sign::kMinus;
    if (behind && rest.starts_with("PR")) sign = Sign::kBrackets;
    at += sign == Sign::kNone ? 0 : sign == Sign::kPlusOrMinus ? 1 : 2;
    return sign;
  };

  front_ = take_sign(false);
  dollar_ = at < format.size() && format[at] == '$';
  if (dollar_) ++at;
  while (at < format.size()) {
    const bool all = format[at] == '0';
    const int digits = take_digits();
    const bool comma = at < format.size() && IsComma(format[at]);
    if (digits == 0 && (comma || !runs_.empty())) refuse("has a comma without digits on both sides");
    if (digits == 0) break;
    runs_.push_back({digits, all});
    whole_digits_ += digits;
    if (!comma) break;
    if (++at == format.size()) refuse("has a comma without digits on both sides");
  }
  if (at < format.size() && IsPoint(format[at])) {
    point_ = true;
    ++at;
    fraction_digits_ = take_digits();
    if (at < format.size() && IsComma(format[at])) refuse("has a comma behind the point");
  }
  if (precision() == 0) refuse("has no digit in its place");
  back_ = take_sign(true);
  if (at < format.size()) refuse(fmt::format("has '{}' where none can be", text.substr(at)));
  if (front_ != Sign::kNone && front_ == back_) refuse("has two signs");
  if (precision() > kMaxDecimalPrecision) refuse(fmt::format("has more than {} digits", kMaxDecimalPrecision));
}

bool DigitFormat::ParseWhole(std::string_view text, size_t* at, std::string* digits) const {
  std::vector<int> sizes(1, 0);  // of the digits between commas
  for (; *at < text.size(); ++*at) {
    const char c = text[*at];
    if (IsDigit(c)) {
      *digits += c;
      ++sizes.back();
    } else if (c == ',') {
      sizes.push_back(0);
    } else if (!IsBlank(c)) {
      break;
    }
  }
  if (runs_.empty()) return sizes.size() == 1 && sizes[0] == 0;
  if (sizes.size() > runs_.size()) return false;
  for (size_t i = 0; i < runs_.size(); ++i) {
    const Run& run = runs_[runs_.size() - 1 - i];
    const int size = i < sizes.size() ? sizes[sizes.size() - 1 - i] : 0;
    if (size > run.digits || (run.all && size < run.digits)) return false;
  }
  return true;
}

std::optional<Int128> DigitFormat::Parse(std::string_view text) const {
  size_t at = 0;
  bool negative = false, bracket = false;
  std::string digits, fraction;
  auto take = [&](char c) {
    const bool is = at < text.size() && text[at] == c;
    if (is) ++at;
    return is;
  };
  auto take_sign = [&](Sign sign) {
    if (sign == Sign::kNone || sign == Sign::kBrackets) return;
    if (take('-')) {
      negative = !negative;
    } else if (sign == Sign::kPlusOrMinus) {
      take('+');
    }
  };
  if (back_ == Sign::kBrackets) bracket = take('<');
  take_sign(front_);
  if (dollar_ && !take('$')) return std::nullopt;
  if (!ParseWhole(text, &at, &digits)) return std::nullopt;
  const bool point = point_ && take('.');
  for (; point && at < text.size() && (IsDigit(text[at]) || IsBlank(text[at])); ++at) {
    if (IsDigit(text[at])) fraction += text[at];
  }
  if (fraction.size() > static_cast<size_t>(fraction_digits_)) return std::nullopt;
  take_sign(back_);
  if (bracket && !take('>')) return std::nullopt;
  if (bracket) negative = true;
  if (at < text.size() || (digits.empty() && fraction.empty())) return std::nullopt;
  digits += fraction;
  digits.append(static_cast<size_t>(fraction_digits_) - fraction.size(), '0');
  const auto value = DecimalFromString(digits, kMaxDecimalPrecision, 0);
  return value && negative ? -*value : value;
}

// `digits` has a blank for each digit of the format that the number has not.
void DigitFormat::WriteWhole(std::string_view digits, std::string* out) const {
  size_t at = 0;
  for (size_t i = 0; i < runs_.size(); ++i) {
    if (i > 0) {
      if (!out->empty() && IsDigit(out->back())) {
        *out += ',';
      } else {
        AppendBlank(out);
      }
    }
    for (int k = 0; k < runs_[i].digits; ++k, ++at) {
      if (digits[at] != ' ') {
        *out += digits[at];
      } else if (runs_[i].all) {
        *out += '0';
      } else {
        AppendBlank(out);
      }
    }
  }
}

void DigitFormat::WriteSign(Sign sign, bool negative, bool behind, std::string* out) {
  if (sign == Sign::kNone) return;
  if (negative || sign == Sign::kPlusOrMinus) DropLonePoint(out);
  if (sign == Sign::kBrackets) {
    DropLonePoint(out);
    if (negative) {
      AppendBehind('>', out);
    } else {
      *out += "  ";
    }
  } else if (!negative && sign == Sign::kMinus) {
    *out += ' ';
  } else if (behind) {
    AppendBehind(negative ? '-' : '+', out);
  } else {
    *out += negative ? '-' : '+';
  }
}

std::string DigitFormat::Write(std::string_view number) const {
  bool negative = number.starts_with('-');
  if (negative || number.starts_with('+')) number.remove_prefix(1);
  std::string_view whole = number.substr(0, number.find('.'));
  std::string_view rest = whole.size() < number.size() ? number.substr(whole.size() + 1) : std::string_view();
  while (whole.starts_with('0')) whole.remove_prefix(1);
  while (rest.ends_with('0')) rest.remove_suffix(1);
  if (whole.empty() && rest.empty()) negative = false;
  const auto whole_digits = static_cast<size_t>(whole_digits_), fraction_digits = static_cast<size_t>(fraction_digits_);
  std::string before, behind;
  if (whole.size() > whole_digits || rest.size() > fraction_digits) {
    before.assign(whole_digits, '#');
    behind.assign(fraction_digits, '#');
  } else {
    before = std::string(whole_digits - whole.size(), ' ').append(whole);
    behind = std::string(rest).append(fraction_digits - rest.size(), '0');
  }

  std::string out;
  if (back_ == Sign::kBrackets && negative) out += '<';
  WriteSign(front_, negative, /*behind=*/false, &out);
  if (dollar_) out += '$';
  WriteWhole(before, &out);
  if (point_) {
    if (!out.empty() && out.back() == ' ') out.back() = '0';
    out += '.';
    out += behind;
  }
  WriteSign(back_, negative, /*behind=*/true, &out);
  DropLonePoint(&out);
  return out.empty() || out == "+" || out == "-" ? "0" : out;
}

}  // namespace mica
