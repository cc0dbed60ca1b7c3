// The periods of automatic tags and the names they give (Engine 10.3; `tag.creation-period`, `tag.creation-period-duration`,
// `tag.period-formatter`). Times are wall clocks in milliseconds, as if UTC.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "meta/table_options.h"

namespace mica {

// How tags come about by themselves (`tag.automatic-creation`).
enum class TagCreation { kNone, kProcessTime, kWatermark, kBatch };
// Throws InvalidArgument. 'daily' means process-time with daily tags.
TagCreation TagCreationOf(const TableOptions& options);

class TagPeriod {
 public:
  explicit TagPeriod(const TableOptions& options);

  int64_t millis() const { return millis_; }
  // The period that had ended last at this time: its beginning.
  int64_t Before(int64_t wall_millis) const;
  std::string NameOf(int64_t wall_millis) const;
  // Nothing for a name that the period does not give.
  std::optional<int64_t> TimeOf(std::string_view name) const;

 private:
  int64_t millis_;
  std::string_view pattern_;  // of yyyy, MM, dd, HH and mm
};

// Whether the table makes tags by time and would give one this name.
bool IsAutomaticTagName(const TableOptions& options, std::string_view name);

}  // namespace mica
