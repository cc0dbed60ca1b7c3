// Copies one file as it is, within a storage or from one to another, through a buffer of fixed size.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "io/file_system.h"

namespace mica {

// A file that appears whole or not at all: `write` fills the file at the path that it is given and returns its size. One
// that is there already with that size is left alone by a disk, replaced by an object store. Throws what `write` throws,
// AlreadyExists when the file is there with another size.
int64_t MakeWhole(FileSystem& target, const std::string& to,
                  const std::function<int64_t(const std::string& path)>& write);

// `size`, where it is known, is what the file must have. The target appears whole or not at all; one that is there already
// is replaced by an object store and left alone by a disk: somebody copied the same meanwhile. Throws NotFound when there is
// no such file, Corrupt when it has another size, AlreadyExists when the target is there with another size. Returns the size.
int64_t CopyFile(FileSystem& source, const std::string& from, std::optional<int64_t> size, FileSystem& target,
                 const std::string& to);

}  // namespace mica
