// Loads libmica_s3.so, which alone links the AWS SDK (expensive to load), and gets the object-store file system from
// it.
#pragma once

#include <map>
#include <string>

#include "base/log.h"
#include "io/file_system.h"

namespace mica {

// The one function the library exports, under its C name "mica_open_s3". Throws Error. Warnings go to `log`.
using OpenS3Function = FileSystem* (*)(const std::string& path, const std::map<std::string, std::string>& options,
                                       const LogSink& log);

// Looks beside the code of Mica itself, then beside the program, then where the system looks. Thread safe.
FileSystemPtr OpenS3FileSystem(const std::string& path, const std::map<std::string, std::string>& options);

}  // namespace mica
