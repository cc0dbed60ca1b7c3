// `_SUCCESS` files that say since when something is complete: {"creationTime": ms, "modificationTime": ms}.
#pragma once

#include <cstdint>
#include <string>

#include "io/file_system.h"

namespace mica {

// Writes the file, or notes in the one that is there that it was done again.
void WriteSuccessFile(FileSystem& fs, const std::string& path, int64_t now_millis);

}  // namespace mica
