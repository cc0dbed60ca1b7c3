#include "api/border.h"

namespace mica::api {

namespace {

ErrorKind KindOf(mica::ErrorKind kind) {
  switch (kind) {
    case mica::ErrorKind::kInvalidArgument: return ErrorKind::kInvalidArgument;
    case mica::ErrorKind::kNotFound: return ErrorKind::kNotFound;
    case mica::ErrorKind::kAlreadyExists: return ErrorKind::kAlreadyExists;
    case mica::ErrorKind::kUnsupported: return ErrorKind::kUnsupported;
    case mica::ErrorKind::kPermissionDenied: return ErrorKind::kPermissionDenied;
    case mica::ErrorKind::kConflict: return ErrorKind::kConflict;
    case mica::ErrorKind::kOutcomeUnknown: return ErrorKind::kOutcomeUnknown;
    case mica::ErrorKind::kIoError: return ErrorKind::kIoError;
    case mica::ErrorKind::kCorrupt: return ErrorKind::kCorrupt;
    case mica::ErrorKind::kCancelled: return ErrorKind::kCancelled;
    case mica::ErrorKind::kInternal: return ErrorKind::kInternal;
  }
  return ErrorKind::kInternal;
}

}  // namespace

void Rethrow() {
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const mica::Error& error) {
    throw Error(KindOf(error.kind()), error.what());
  } catch (const std::exception& error) {
    throw Error(ErrorKind::kInternal, error.what());
  }
}

}  // namespace mica::api
