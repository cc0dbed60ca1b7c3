// Copies one file as it is, within a storage or from one to another, through a buffer of fixed size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/file_system.h"

namespace mica {

// `size`, where it is known, is what the file must have. The target appears whole or not at all; one that is there already
// is replaced by an object store and left alone by a disk: somebody copied the same meanwhile. Throws NotFound when there is
// no such file, Corrupt when it has another size, AlreadyExists when the target is there with another size. Returns the size.
int64_t CopyFile(FileSystem& source, const std::string& from, std::optional<int64_t> size, FileSystem& target,
                 const std::string& to);

}  // namespace mica
