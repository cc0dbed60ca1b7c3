#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>

#include "base/error.h"

namespace mica {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string> SplitList(std::string_view text, char separator) {
  std::vector<std::string> parts;
  if (Trim(text).empty()) return parts;
  while (true) {
    size_t end = text.find(separator);
    parts.emplace_back(Trim(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string Join(std::span<const std::string> parts, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

std::string ToLower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return out;
}

bool EqualsIgnoreCase(std::string_view a, std::string_view b) { return a.size() == b.size() && ToLower(a) == ToLower(b); }

std::optional<int64_t> ParseInteger(std::string_view text) {
  text = Trim(text);
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

namespace {
// Splits "12 mb" into 12 and "mb".
std::pair<int64_t, std::string> NumberAndUnit(std::string_view text, std::string_view what) {
  std::string_view trimmed = Trim(text);
  size_t digits = 0;
  while (digits < trimmed.size() && trimmed[digits] >= '0' && trimmed[digits] <= '9') ++digits;
  auto number = ParseInteger(trimmed.substr(0, digits));
  if (!number) throw InvalidArgument("Cannot read '{}' as a {}. Write a number and a unit", text, what);
  return {*number, ToLower(Trim(trimmed.substr(digits)))};
}
int64_t Scale(int64_t number, int64_t factor, std::string_view text, std::string_view what) {
  int64_t out;
  if (__builtin_mul_overflow(number, factor, &out)) throw InvalidArgument("The {} '{}' is too large", what, text);
  return out;
}
}  // namespace

std::chrono::nanoseconds ParseDuration(std::string_view text) {
  struct Unit {
    std::string_view names;
    int64_t nanos;
  };
  static constexpr Unit kUnits[] = {
      {" ms milli millis millisecond milliseconds  ", 1'000'000},
      {" s sec secs second seconds ", 1'000'000'000},
      {" m min minute minutes ", 60'000'000'000},
      {" h hour hours ", 3'600'000'000'000},
      {" d day days ", 86'400'000'000'000},
      {" µs micro micros microsecond microseconds ", 1'000},
      {" ns nano nanos nanosecond nanoseconds ", 1},
  };
  auto [number, unit] = NumberAndUnit(text, "duration");
  for (const Unit& u : kUnits) {
    if ((unit.empty() && u.nanos == 1'000'000) || (!unit.empty() && u.names.find(" " + unit + " ") != std::string_view::npos)) {
      return std::chrono::nanoseconds(Scale(number, u.nanos, text, "duration"));
    }
  }
  throw InvalidArgument("The duration '{}' has an unknown unit '{}'. Use ms, s, min, h or d", text, unit);
}

int64_t ParseMemorySize(std::string_view text) {
  auto [number, unit] = NumberAndUnit(text, "memory size");
  int shift;
  if (unit.empty() || unit == "b" || unit == "bytes") shift = 0;
  else if (unit == "k" || unit == "kb" || unit == "kibibytes") shift = 10;
  else if (unit == "m" || unit == "mb" || unit == "mebibytes") shift = 20;
  else if (unit == "g" || unit == "gb" || unit == "gibibytes") shift = 30;
  else if (unit == "t" || unit == "tb" || unit == "tebibytes") shift = 40;
  else throw InvalidArgument("The memory size '{}' has an unknown unit '{}'. Use b, kb, mb, gb or tb", text, unit);
  return Scale(number, int64_t{1} << shift, text, "memory size");
}

std::optional<std::string> NearestName(std::string_view name, std::span<const std::string> known) {
  std::string wanted = ToLower(name);
  size_t best = std::max<size_t>(2, wanted.size() / 3) + 1;
  std::optional<std::string> nearest;
  std::vector<size_t> row;
  for (const std::string& candidate : known) {
    std::string other = ToLower(candidate);
    row.resize(other.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= wanted.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j <= other.size(); ++j) {
        size_t replace = diagonal + (wanted[i - 1] == other[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, replace});
      }
    }
    if (row.back() < best) {
      best = row.back();
      nearest = candidate;
    }
  }
  return nearest;
}

std::string DidYouMean(std::string_view name, std::span<const std::string> known) {
  auto nearest = NearestName(name, known);
  return nearest ? fmt::format(". Did you mean '{}'?", *nearest) : std::string();
}

}  // namespace mica
