// Tells, when a file library fails, whether the storage did or the bytes are malformed: the libraries report both
// alike. The one is the error of the storage, the other is Corrupt; both name the file.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <arrow/io/type_fwd.h>

#include "io/file_system.h"

namespace mica {

class ReadGuard {
 public:
  explicit ReadGuard(std::string path);

  // The file, whose failures are noted. To be called within a guarded body.
  std::shared_ptr<arrow::io::RandomAccessFile> Open(FileSystem& fs, std::optional<int64_t> size);

  template <typename Body>
  auto operator()(Body&& body) const {
    try {
      return body();
    } catch (...) {
      Fail();
    }
  }

 private:
  struct Notes;
  [[noreturn]] void Fail() const;  // about the exception in flight

  std::string path_;
  std::shared_ptr<Notes> notes_;
};

}  // namespace mica
