#include "base/arrow.h"

#include <cerrno>

#include <arrow/util/io_util.h>

namespace mica {

namespace {
ErrorKind KindOf(const arrow::Status& status) {
  switch (arrow::internal::ErrnoFromStatus(status)) {
    case ENOENT: case ENOTDIR: return ErrorKind::kNotFound;
    case EACCES: case EPERM: case EROFS: return ErrorKind::kPermissionDenied;
    case EEXIST: return ErrorKind::kAlreadyExists;
    default: break;
  }
  if (status.IsIOError()) return ErrorKind::kIoError;
  if (status.IsCancelled()) return ErrorKind::kCancelled;
  if (status.IsNotImplemented()) return ErrorKind::kUnsupported;
  if (status.IsSerializationError()) return ErrorKind::kCorrupt;
  if (status.IsInvalid() || status.IsTypeError() || status.IsKeyError() || status.IsIndexError()) {
    return ErrorKind::kInvalidArgument;
  }
  if (status.IsAlreadyExists()) return ErrorKind::kAlreadyExists;
  return ErrorKind::kInternal;
}
}  // namespace

Error FromArrow(const arrow::Status& status) { return Error(KindOf(status), status.message()); }

}  // namespace mica
