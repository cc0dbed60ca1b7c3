// Compacts picked files of one bucket of a primary-key table (Engine 2.5): files that overlap nothing only change their
// level, the others are merged into new ones. Streams; holds a batch a sorted run and the file being written.
#pragma once

#include "base/clock.h"
#include "compaction/compaction_merge.h"
#include "merge/levels.h"
#include "merge/universal_compaction.h"
#include "table/commit_message.h"
#include "table/table.h"

namespace mica {

// What to commit as the compact part of a message: nothing when no file has to change. New files are deleted when this
// throws. `levels` are all files of the bucket, `unit` some of them.
FileChanges CompactBucket(const TablePtr& table, const BucketFiles& bucket, const Levels& levels,
                          const CompactionUnit& unit, const CompactionMode& mode, const Clock& clock);

}  // namespace mica
