// Puts postponed rows into the real buckets of their partitions (Engine 6).
#pragma once

#include <vector>

#include "table/bucket_files.h"
#include "table/commit.h"

namespace mica {

// What to commit: the postponed files go, their rows come into buckets, which are compacted as a write would. Empty when
// there is nothing postponed. On an error nothing that was written stays.
std::vector<CommitMessage> CompactPostponed(const TablePtr& table, const Snapshot& snapshot,
                                            const BucketSelection& selection, const CommitSettings& settings);

}  // namespace mica
