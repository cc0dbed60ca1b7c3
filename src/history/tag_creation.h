// Tags that come about by themselves after a commit (Engine 10.3; M-0617 to M-0621).
#pragma once

#include "base/clock.h"
#include "base/executor.h"
#include "table/table.h"

namespace mica {

// Tags by process time or watermark: looks at every snapshot that is newer than the newest automatic tag, and names the
// periods that had ended when it was committed. Then the oldest automatic tags beyond `tag.num-retained-max` go. Nothing
// happens where the table makes no such tags. Throws InvalidArgument for options that contradict each other.
void CreateTagsByTime(const Table& table, const Clock& clock, Executor& executor);

// The tag of a batch write: `tag.batch.customized-name`, or `batch-write-<day>`, now names the latest snapshot. Then the
// oldest tags of all go, beyond `tag.num-retained-max`.
void CreateBatchTag(const Table& table, const Clock& clock, Executor& executor);

// Throws InvalidArgument, or Unsupported naming the zone, before anything is written.
void CheckTagCreation(const TableOptions& options);

}  // namespace mica
