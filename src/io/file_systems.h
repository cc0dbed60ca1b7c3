// Chooses the storage of a path by its scheme and options (M-0116): none and file: are the local disk, s3: s3a: s3n:
// and oss: an object store, whose client is a library of its own (libmica_s3.so) that is loaded at the first such path.
#pragma once

#include <map>
#include <string>

#include "io/file_system.h"

namespace mica {

// `path` is a warehouse or table path; the result takes every path of the same scheme (and, for object stores, of any
// bucket at the same endpoint). Options that concern no storage are ignored. Throws Unsupported naming a scheme that
// has no storage here.
//
// Testing aids, not for production: "test.fault" = a fault as faulty_file_system.h writes it ("kill:12",
// "fail-after:3", "none:0") makes that call of this process go wrong, counted over all file systems opened with it, and
// "test.fault.count-file" = a local path that gets the number of calls when the process ends by itself.
FileSystemPtr OpenFileSystem(const std::string& path, const std::map<std::string, std::string>& options);

}  // namespace mica
