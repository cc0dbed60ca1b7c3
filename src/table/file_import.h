// Takes files that lie elsewhere into an append table where they are, as files with an external path (M-1001 to M-1003).
// From then on they live and are deleted as the table's own.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "table/commit.h"
#include "table/table.h"

namespace mica {

// Those files directly in the folder `location` whose name ends in the table's format and does not begin with '.' or '_'.
// `partition`: a value for every partition column. One APPEND snapshot; none when there is no such file. Returns their number.
// Throws, before anything is changed: Unsupported for a table of another kind; InvalidArgument for the location or the
// partition; AlreadyExists naming a file that the table has already; Corrupt or Unsupported naming a file that cannot be read
// as the table's columns.
int64_t ImportFiles(TablePtr table, const std::string& location, const std::map<std::string, Value>& partition,
                    CommitSettings settings);

}  // namespace mica
