#include "base/error.h"

namespace mica {

std::string_view ErrorKindName(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalidArgument: return "InvalidArgument";
    case ErrorKind::kNotFound: return "NotFound";
    case ErrorKind::kAlreadyExists: return "AlreadyExists";
    case ErrorKind::kUnsupported: return "Unsupported";
    case ErrorKind::kPermissionDenied: return "PermissionDenied";
    case ErrorKind::kConflict: return "Conflict";
    case ErrorKind::kOutcomeUnknown: return "OutcomeUnknown";
    case ErrorKind::kIoError: return "IoError";
    case ErrorKind::kCorrupt: return "Corrupt";
    case ErrorKind::kCancelled: return "Cancelled";
    case ErrorKind::kInternal: return "Internal";
  }
  return "Internal";
}

Error& Error::Add(std::string_view context) {
  context_ += context_.empty() ? " (" : ", ";
  context_ += context;
  Compose();
  return *this;
}

void Error::Compose() { text_ = context_.empty() ? message_ : message_ + context_ + ")"; }

}  // namespace mica
