// Dates, times of day and timestamps: calendar, text of both spellings (cast to STRING and partition paths,
// Format 1.1), precision, and the step between an instant and the wall clock of this process (environment variable TZ).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "types/value.h"

namespace mica {

inline constexpr int64_t kMillisPerDay = 86'400'000;

template <typename T>
constexpr T FloorDivide(T a, T b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

// In 0..b-1, for b > 0.
template <typename T>
constexpr T FloorModulo(T a, T b) {
  const T rest = a % b;
  return rest < 0 ? rest + b : rest;
}

// Proleptic Gregorian calendar.
struct CivilDate {
  int64_t year;
  int32_t month;  // 1..12
  int32_t day;    // 1..31
};
CivilDate DateFromDays(int64_t days);
int64_t DaysFromDate(const CivilDate& date);
int32_t DaysInMonth(int64_t year, int32_t month);

std::string FormatDate(int64_t days);                              // 2024-01-02
std::string FormatTime(int64_t millis_of_day, int32_t precision);  // 01:02:03.45, fraction without trailing zeros
std::string FormatTimestamp(const TimestampValue& value, int32_t precision);  // 2024-01-02 03:04:05.678, p digits
std::string FormatTimestampIso(const TimestampValue& value);                  // 2024-01-02T03:04, shortest form

// Nothing when the text is malformed.
std::optional<int64_t> DateFromString(
    std::string_view text);  // 2024-01-02, 2024-1, 2024-01-02 03:04:05; digits are days
std::optional<int64_t> TimeFromString(std::string_view text);  // 01:02:03.456, 1:2; digits are millis
// 2024-01-02, 2024-01-02 03:04:05.678, 2024-01-02T03:04; digits beyond the precision are cut off.
std::optional<TimestampValue> TimestampFromString(std::string_view text, int32_t precision);

// Cuts the fraction to `precision` digits (P-09).
TimestampValue TruncateTimestamp(const TimestampValue& value, int32_t precision);

TimestampValue LocalFromInstant(const TimestampValue& instant);
TimestampValue InstantFromLocal(const TimestampValue& local);

// Counts of Arrow's units. Nothing when the value is outside of the unit's 64-bit range.
TimestampValue TimestampFromUnits(int64_t count, int64_t units_per_second);
std::optional<int64_t> TimestampToUnits(const TimestampValue& value, int64_t units_per_second);

}  // namespace mica
