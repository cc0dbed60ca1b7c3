#include "history/tag_zone.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"

namespace mica {

namespace {
constexpr int64_t kMinute = 60'000;
}

TagZone TagZone::OfProcess(const TableOptions& options) {
  return TagZone(options.Find("sink.process-time-zone"));
}
TagZone TagZone::OfWatermark(const TableOptions& options) {
  return TagZone(options.Text("sink.watermark-time-zone", "UTC"));
}

TagZone::TagZone(std::optional<std::string> name) {
  if (!name) return;
  std::string_view text = Trim(*name);
  for (std::string_view prefix : {"UTC", "GMT", "Z", "Etc/UTC", "Etc/GMT"}) {
    if (text == prefix) {
      offset_ = 0;
      return;
    }
  }
  std::string_view rest = text.starts_with("UTC") || text.starts_with("GMT") ? text.substr(3) : text;
  bool sign = !rest.empty() && (rest[0] == '+' || rest[0] == '-');
  auto hours = sign ? ParseInteger(rest.substr(1, rest.find(':') - 1)) : std::nullopt;
  size_t colon = rest.find(':');
  auto minutes = colon == std::string_view::npos ? std::optional<int64_t>(0) : ParseInteger(rest.substr(colon + 1));
  if (!hours || !minutes || *hours > 18 || *minutes > 59) {
    throw Unsupported("The zone '{}' of automatic tags is not supported. Use UTC or an offset such as '+08:00'", *name);
  }
  offset_ = (*hours * 60 + *minutes) * kMinute * (rest[0] == '-' ? -1 : 1);
}

int64_t TagZone::WallMillis(int64_t epoch_millis) const {
  return offset_ ? epoch_millis + *offset_ : LocalWallMillis(epoch_millis);
}

}  // namespace mica
