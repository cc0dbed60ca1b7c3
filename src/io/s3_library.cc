#include "io/s3_library.h"

#include <dlfcn.h>

#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace mica {

namespace {

constexpr const char* kName = "libmica_s3.so";

OpenS3Function Load() {
  std::vector<std::string> candidates;
  Dl_info self;
  if (::dladdr(reinterpret_cast<void*>(&Load), &self) != 0 && self.dli_fname) {
    // The folder of libmica.so, or of the program where the layers are linked in.
    candidates.push_back((std::filesystem::absolute(self.dli_fname).parent_path() / kName).string());
  }
  std::error_code failed;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    candidates.push_back((program.parent_path() / kName).string());
    candidates.push_back((program.parent_path().parent_path() / "lib" / kName).string());
  }
  candidates.push_back(kName);
  std::vector<std::string> problems;
  for (const std::string& candidate : candidates) {
    if (candidate != kName && !std::filesystem::exists(candidate, failed)) continue;
    void* library = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      problems.push_back(::dlerror());
      continue;
    }
    if (void* function = ::dlsym(library, "mica_open_s3")) return reinterpret_cast<OpenS3Function>(function);
    problems.push_back(candidate + " has no function 'mica_open_s3'");
  }
  throw Unsupported("Cannot load the object-store client {}: {}. Install it beside libmica.so", kName,
                    Join(problems, "; "));
}

}  // namespace

FileSystemPtr OpenS3FileSystem(const std::string& path, const std::map<std::string, std::string>& options) {
  static const OpenS3Function open = Load();
  return FileSystemPtr(open(path, options, Log));
}

}  // namespace mica
