// Files of the local disk as Arrow streams, with as few system calls as the work allows: an input of known size costs
// one open, an output gathers small writes and costs open, write, close. Inputs may be read at positions by many
// threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <arrow/io/interfaces.h>

namespace mica {

class LocalInput final : public arrow::io::RandomAccessFile {
 public:
  // Takes the descriptor; `path` is for messages.
  LocalInput(int descriptor, int64_t size, std::string path);
  ~LocalInput() override;

  arrow::Status Close() override;
  bool closed() const override { return descriptor_ < 0; }
  arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Status Seek(int64_t position) override;
  arrow::Result<int64_t> GetSize() override { return size_; }
  arrow::Result<int64_t> Read(int64_t bytes, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t bytes) override;
  using arrow::io::RandomAccessFile::ReadAt;
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t bytes, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t bytes) override;
  arrow::Status WillNeed(const std::vector<arrow::io::ReadRange>& ranges) override;

 private:
  int descriptor_;
  int64_t size_;
  int64_t position_ = 0;
  std::string path_;
};

class LocalOutput final : public arrow::io::OutputStream {
 public:
  LocalOutput(int descriptor, std::string path);
  // Closes without writing what is still gathered: a stream left behind by an error is an unfinished file.
  ~LocalOutput() override;

  arrow::Status Close() override;
  arrow::Status Abort() override;
  bool closed() const override { return descriptor_ < 0; }
  arrow::Result<int64_t> Tell() const override { return written_ + static_cast<int64_t>(gathered_.size()); }
  using arrow::io::OutputStream::Write;
  arrow::Status Write(const void* data, int64_t bytes) override;
  arrow::Status Flush() override;

 private:
  int descriptor_;
  int64_t written_ = 0;
  std::string gathered_;
  std::string path_;
};

// Writes everything or returns the errno of the failure; 0 is success.
int WriteAll(int descriptor, const char* data, size_t bytes);

}  // namespace mica
