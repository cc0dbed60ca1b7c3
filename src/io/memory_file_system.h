// Files in memory, for tests: the same behaviour as the local disk, paths of any scheme. What an output stream has
// written is visible at once, as on a disk. Thread safe.
#pragma once

#include <map>
#include <mutex>

#include "io/file_system.h"

namespace mica {

class MemoryFileSystem final : public FileSystem {
 public:
  // What time files get; tests of expiry set it.
  void SetNow(int64_t millis);
  // Every file with its content, for tests that compare whole states.
  std::map<std::string, std::string> Files();

  std::shared_ptr<arrow::io::RandomAccessFile> OpenInput(const std::string& path, std::optional<int64_t> size) override;
  std::shared_ptr<arrow::io::OutputStream> OpenOutput(const std::string& path) override;
  std::optional<FileStatus> Stat(const std::string& path) override;
  std::vector<FileStatus> List(const std::string& path) override;
  void CreateFolder(const std::string& path) override;
  bool DeleteFile(const std::string& path) override;
  void DeleteFolder(const std::string& path) override;
  void Rename(const std::string& from, const std::string& to) override;
  bool CreateAtomically(const std::string& path, std::string_view content) override;
  void ReplaceAtomically(const std::string& path, std::string_view content) override;
  bool CanCreateAtomically(std::string* why) override;

  struct Entry {
    bool is_folder = false;
    std::string content;
    int64_t modified_millis = 0;
  };
  // Shared with open streams, which may outlive the file system.
  struct State {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<Entry>> entries;
    std::optional<int64_t> now;
  };

 private:
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace mica
