// TIMESTAMP_LTZ in ORC files (Format 8.3, `orc.timestamp-ltz.legacy.type`): the legacy form stores the UTC wall clock
// of the instant as if it were one of the process's zone, so that only under UTC it is the instant.
#pragma once

#include <memory>

#include <arrow/type_fwd.h>

#include "types/data_type.h"

namespace mica {

enum class OrcDirection { kRead, kWrite };

// The array with every TIMESTAMP_LTZ in it turned from (kRead) or into (kWrite) the legacy form; itself under UTC.
std::shared_ptr<arrow::Array> OrcInstants(const std::shared_ptr<arrow::Array>& array, const DataType& type,
                                          OrcDirection direction);

}  // namespace mica
