// What compaction has lifted of a state: the files from a level on, bucket by bucket.
#pragma once

#include <cstdint>
#include <vector>

#include "base/executor.h"
#include "table/split.h"
#include "table/table.h"

namespace mica {

// The level of a full compaction.
int32_t TopLevel(const TableOptions& options);

// A split a bucket, to be merged.
std::vector<Split> SplitsFromLevel(const Table& table, const Snapshot& snapshot, int32_t lowest, Executor& executor);

}  // namespace mica
