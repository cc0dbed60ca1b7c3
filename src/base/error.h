// The one exception type of Mica. A kind says what the caller can do about it; the message is a static sentence, then the
// values in quotes, then the way out. A layer on the way up that knows the file, table or argument adds it as context.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace mica {

enum class ErrorKind {
  kInvalidArgument,   // the caller gave something wrong
  kNotFound,          // a named thing does not exist
  kAlreadyExists,     // a thing to be made exists
  kUnsupported,       // Mica cannot do this; nothing was touched
  kPermissionDenied,  // the storage or a policy forbids it
  kConflict,          // another commit came first and the work must be planned again
  kOutcomeUnknown,    // a commit may or may not have happened: nothing may be deleted
  kIoError,           // the storage failed; trying again may help
  kCorrupt,           // bytes on disk are not what the format says
  kCancelled,         // the user interrupted
  kInternal,          // a bug
};

std::string_view ErrorKindName(ErrorKind kind);

class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) { Compose(); }

  ErrorKind kind() const { return kind_; }
  // Message followed by the context lines, innermost first.
  const char* what() const noexcept override { return text_.c_str(); }
  const std::string& message() const { return message_; }

  // Adds where it happened, e.g. "file 'manifest-1'"; rethrow with `throw;`.
  Error& Add(std::string_view context);

 private:
  void Compose();

  ErrorKind kind_;
  std::string message_;
  std::string context_;
  std::string text_;
};

template <typename... Args>
[[nodiscard]] Error MakeError(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  return Error(kind, fmt::format(format, std::forward<Args>(args)...));
}

// One throwing function a kind, so that call sites read like the sentence: Throw InvalidArgument("...", x).
#define MICA_ERROR_KIND(Name)                                                     \
  template <typename... Args>                                                     \
  [[nodiscard]] Error Name(fmt::format_string<Args...> format, Args&&... args) {  \
    return Error(ErrorKind::k##Name, fmt::format(format, std::forward<Args>(args)...)); \
  }
MICA_ERROR_KIND(InvalidArgument)
MICA_ERROR_KIND(NotFound)
MICA_ERROR_KIND(AlreadyExists)
MICA_ERROR_KIND(Unsupported)
MICA_ERROR_KIND(PermissionDenied)
MICA_ERROR_KIND(Conflict)
MICA_ERROR_KIND(OutcomeUnknown)
MICA_ERROR_KIND(IoError)
MICA_ERROR_KIND(Corrupt)
MICA_ERROR_KIND(Cancelled)
MICA_ERROR_KIND(Internal)
#undef MICA_ERROR_KIND

// For programmer errors only, never for input.
#define MICA_CHECK(condition)                                                                    \
  do {                                                                                           \
    if (!(condition)) throw ::mica::Internal("{}:{}: {}", __FILE__, __LINE__, #condition);       \
  } while (false)

}  // namespace mica
