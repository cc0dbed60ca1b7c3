// Tags shown as partitions before they are made (`metastore.tag-to-partition.preview`; M-0824 to M-0826). A preview
// holds nothing: what it shows changes with each commit of its period and can expire.
#pragma once

#include <optional>
#include <string>

#include "meta/snapshot.h"
#include "table/table.h"

namespace mica {

class TagPreview {
 public:
  // Throws InvalidArgument for another value than none, process-time, watermark and batch.
  explicit TagPreview(const TableOptions& options);

  // Nothing of the rest without (none, batch).
  bool enabled() const { return mode_ != Mode::kNone; }
  // The period that the snapshot's time lies in, as a tag of it will be called; nothing without a watermark by
  // watermark.
  std::optional<std::string> PeriodOf(const Snapshot& snapshot) const;

  // What a period shows: a tag, or a snapshot.
  struct View {
    std::optional<std::string> tag;
    int64_t snapshot_id = 0;  // without a tag
  };
  // The tag of that name; else the newest snapshot of this or an earlier period; else the newest automatic tag that is
  // not later. Throws NotFound.
  View Resolve(const Table& table, const std::string& period) const;

 private:
  enum class Mode { kNone, kProcessTime, kWatermark };
  Mode mode_ = Mode::kNone;
  TableOptions options_;
};

}  // namespace mica
