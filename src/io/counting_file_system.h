// Passes every call on and counts it by path, so that tests can assert what an operation costs ("planning one partition
// reads one manifest"). Thread safe.
#pragma once

#include <map>
#include <mutex>

#include "io/file_system.h"

namespace mica {

struct IoCounts {
  int64_t opens = 0;  // OpenInput
  int64_t reads = 0;  // Read and ReadAt of inputs
  int64_t bytes_read = 0;
  int64_t stats = 0;
  int64_t lists = 0;
  int64_t outputs = 0;  // OpenOutput
  int64_t writes = 0;   // Write of outputs
  int64_t bytes_written = 0;  // by outputs and by publishing
  int64_t publishes = 0;      // CreateAtomically and ReplaceAtomically
  int64_t folders = 0;        // CreateFolder
  int64_t deletes = 0;        // DeleteFile and DeleteFolder
  int64_t renames = 0;        // counted at the old name

  int64_t calls() const;  // everything but the bytes
  IoCounts& operator+=(const IoCounts& other);
};

class CountingFileSystem final : public FileSystem {
 public:
  explicit CountingFileSystem(FileSystemPtr inner) : inner_(std::move(inner)) {}

  // The sum over the paths that match a shell pattern, where * also takes slashes: Counts("*/manifest/*").
  IoCounts Counts(const std::string& pattern = "*") const;
  std::map<std::string, IoCounts> CountsByPath() const;
  void Reset();

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
  bool CanCreateAtomically(std::string* why) override { return inner_->CanCreateAtomically(why); }

  // Shared with open streams, which may outlive the file system.
  struct Ledger {
    mutable std::mutex mutex;
    std::map<std::string, IoCounts> counts;
    void Add(const std::string& path, const IoCounts& counts);
  };

 private:
  FileSystemPtr inner_;
  std::shared_ptr<Ledger> ledger_ = std::make_shared<Ledger>();
};

}  // namespace mica
