// Reads and publishes the statistics of a table (M-1206).
#pragma once

#include <optional>

#include "meta/statistics.h"
#include "table/commit.h"
#include "table/table.h"

namespace mica {

// Those of the newest snapshot that has some; nothing before ANALYZE, or when the file is gone.
std::optional<TableStatistics> ReadStatistics(const Table& table, const Snapshot& snapshot);
// Writes the file and commits an ANALYZE snapshot.
void PublishStatistics(TablePtr table, const TableStatistics& statistics, const CommitSettings& settings);

}  // namespace mica
