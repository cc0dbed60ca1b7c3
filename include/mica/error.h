// The one exception of the public API. Its kind says what the caller can do; what() is a sentence that names the file,
// table, column or option, and the way out.
#pragma once

#include <stdexcept>
#include <string>

namespace mica::api {

enum class ErrorKind {
  kInvalidArgument,   // the caller gave something wrong
  kNotFound,          // a named thing does not exist
  kAlreadyExists,     // a thing to be made exists
  kUnsupported,       // Mica cannot do this; nothing was touched
  kPermissionDenied,  // the storage forbids it
  kConflict,          // another commit came first and the work must be planned again
  kOutcomeUnknown,    // a commit may or may not have happened: delete nothing, look at the table
  kIoError,           // the storage failed; trying again may help
  kCorrupt,           // bytes on disk are not what the format says
  kCancelled,         // interrupted
  kInternal,          // a bug
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace mica::api
