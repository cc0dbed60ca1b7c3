// Which columns the files of a format can hold, told before any file is written (M-0338).
#pragma once

#include <string_view>
#include <vector>

#include "types/data_type.h"

namespace mica {

// Throws Unsupported naming the format where it is unknown, or the first column that it cannot hold.
void CheckFormatHolds(std::string_view format, const std::vector<DataField>& fields);

}  // namespace mica
