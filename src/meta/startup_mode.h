// Where a scan starts, by the options scan.* and incremental-* (Engine 11), and which of them go together (M-0338, M-0508).
#pragma once

#include "meta/table_options.h"

namespace mica {

// The mode in the words of scan.mode: given, or what the other options imply ("latest-full" when there are none).
std::string StartupModeOf(const TableOptions& options);

// Throws InvalidArgument for options that contradict the mode or each other.
void ValidateStartupMode(const TableOptions& options);

}  // namespace mica
