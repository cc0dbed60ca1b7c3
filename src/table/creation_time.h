// Reads that begin at a moment (Engine 8.1): the options `scan.file-creation-time-millis` and `scan.creation-time-millis`, by
// themselves or with their `scan.mode`. The first leaves out files that are older. So does the second where the history does
// not reach back to its moment; otherwise it names the first snapshot since.
#pragma once

#include <cstdint>
#include <optional>

#include "table/table.h"

namespace mica {

// The first snapshot that was made at this time or later, where one before it is still there.
std::optional<int64_t> FirstSnapshotSince(const Table& table, int64_t epoch_millis);

// The snapshot that `scan.creation-time-millis` names. Throws InvalidArgument for a value that is no number.
std::optional<int64_t> SnapshotSinceCreation(const Table& table);

// Since when files were created that are read; nothing: all. A wall clock as files have it.
std::optional<int64_t> OldestFileMillis(const Table& table);

}  // namespace mica
