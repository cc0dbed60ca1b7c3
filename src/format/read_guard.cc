#include "format/read_guard.h"

#include <mutex>
#include <new>

#include "base/arrow.h"
#include "io/forwarding_streams.h"

namespace mica {

// Shared with the file, which may outlive the guard. Reads ahead come from other threads.
struct ReadGuard::Notes {
  std::mutex mutex;
  bool cannot_open = false;
  arrow::Status failure;

  void Note(const arrow::Status& status) {
    if (status.ok()) return;
    std::lock_guard lock(mutex);
    if (failure.ok()) failure = status;
  }
};

namespace {

template <typename Notes>
class NotingInput final : public ForwardingInput {
 public:
  NotingInput(std::shared_ptr<arrow::io::RandomAccessFile> inner, std::shared_ptr<Notes> notes)
      : ForwardingInput(std::move(inner)), notes_(std::move(notes)) {}

  using ForwardingInput::ReadAt;
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t bytes, void* out) override {
    return Noted(position < 0 || bytes < 0, ForwardingInput::ReadAt(position, bytes, out));
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t bytes) override {
    return Noted(position < 0 || bytes < 0, ForwardingInput::ReadAt(position, bytes));
  }
  arrow::Result<int64_t> Read(int64_t bytes, void* out) override {
    return Noted(bytes < 0, ForwardingInput::Read(bytes, out));
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t bytes) override {
    return Noted(bytes < 0, ForwardingInput::Read(bytes));
  }

 private:
  // What asks for nonsense, or for bytes behind the end, is a malformed file, not a failing storage.
  template <typename T>
  arrow::Result<T> Noted(bool nonsense, arrow::Result<T> result) {
    if (!nonsense && !result.status().IsInvalid() && !result.status().IsOutOfMemory()) notes_->Note(result.status());
    return result;
  }

  std::shared_ptr<Notes> notes_;
};

}  // namespace

ReadGuard::ReadGuard(std::string path) : path_(std::move(path)), notes_(std::make_shared<Notes>()) {}

std::shared_ptr<arrow::io::RandomAccessFile> ReadGuard::Open(FileSystem& fs, std::optional<int64_t> size) {
  notes_->cannot_open = true;
  auto input = fs.OpenInput(path_, size);
  notes_->cannot_open = false;
  return std::make_shared<NotingInput<Notes>>(std::move(input), notes_);
}

void ReadGuard::Fail() const {
  {
    std::lock_guard lock(notes_->mutex);
    if (!notes_->failure.ok()) throw FromArrow(notes_->failure).Add("file '" + path_ + "'");
  }
  try {
    throw;
  } catch (Error& error) {
    const bool malformed = error.kind() == ErrorKind::kInvalidArgument || error.kind() == ErrorKind::kInternal ||
                           error.kind() == ErrorKind::kIoError;
    if (malformed && !notes_->cannot_open) throw Corrupt("Cannot read the file '{}': {}", path_, error.what());
    error.Add("file '" + path_ + "'");
    throw;
  } catch (const std::bad_alloc&) {
    throw Corrupt("Cannot read the file '{}': it asks for more memory than there is", path_);
  } catch (const std::exception& error) {
    throw Corrupt("Cannot read the file '{}': {}", path_, error.what());
  }
}

}  // namespace mica
