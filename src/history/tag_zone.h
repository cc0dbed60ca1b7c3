// The wall clock by which automatic tags are named: the process's own zone, UTC, or an offset such as +08:00
// (`sink.process-time-zone`, `sink.watermark-time-zone`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "meta/table_options.h"

namespace mica {

class TagZone {
 public:
  static TagZone OfProcess(const TableOptions& options);
  static TagZone OfWatermark(const TableOptions& options);

  int64_t WallMillis(int64_t epoch_millis) const;

 private:
  // Throws Unsupported naming the zone.
  explicit TagZone(std::optional<std::string> name);

  std::optional<int64_t> offset_;
};

}  // namespace mica
