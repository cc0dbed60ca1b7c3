// Reads whose snapshot expires meanwhile (M-0531): a file that is missing then is no damage, and the reader is told so.
#pragma once

#include <cstdint>
#include <memory>

#include "format/batch_reader.h"
#include "table/table.h"

namespace mica {

// Adds to an error about a missing file that the snapshot has expired, when neither it nor a tag of it is there any more.
void AddExpiry(const Table& table, int64_t snapshot_id, Error* error);

// The same for what reading throws.
std::unique_ptr<BatchReader> TellingOfExpiry(const Table& table, int64_t snapshot_id, std::unique_ptr<BatchReader> reader);

}  // namespace mica
