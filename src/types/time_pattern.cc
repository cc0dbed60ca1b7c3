#include "types/time_pattern.h"

#include <array>

#include "base/error.h"
#include "base/text.h"
#include "types/timestamp.h"

namespace mica {

namespace {

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;
constexpr std::string_view kLetters = "yuMLdDEQqaHkhKmsS";
constexpr int kMaxDigits = 9;

constexpr std::array<std::string_view, 12> kMonths = {"January",   "February", "March",    "April",
                                                      "May",       "June",     "July",     "August",
                                                      "September", "October",  "November", "December"};
// 1970-01-01 was a Thursday.
constexpr std::array<std::string_view, 7> kDays = {"Thursday", "Friday",  "Saturday", "Sunday",
                                                   "Monday",   "Tuesday", "Wednesday"};

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

void AppendNumber(int64_t value, int width, std::string* out) {
  std::string digits = std::to_string(value < 0 ? -value : value);
  if (value < 0) *out += '-';
  for (size_t i = digits.size(); i < static_cast<size_t>(width); ++i) *out += '0';
  *out += digits;
}

void AppendYear(int64_t year, int count, std::string* out) {
  if (count == 2) return AppendNumber(FloorModulo<int64_t>(year, 100), 2, out);
  if (count >= 4 && year > 9999) *out += '+';
  AppendNumber(year, count, out);
}

struct Fields {
  int64_t year = 1970;
  int64_t month = 1;
  int64_t day = 1;
  std::optional<int64_t> day_of_year;
  int64_t hour = 0;
  std::optional<int64_t> half_day_hour;
  bool afternoon = false;
  int64_t minute = 0;
  int64_t second = 0;
  int64_t micros = 0;
};

std::optional<int64_t> MicrosOf(const Fields& fields) {
  bool date = fields.month >= 1 && fields.month <= 12 && fields.day >= 1 &&
              fields.day <= DaysInMonth(fields.year, static_cast<int32_t>(fields.month));
  int64_t hour = fields.half_day_hour ? *fields.half_day_hour % 12 + (fields.afternoon ? 12 : 0) : fields.hour;
  if (!date || hour > 23 || fields.minute > 59 || fields.second > 59) return std::nullopt;
  int64_t days = DaysFromDate({fields.year, static_cast<int32_t>(fields.month), static_cast<int32_t>(fields.day)});
  if (fields.day_of_year) {
    days = DaysFromDate({fields.year, 1, 1}) + *fields.day_of_year - 1;
    if (*fields.day_of_year < 1 || DateFromDays(days).year != fields.year) return std::nullopt;
  }
  return days * kMicrosPerDay + ((hour * 60 + fields.minute) * 60 + fields.second) * kMicrosPerSecond + fields.micros;
}

// Digits from `at` on, at least `least` and at most `most`.
std::optional<int64_t> TakeNumber(std::string_view text, size_t* at, int least, int most) {
  int64_t value = 0;
  int taken = 0;
  for (; taken < most && *at < text.size() && IsDigit(text[*at]); ++taken, ++*at)
    value = value * 10 + (text[*at] - '0');
  return taken < least ? std::nullopt : std::optional(value);
}

// The name that stands at `at`, whole or its first three letters.
template <size_t kCount>
std::optional<size_t> TakeName(std::string_view text, size_t* at, bool whole,
                               const std::array<std::string_view, kCount>& names) {
  for (size_t i = 0; i < kCount; ++i) {
    std::string_view name = whole ? names[i] : names[i].substr(0, 3);
    if (!EqualsIgnoreCase(text.substr(*at, name.size()), name)) continue;
    *at += name.size();
    return i;
  }
  return std::nullopt;
}

}  // namespace

TimePattern::TimePattern(std::string_view pattern) {
  auto literal = [&](std::string_view text) {
    if (elements_.empty() || elements_.back().letter != 0) elements_.emplace_back();
    elements_.back().text += text;
  };
  for (size_t i = 0; i < pattern.size();) {
    char c = pattern[i];
    if (c == '\'') {
      size_t end = i + 1;
      std::string text;
      for (; end < pattern.size(); ++end) {
        if (pattern[end] != '\'') {
          text += pattern[end];
        } else if (end + 1 < pattern.size() && pattern[end + 1] == '\'' && end > i + 1) {
          text += pattern[end++];
        } else {
          break;
        }
      }
      if (end >= pattern.size()) throw InvalidArgument("The date pattern '{}' has a quote that is not closed", pattern);
      literal(end == i + 1 ? std::string_view("'") : std::string_view(text));
      i = end + 1;
    } else if (!IsLetter(c)) {
      literal(pattern.substr(i++, 1));
    } else {
      size_t end = std::min(pattern.find_first_not_of(c, i), pattern.size());
      int count = static_cast<int>(end - i);
      bool text_form = c == 'E' || c == 'M' || c == 'L' || c == 'Q' || c == 'q';
      if (kLetters.find(c) == std::string_view::npos || count > kMaxDigits || (text_form && count > 4)) {
        throw InvalidArgument(
            "The date pattern '{}' uses '{}', which is not supported. Known are {} and text in quotes", pattern,
            pattern.substr(i, end - i), kLetters);
      }
      elements_.push_back({c, count, {}});
      i = end;
    }
  }
}

std::string TimePattern::Format(int64_t micros) const {
  std::string out;
  Append(micros, &out);
  return out;
}

void TimePattern::Append(int64_t micros, std::string* out) const {
  int64_t days = FloorDivide(micros, kMicrosPerDay), rest = FloorModulo(micros, kMicrosPerDay);
  CivilDate date = DateFromDays(days);
  int64_t seconds = rest / kMicrosPerSecond, hour = seconds / 3600;
  for (const Element& element : elements_) {
    int count = element.count;
    switch (element.letter) {
      case 0:
        *out += element.text;
        break;
      case 'y':
      case 'u':
        AppendYear(date.year, count, out);
        break;
      case 'M':
      case 'L': {
        std::string_view name = kMonths[static_cast<size_t>(date.month - 1)];
        if (count <= 2) {
          AppendNumber(date.month, count, out);
        } else {
          *out += count == 3 ? name.substr(0, 3) : name;
        }
        break;
      }
      case 'd':
        AppendNumber(date.day, count, out);
        break;
      case 'D':
        AppendNumber(days - DaysFromDate({date.year, 1, 1}) + 1, count, out);
        break;
      case 'E': {
        std::string_view name = kDays[static_cast<size_t>(FloorModulo<int64_t>(days, 7))];
        *out += count <= 3 ? name.substr(0, 3) : name;
        break;
      }
      case 'Q':
      case 'q': {
        int quarter = (date.month + 2) / 3;
        if (count <= 2) {
          AppendNumber(quarter, count, out);
        } else {
          static constexpr std::array<std::string_view, 4> kNames = {"1st quarter", "2nd quarter", "3rd quarter",
                                                                     "4th quarter"};
          *out += count == 3 ? "Q" + std::to_string(quarter) : std::string(kNames[static_cast<size_t>(quarter - 1)]);
        }
        break;
      }
      case 'a':
        *out += hour < 12 ? "AM" : "PM";
        break;
      case 'H':
        AppendNumber(hour, count, out);
        break;
      case 'k':
        AppendNumber(hour == 0 ? 24 : hour, count, out);
        break;
      case 'h':
        AppendNumber((hour + 11) % 12 + 1, count, out);
        break;
      case 'K':
        AppendNumber(hour % 12, count, out);
        break;
      case 'm':
        AppendNumber(seconds / 60 % 60, count, out);
        break;
      case 's':
        AppendNumber(seconds % 60, count, out);
        break;
      default: {  // S
        std::string digits;
        AppendNumber(rest % kMicrosPerSecond, 6, &digits);
        digits.resize(static_cast<size_t>(count), '0');
        *out += digits;
      }
    }
  }
}

bool TimePattern::NumberFollows(size_t element) const {
  if (element + 1 >= elements_.size()) return false;
  const Element& next = elements_[element + 1];
  bool text = next.letter == 0 || next.letter == 'a' || next.letter == 'E' ||
              ((next.letter == 'M' || next.letter == 'L') && next.count > 2);
  return !text;
}

std::optional<int64_t> TimePattern::Parse(std::string_view text) const {
  Fields fields;
  size_t at = 0;
  for (size_t i = 0; i < elements_.size(); ++i) {
    const Element& element = elements_[i];
    if (element.letter == 0) {
      if (text.substr(at, element.text.size()) != element.text) return std::nullopt;
      at += element.text.size();
      continue;
    }
    // One letter takes what digits there are, several take as many digits, unless they are years.
    int least = element.count, most = element.count;
    bool year = element.letter == 'y' || element.letter == 'u';
    if ((element.count == 1 || (year && element.count > 2)) && !NumberFollows(i)) most = kMaxDigits;
    if (!year && element.count == 1 && most > 2 && element.letter != 'S' && element.letter != 'D') most = 2;
    std::optional<int64_t> value;
    switch (element.letter) {
      case 'E':
        if (!TakeName(text, &at, element.count > 3, kDays)) return std::nullopt;
        continue;
      case 'a':
        if (EqualsIgnoreCase(text.substr(at, 2), "PM")) {
          fields.afternoon = true;
        } else if (!EqualsIgnoreCase(text.substr(at, 2), "AM")) {
          return std::nullopt;
        }
        at += 2;
        continue;
      case 'M':
      case 'L':
        if (element.count > 2) {
          auto month = TakeName(text, &at, element.count > 3, kMonths);
          if (!month) return std::nullopt;
          value = static_cast<int64_t>(*month) + 1;
          break;
        }
        [[fallthrough]];
      default: {
        bool negative = year && at < text.size() && text[at] == '-';
        if (negative) ++at;
        value = TakeNumber(text, &at, least, most);
        if (!value) return std::nullopt;
        if (negative) value = -*value;
      }
    }
    switch (element.letter) {
      case 'y':
      case 'u':
        fields.year = element.count == 2 ? 2000 + *value : *value;
        break;
      case 'M':
      case 'L':
        fields.month = *value;
        break;
      case 'd':
        fields.day = *value;
        break;
      case 'D':
        fields.day_of_year = *value;
        break;
      case 'H':
        fields.hour = *value;
        break;
      case 'k':
        fields.hour = *value % 24;
        break;
      case 'h':
      case 'K':
        fields.half_day_hour = *value;
        break;
      case 'm':
        fields.minute = *value;
        break;
      case 's':
        fields.second = *value;
        break;
      case 'S': {
        int64_t micros = *value;
        int digits = element.count;
        for (; digits < 6; ++digits) micros *= 10;
        for (; digits > 6; --digits) micros /= 10;
        fields.micros = micros;
        break;
      }
      default:
        break;  // quarter: implied by the month
    }
  }
  return at == text.size() ? MicrosOf(fields) : std::nullopt;
}

}  // namespace mica
