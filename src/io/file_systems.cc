#include "io/file_systems.h"

#include <atomic>
#include <cstdlib>
#include <mutex>

#include "base/error.h"
#include "io/faulty_file_system.h"
#include "io/local_file_system.h"
#include "io/s3_library.h"

namespace mica {

namespace {

FileSystemPtr OpenByScheme(const std::string& path, const std::map<std::string, std::string>& options) {
  std::string scheme = SchemeOf(path);
  if (scheme.empty() || scheme == "file") {
    static const auto local = std::make_shared<LocalFileSystem>();
    return local;
  }
  if (scheme == "s3" || scheme == "s3a" || scheme == "s3n" || scheme == "oss") return OpenS3FileSystem(path, options);
  throw Unsupported("There is no storage for the scheme '{}' of '{}'. Known are: none, file, s3, s3a, s3n, oss", scheme,
                    path);
}

// All file systems of a process that got the same fault count together, and the count is written when it ends.
struct ProcessFault {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<FaultState>> states;
  std::map<std::string, std::shared_ptr<FaultState>> count_files;
};

ProcessFault& TheProcessFault() {
  static auto* fault = new ProcessFault;  // never destroyed: read at exit, after other statics are gone
  return *fault;
}

void WriteCountFiles() {
  for (const auto& [path, state] : TheProcessFault().count_files) {
    try {
      LocalFileSystem().ReplaceAtomically(path, std::to_string(state->calls) + "\n");
    } catch (const Error&) {
      // At exit nobody can be told; the suite that asked for the file finds it missing.
    }
  }
}

std::shared_ptr<FaultState> StateOf(const std::string& fault, const std::string* count_file) {
  ProcessFault& process = TheProcessFault();
  std::lock_guard lock(process.mutex);
  std::shared_ptr<FaultState>& state = process.states[fault];
  if (!state) state = std::make_shared<FaultState>(Fault::Parse(fault));
  if (count_file) {
    if (process.count_files.empty()) std::atexit(WriteCountFiles);
    process.count_files[*count_file] = state;
  }
  return state;
}

}  // namespace

FileSystemPtr OpenFileSystem(const std::string& path, const std::map<std::string, std::string>& options) {
  FileSystemPtr file_system = OpenByScheme(path, options);
  auto fault = options.find("test.fault");
  auto count_file = options.find("test.fault.count-file");
  if (fault == options.end() && count_file == options.end()) return file_system;
  return std::make_shared<FaultyFileSystem>(
      file_system, StateOf(fault == options.end() ? "none:0" : fault->second,
                           count_file == options.end() ? nullptr : &count_file->second));
}

}  // namespace mica
