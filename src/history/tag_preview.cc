#include "history/tag_preview.h"

#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "history/tag_zone.h"
#include "meta/tag_period.h"

namespace mica {

TagPreview::TagPreview(const TableOptions& options) : options_(options) {
  const std::string mode = ToLower(options.Text("metastore.tag-to-partition.preview", "none"));
  if (mode == "process-time")
    mode_ = Mode::kProcessTime;
  else if (mode == "watermark")
    mode_ = Mode::kWatermark;
  else if (mode != "none" && mode != "batch") {
    throw InvalidArgument(
        "The option 'metastore.tag-to-partition.preview' must be none, process-time, watermark or batch, not '{}'",
        mode);
  }
}

std::optional<std::string> TagPreview::PeriodOf(const Snapshot& snapshot) const {
  std::optional<int64_t> time;
  if (mode_ == Mode::kProcessTime) time = TagZone::OfProcess(options_).WallMillis(snapshot.time_millis);
  const bool marked = snapshot.watermark && *snapshot.watermark != std::numeric_limits<int64_t>::min();
  if (mode_ == Mode::kWatermark && marked) time = TagZone::OfWatermark(options_).WallMillis(*snapshot.watermark);
  if (!time) return std::nullopt;
  const TagPeriod period(options_);
  return period.NameOf(period.Before(*time) + period.millis());
}

TagPreview::View TagPreview::Resolve(const Table& table, const std::string& period) const {
  if (table.snapshots().FindTag(period)) return {period, 0};
  const std::vector<int64_t> ids = table.snapshots().Ids();
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    // One that expires meanwhile is one that is not there.
    try {
      const auto its = PeriodOf(table.snapshots().Get(*id));
      if (its && *its <= period) return {std::nullopt, *id};
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kNotFound) throw;
    }
  }
  std::optional<std::string> best;
  const TagPeriod periods(options_);
  for (std::string& name : table.snapshots().TagNames()) {
    if (name <= period && periods.TimeOf(name) && (!best || *best < name)) best = std::move(name);
  }
  if (best) return {best, 0};
  throw NotFound("The period '{}' of the table '{}' has neither a tag nor a snapshot. A preview holds nothing: tags do",
                 period, table.name().ToString());
}

}  // namespace mica
