// Reads the rows of a table's snapshot and writes them into another table as an overwrite: what a clone does where the
// target cannot take the source's files.
#pragma once

#include "clone/table_copy.h"

namespace mica {

struct RowCopyResult {
  int64_t rows = 0;
  std::optional<int64_t> snapshot_id;  // nothing: there was nothing to write
};

// The rows of the partitions in `files`. Columns go by name; those that only the target has are NULL. Progress counts files
// of the source. When this throws anything but OutcomeUnknown, what was written is deleted.
RowCopyResult CopyRows(const Table& source, const SourceFiles& files, const TablePtr& target, const CopyRequest& request);

}  // namespace mica
