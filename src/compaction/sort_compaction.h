// Writes the rows of an append table's partitions anew in the order of some columns (Engine 7, "Sort compact"; M-1011).
#pragma once

#include <string>
#include <vector>

#include "compaction/compact.h"

namespace mica {

// `order_by` are columns that are not partition columns. Only tables without buckets. Replaces exactly the files that were
// read: rows that others add meanwhile stay, and a commit that removed one of the files is a Conflict. An OVERWRITE
// snapshot; none when there is nothing to sort.
CompactReport SortTable(const TablePtr& table, const CompactRequest& request, const std::vector<std::string>& order_by,
                        const CommitSettings& settings, int64_t memory_bytes);

}  // namespace mica
