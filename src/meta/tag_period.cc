#include "meta/tag_period.h"

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "base/text.h"

namespace mica {

namespace {

constexpr int64_t kMinute = 60'000, kHour = 60 * kMinute, kDay = 24 * kHour;

struct Parts {
  int year = 0, month = 1, day = 1, hour = 0, minute = 0;
  int* Of(char letter) {
    switch (letter) {
      case 'y': return &year;
      case 'M': return &month;
      case 'd': return &day;
      case 'H': return &hour;
      case 'm': return &minute;
      default: return nullptr;
    }
  }
};

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

int64_t MillisOf(const TableOptions& options) {
  if (options.Find("tag.creation-period-duration")) {
    auto duration = options.Duration("tag.creation-period-duration", std::chrono::nanoseconds(0));
    int64_t millis = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
    if (millis <= 0) throw InvalidArgument("The option 'tag.creation-period-duration' must be more than nothing");
    return millis;
  }
  std::string period = ToLower(options.Text("tag.creation-period", "daily"));
  if (period == "daily") return kDay;
  if (period == "hourly") return kHour;
  if (period == "two-hours") return 2 * kHour;
  throw InvalidArgument("The option 'tag.creation-period' must be daily, hourly or two-hours, not '{}'", period);
}

int64_t Floor(int64_t value, int64_t step) { return value - ((value % step) + step) % step; }

}  // namespace

TagCreation TagCreationOf(const TableOptions& options) {
  std::string mode = ToLower(options.Text("tag.automatic-creation", "none"));
  if (mode == "none") return TagCreation::kNone;
  if (mode == "process-time" || mode == "daily") return TagCreation::kProcessTime;
  if (mode == "watermark") return TagCreation::kWatermark;
  if (mode == "batch") return TagCreation::kBatch;
  throw InvalidArgument("The option 'tag.automatic-creation' must be none, process-time, watermark or batch, not '{}'", mode);
}

TagPeriod::TagPeriod(const TableOptions& options) : millis_(MillisOf(options)), pattern_(PatternOf(options)) {}

int64_t TagPeriod::Before(int64_t wall_millis) const { return Floor(wall_millis, millis_) - millis_; }

std::string TagPeriod::NameOf(int64_t wall_millis) const {
  int64_t days = Floor(wall_millis, kDay) / kDay, rest = wall_millis - days * kDay;
  std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  Parts parts{static_cast<int>(date.year()), static_cast<int>(static_cast<unsigned>(date.month())),
              static_cast<int>(static_cast<unsigned>(date.day())), static_cast<int>(rest / kHour),
              static_cast<int>(rest % kHour / kMinute)};
  std::string name;
  for (size_t i = 0; i < pattern_.size();) {
    const int* part = parts.Of(pattern_[i]);
    if (part == nullptr) {
      name += pattern_[i++];
      continue;
    }
    size_t width = std::min(pattern_.find_first_not_of(pattern_[i], i), pattern_.size()) - i;
    name += fmt::format("{:0{}}", *part, width);
    i += width;
  }
  return name;
}

std::optional<int64_t> TagPeriod::TimeOf(std::string_view name) const {
  // A daily name may have an hour behind it.
  if (pattern_.find("HH") == std::string_view::npos) name = name.substr(0, name.find(' '));
  if (name.size() != pattern_.size()) return std::nullopt;
  Parts parts;
  for (size_t i = 0; i < pattern_.size(); ++i) {
    int* part = parts.Of(pattern_[i]);
    if (part == nullptr) {
      if (name[i] != pattern_[i]) return std::nullopt;
      continue;
    }
    if (name[i] < '0' || name[i] > '9') return std::nullopt;
    bool first = i == 0 || pattern_[i - 1] != pattern_[i];
    *part = (first ? 0 : *part * 10) + (name[i] - '0');
  }
  std::chrono::year_month_day date{std::chrono::year(parts.year), std::chrono::month(static_cast<unsigned>(parts.month)),
                                   std::chrono::day(static_cast<unsigned>(parts.day))};
  if (!date.ok() || parts.hour >= 24 || parts.minute >= 60) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count() * kDay + parts.hour * kHour + parts.minute * kMinute;
}

bool IsAutomaticTagName(const TableOptions& options, std::string_view name) {
  TagCreation creation = TagCreationOf(options);
  bool by_time = creation == TagCreation::kProcessTime || creation == TagCreation::kWatermark;
  return by_time && TagPeriod(options).TimeOf(name);
}

}  // namespace mica
