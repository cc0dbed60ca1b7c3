#include "meta/tag_period.h"

#include <chrono>
#include <string>

#include "base/text.h"

namespace mica {

namespace {

// yyyy, MM, dd, HH and mm in a pattern of those, '-' and ' ', each with all its digits; the rest has to be equal.
bool MatchesPattern(std::string_view pattern, std::string_view name) {
  if (name.size() != pattern.size()) return false;
  int year = 0, month = 1, day = 1, hour = 0, minute = 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    int* part = pattern[i] == 'y'   ? &year
                : pattern[i] == 'M' ? &month
                : pattern[i] == 'd' ? &day
                : pattern[i] == 'H' ? &hour
                : pattern[i] == 'm' ? &minute
                                    : nullptr;
    if (part == nullptr) {
      if (name[i] != pattern[i]) return false;
      continue;
    }
    if (name[i] < '0' || name[i] > '9') return false;
    bool first = i == 0 || pattern[i - 1] != pattern[i];
    *part = (first ? 0 : *part * 10) + (name[i] - '0');
  }
  std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                   std::chrono::day(static_cast<unsigned>(day))};
  return date.ok() && hour < 24 && minute < 60;
}

std::string_view PatternOf(const TableOptions& options) {
  if (options.Find("tag.creation-period-duration")) return "yyyyMMddHHmm";
  std::string period = ToLower(options.Text("tag.creation-period", "daily"));
  std::string formatter = ToLower(options.Text("tag.period-formatter", "with_dashes"));
  if (period == "two-hours") return "yyyy-MM-dd HH";
  bool hourly = period == "hourly";
  if (formatter == "with_dashes") return hourly ? "yyyy-MM-dd HH" : "yyyy-MM-dd";
  if (formatter == "without_dashes") return hourly ? "yyyyMMdd HH" : "yyyyMMdd";
  return hourly ? "yyyyMMddHH" : "yyyyMMdd";
}

}  // namespace

bool IsAutomaticTagName(const TableOptions& options, std::string_view name) {
  std::string mode = ToLower(options.Text("tag.automatic-creation", "none"));
  if (mode != "process-time" && mode != "watermark" && mode != "daily") return false;
  std::string_view pattern = PatternOf(options);
  // A daily name may have an hour behind it.
  if (pattern.find("HH") == std::string_view::npos) name = name.substr(0, name.find(' '));
  return MatchesPattern(pattern, name);
}

}  // namespace mica
