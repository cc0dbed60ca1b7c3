#include "types/timestamp.h"

#include <ctime>

#include <fmt/format.h>

#include "base/text.h"
#include "types/number_text.h"

namespace mica {

namespace {

constexpr int64_t kNanosPerMilli = 1'000'000;

bool AllDigits(std::string_view text) {
  if (text.empty()) return false;
  for (char c : text) {
    if (c < '0' || c > '9') return false;
  }
  return true;
}

// At most nine digits.
std::optional<int64_t> SmallNumber(std::string_view text) {
  text = Trim(text);
  if (!AllDigits(text) || text.size() > 9) return std::nullopt;
  return ParseInteger(text);
}

struct WallClock {
  CivilDate date;
  int32_t hour, minute, second, nanos;
};

WallClock ToWallClock(const TimestampValue& value) {
  const int64_t days = FloorDivide(value.millis, kMillisPerDay);
  const auto rest = static_cast<int32_t>(FloorModulo(value.millis, kMillisPerDay));
  return {DateFromDays(days), rest / 3'600'000, rest / 60'000 % 60, rest / 1000 % 60,
          rest % 1000 * static_cast<int32_t>(kNanosPerMilli) + value.nanos_of_milli};
}

// Reads forward over one text.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  bool AtEnd() const { return position_ == text_.size(); }
  bool Accept(char c) {
    if (AtEnd() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  // Between `low` and `high` digits, as many as there are.
  std::optional<int64_t> Digits(size_t low, size_t high) {
    int64_t value = 0;
    size_t count = 0;
    for (; count < high && !AtEnd() && text_[position_] >= '0' && text_[position_] <= '9'; ++count, ++position_) {
      value = value * 10 + (text_[position_] - '0');
    }
    if (count < low) return std::nullopt;
    return value;
  }
  // Up to nine digits of a fraction of a second, as nanoseconds.
  std::optional<int64_t> Fraction() {
    const size_t start = position_;
    auto value = Digits(0, 9);
    if (!value) return std::nullopt;
    for (size_t i = position_ - start; i < 9; ++i) *value *= 10;
    return value;
  }

 private:
  std::string_view text_;
  size_t position_ = 0;
};

}  // namespace

CivilDate DateFromDays(int64_t days) {
  // Counts from 0000-03-01, so that the leap day ends a year and 400 years are one era.
  days += 719'468;
  const int64_t era = FloorDivide<int64_t>(days, 146'097);
  const int64_t day_of_era = days - era * 146'097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted_month = (5 * day_of_year + 2) / 153;
  const auto day = static_cast<int32_t>(day_of_year - (153 * shifted_month + 2) / 5 + 1);
  const auto month = static_cast<int32_t>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

int64_t DaysFromDate(const CivilDate& date) {
  const int64_t year = date.month <= 2 ? date.year - 1 : date.year;
  const int64_t era = FloorDivide<int64_t>(year, 400);
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * (date.month > 2 ? date.month - 3 : date.month + 9) + 2) / 5 + date.day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

int32_t DaysInMonth(int64_t year, int32_t month) {
  if (month == 2) return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

std::string FormatDate(int64_t days) {
  const CivilDate date = DateFromDays(days);
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

std::string FormatTime(int64_t millis_of_day, int32_t precision) {
  millis_of_day = FloorModulo(millis_of_day, kMillisPerDay);
  std::string text = fmt::format("{:02}:{:02}:{:02}", millis_of_day / 3'600'000, millis_of_day / 60'000 % 60,
                                 millis_of_day / 1000 % 60);
  if (precision > 0) {
    std::string fraction = fmt::format("{:03}", millis_of_day % 1000);
    if (precision < 3) fraction.resize(static_cast<size_t>(precision));
    while (fraction.size() > 1 && fraction.back() == '0') fraction.pop_back();
    text += "." + fraction;
  }
  return text;
}

std::string FormatTimestamp(const TimestampValue& value, int32_t precision) {
  const WallClock clock = ToWallClock(value);
  std::string text = fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", clock.date.year, clock.date.month,
                                 clock.date.day, clock.hour, clock.minute, clock.second);
  // Digits that the precision does not have, but the value does, are shown all the same.
  std::string fraction = fmt::format("{:09}", clock.nanos);
  while (fraction.size() > static_cast<size_t>(precision) && fraction.back() == '0') fraction.pop_back();
  if (!fraction.empty()) text += "." + fraction;
  return text;
}

std::string FormatTimestampIso(const TimestampValue& value) {
  const WallClock clock = ToWallClock(value);
  const int64_t year = clock.date.year;
  std::string text = year > 9999 ? "+" : year < 0 ? "-" : "";
  text += fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}", year < 0 ? -year : year, clock.date.month, clock.date.day,
                      clock.hour, clock.minute);
  if (clock.second == 0 && clock.nanos == 0) return text;
  text += fmt::format(":{:02}", clock.second);
  if (clock.nanos == 0) return text;
  std::string fraction = fmt::format("{:09}", clock.nanos);
  while (fraction.ends_with("000")) fraction.resize(fraction.size() - 3);
  return text + "." + fraction;
}

std::optional<int64_t> DateFromString(std::string_view text) {
  if (AllDigits(text)) {
    auto days = IntegerFromString(text);
    return days && *days <= INT32_MAX ? days : std::nullopt;
  }
  if (const size_t blank = text.find(' '); blank != std::string_view::npos && blank > 0) text = text.substr(0, blank);
  CivilDate date{0, 1, 1};
  const size_t first = text.find('-');
  auto year = SmallNumber(text.substr(0, first));
  if (!year) return std::nullopt;
  date.year = *year;
  if (first != std::string_view::npos) {
    const size_t second = text.find('-', first + 1);
    auto month = SmallNumber(text.substr(first + 1, second == std::string_view::npos ? second : second - first - 1));
    if (!month) return std::nullopt;
    date.month = static_cast<int32_t>(*month);
    if (second != std::string_view::npos) {
      auto day = SmallNumber(text.substr(second + 1));
      if (!day) return std::nullopt;
      date.day = static_cast<int32_t>(*day);
    }
  }
  if (date.year > 9999 || date.month < 1 || date.month > 12 || date.day < 1 ||
      date.day > DaysInMonth(date.year, date.month)) {
    return std::nullopt;
  }
  return DaysFromDate(date);
}

std::optional<int64_t> TimeFromString(std::string_view text) {
  if (AllDigits(text)) {
    auto millis = IntegerFromString(text);
    return millis && *millis < kMillisPerDay ? millis : std::nullopt;
  }
  text = Trim(text);
  Reader reader(text);
  auto hour = reader.Digits(1, 2);
  if (!hour || *hour > 23) return std::nullopt;
  int64_t minute = 0;
  int64_t second = 0;
  int64_t millis = 0;
  if (reader.Accept(':')) {
    auto digits = reader.Digits(1, 2);
    if (!digits || *digits > 59) return std::nullopt;
    minute = *digits;
    if (reader.Accept(':')) {
      digits = reader.Digits(1, 2);
      if (!digits || *digits > 59) return std::nullopt;
      second = *digits;
      if (reader.Accept('.')) {
        auto nanos = reader.Fraction();
        if (!nanos) return std::nullopt;
        // Rounds to the millisecond, but never into the next day.
        millis = (*nanos + kNanosPerMilli / 2) / kNanosPerMilli;
      }
    }
  }
  if (!reader.AtEnd()) return std::nullopt;
  return std::min(*hour * 3'600'000 + minute * 60'000 + second * 1000 + millis, kMillisPerDay - 1);
}

std::optional<TimestampValue> TimestampFromString(std::string_view text, int32_t precision) {
  Reader reader(text);
  const bool signed_year = reader.Accept('+');
  auto year = reader.Digits(4, signed_year ? 9 : 4);
  if (!year || !reader.Accept('-')) return std::nullopt;
  auto month = reader.Digits(1, 2);
  if (!month || *month < 1 || *month > 12 || !reader.Accept('-')) return std::nullopt;
  auto day = reader.Digits(1, 2);
  if (!day || *day < 1 || *day > 31) return std::nullopt;
  // A day that the month does not have is its last one.
  CivilDate date{*year, static_cast<int32_t>(*month), static_cast<int32_t>(*day)};
  date.day = std::min(date.day, DaysInMonth(date.year, date.month));

  int64_t seconds = 0;
  int64_t nanos = 0;
  if (!reader.AtEnd()) {
    const bool iso = reader.Accept('T');
    if (!iso && !reader.Accept(' ')) return std::nullopt;
    auto hour = reader.Digits(1, 2);
    if (!hour || *hour > 24 || !reader.Accept(':')) return std::nullopt;
    auto minute = reader.Digits(1, 2);
    if (!minute || *minute > 59) return std::nullopt;
    seconds = *hour * 3600 + *minute * 60;
    const bool more = reader.Accept(':');
    if (!more && !iso) return std::nullopt;
    if (more) {
      auto second = reader.Digits(1, 2);
      if (!second || *second > 59) return std::nullopt;
      seconds += *second;
      if (reader.Accept('.')) {
        auto fraction = reader.Fraction();
        if (!fraction) return std::nullopt;
        nanos = *fraction;
      }
    }
    // 24:00:00 is the end of the day and nothing comes after it.
    if (seconds * 1'000'000'000 + nanos > 86'400 * int64_t{1'000'000'000}) return std::nullopt;
    if (!reader.AtEnd()) return std::nullopt;
  }
  int64_t unit = 1;
  for (int32_t i = precision; i < 9; ++i) unit *= 10;
  nanos -= nanos % unit;
  return TimestampValue{DaysFromDate(date) * kMillisPerDay + seconds * 1000 + nanos / kNanosPerMilli,
                        static_cast<int32_t>(nanos % kNanosPerMilli)};
}

TimestampValue TruncateTimestamp(const TimestampValue& value, int32_t precision) {
  int64_t unit = 1;
  for (int32_t i = precision; i < (precision > 3 ? 9 : 3); ++i) unit *= 10;
  if (precision > 3) return {value.millis, static_cast<int32_t>(value.nanos_of_milli / unit * unit)};
  // Towards zero, as Paimon's readers do it: before 1970 that is upwards.
  return {value.millis / unit * unit, 0};
}

TimestampValue LocalFromInstant(const TimestampValue& instant) {
  const std::time_t seconds = FloorDivide<int64_t>(instant.millis, 1000);
  std::tm broken{};
  if (!localtime_r(&seconds, &broken)) return instant;
  return {instant.millis + broken.tm_gmtoff * 1000, instant.nanos_of_milli};
}

TimestampValue InstantFromLocal(const TimestampValue& local) {
  const int64_t seconds = FloorDivide<int64_t>(local.millis, 1000);
  // The offset before a change of the clock decides: an hour that occurs twice is the first one, an hour that is
  // skipped moves on by its length.
  auto offset_at = [](int64_t instant) -> int64_t {
    const std::time_t time = instant;
    std::tm broken{};
    return localtime_r(&time, &broken) ? broken.tm_gmtoff : 0;
  };
  constexpr int64_t kDay = 86'400;
  const int64_t before = offset_at(seconds - kDay - offset_at(seconds - kDay));
  int64_t offset = before;
  if (offset_at(seconds - before) != before) {
    const int64_t after = offset_at(seconds - before);
    // Past the change in both readings; in a gap only the earlier offset gives a later clock.
    if (offset_at(seconds - after) == after) offset = after;
  }
  return {local.millis - offset * 1000, local.nanos_of_milli};
}

TimestampValue TimestampFromUnits(int64_t count, int64_t units_per_second) {
  if (units_per_second <= 1000) return {count * (1000 / units_per_second), 0};
  const int64_t units_per_milli = units_per_second / 1000;
  return {FloorDivide(count, units_per_milli),
          static_cast<int32_t>(FloorModulo(count, units_per_milli) * (kNanosPerMilli / units_per_milli))};
}

std::optional<int64_t> TimestampToUnits(const TimestampValue& value, int64_t units_per_second) {
  if (units_per_second <= 1000) return FloorDivide(value.millis, 1000 / units_per_second);
  const int64_t units_per_milli = units_per_second / 1000;
  const Int128 count =
      static_cast<Int128>(value.millis) * units_per_milli + value.nanos_of_milli / (kNanosPerMilli / units_per_milli);
  if (count < INT64_MIN || count > INT64_MAX) return std::nullopt;
  return static_cast<int64_t>(count);
}

}  // namespace mica
