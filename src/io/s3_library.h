// Loads libmica_s3.so, which alone links the AWS SDK (expensive to load), and gets the object-store file system from it.
#pragma once

#include <map>
#include <string>

#include "io/file_system.h"

namespace mica {

// The one function the library exports, under its C name "mica_open_s3". `scheme` is that of the path. Throws Error.
using OpenS3Function = FileSystem* (*)(const std::string& scheme, const std::map<std::string, std::string>& options);

// Looks beside the code of Mica itself, then beside the program, then where the system looks. Thread safe.
FileSystemPtr OpenS3FileSystem(const std::string& scheme, const std::map<std::string, std::string>& options);

}  // namespace mica
