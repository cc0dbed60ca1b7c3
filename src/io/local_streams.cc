#include "io/local_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include <arrow/buffer.h>
#include <arrow/util/io_util.h>

namespace mica {

namespace {
constexpr size_t kGatherBytes = 64 << 10;

arrow::Status Failure(int error, const char* operation, const std::string& path) {
  return arrow::internal::IOErrorFromErrno(error, "Cannot ", operation, " '", path, "'");
}
}  // namespace

LocalInput::LocalInput(int descriptor, int64_t size, std::string path)
    : descriptor_(descriptor), size_(size), path_(std::move(path)) {}

LocalInput::~LocalInput() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

arrow::Status LocalInput::Close() {
  if (descriptor_ >= 0) ::close(descriptor_);  // nothing was written, so there is no error worth reporting
  descriptor_ = -1;
  return arrow::Status::OK();
}

arrow::Status LocalInput::Seek(int64_t position) {
  if (position < 0) return arrow::Status::Invalid("Negative position in '", path_, "'");
  position_ = position;
  return arrow::Status::OK();
}

arrow::Result<int64_t> LocalInput::Read(int64_t bytes, void* out) {
  ARROW_ASSIGN_OR_RAISE(int64_t read, ReadAt(position_, bytes, out));
  position_ += read;
  return read;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> LocalInput::Read(int64_t bytes) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, ReadAt(position_, bytes));
  position_ += buffer->size();
  return buffer;
}

arrow::Result<int64_t> LocalInput::ReadAt(int64_t position, int64_t bytes, void* out) {
  if (descriptor_ < 0) return arrow::Status::Invalid("Read of the closed file '", path_, "'");
  if (position < 0 || bytes < 0) return arrow::Status::Invalid("Negative position or length in '", path_, "'");
  int64_t done = 0;
  while (done < bytes) {
    ssize_t got =
        ::pread(descriptor_, static_cast<char*>(out) + done, static_cast<size_t>(bytes - done), position + done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failure(errno, "read", path_);
    if (got == 0) break;
    done += got;
  }
  return done;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> LocalInput::ReadAt(int64_t position, int64_t bytes) {
  // A length beyond the end must not decide how much is allocated.
  int64_t possible = std::max<int64_t>(0, std::min(bytes, size_ - position));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::ResizableBuffer> buffer, arrow::AllocateResizableBuffer(possible));
  ARROW_ASSIGN_OR_RAISE(int64_t read, ReadAt(position, possible, buffer->mutable_data()));
  if (read < possible) ARROW_RETURN_NOT_OK(buffer->Resize(read, false));
  return buffer;
}

arrow::Status LocalInput::WillNeed(const std::vector<arrow::io::ReadRange>& ranges) {
  for (const arrow::io::ReadRange& range : ranges) {
    // Advice only: a file system that cannot take it loses nothing.
    if (range.length > 0) (void)::posix_fadvise(descriptor_, range.offset, range.length, POSIX_FADV_WILLNEED);
  }
  return arrow::Status::OK();
}

LocalOutput::LocalOutput(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {
  set_mode(arrow::io::FileMode::WRITE);
}

LocalOutput::~LocalOutput() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

arrow::Status LocalOutput::Close() {
  if (descriptor_ < 0) return arrow::Status::OK();
  arrow::Status flushed = Flush();
  int descriptor = std::exchange(descriptor_, -1);
  int closed = ::close(descriptor);
  ARROW_RETURN_NOT_OK(flushed);
  // Quotas and network disks report a lost write only here.
  if (closed != 0 && errno != EINTR) return Failure(errno, "close", path_);
  return arrow::Status::OK();
}

arrow::Status LocalOutput::Abort() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  return arrow::Status::OK();
}

arrow::Status LocalOutput::Write(const void* data, int64_t bytes) {
  if (descriptor_ < 0) return arrow::Status::Invalid("Write to the closed file '", path_, "'");
  size_t size = static_cast<size_t>(bytes);
  if (gathered_.size() + size <= kGatherBytes) {
    gathered_.append(static_cast<const char*>(data), size);
    return arrow::Status::OK();
  }
  ARROW_RETURN_NOT_OK(Flush());
  if (size < kGatherBytes / 2) {
    gathered_.append(static_cast<const char*>(data), size);
    return arrow::Status::OK();
  }
  if (int error = WriteAll(descriptor_, static_cast<const char*>(data), size)) return Failure(error, "write", path_);
  written_ += bytes;
  return arrow::Status::OK();
}

arrow::Status LocalOutput::Flush() {
  if (gathered_.empty()) return arrow::Status::OK();
  if (int error = WriteAll(descriptor_, gathered_.data(), gathered_.size())) return Failure(error, "write", path_);
  written_ += static_cast<int64_t>(gathered_.size());
  gathered_.clear();
  return arrow::Status::OK();
}

int WriteAll(int descriptor, const char* data, size_t bytes) {
  while (bytes > 0) {
    ssize_t done = ::write(descriptor, data, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    data += done;
    bytes -= static_cast<size_t>(done);
  }
  return 0;
}

}  // namespace mica
