#include "engine/guard.h"

namespace mica::sql {

namespace {

constexpr const char* kKindKey = "mica_kind";

duckdb::ExceptionType TypeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kNotFound:
    case ErrorKind::kAlreadyExists:
      return duckdb::ExceptionType::CATALOG;
    case ErrorKind::kUnsupported:
      return duckdb::ExceptionType::NOT_IMPLEMENTED;
    case ErrorKind::kPermissionDenied:
      return duckdb::ExceptionType::PERMISSION;
    case ErrorKind::kIoError:
    case ErrorKind::kCorrupt:
    case ErrorKind::kOutcomeUnknown:
      return duckdb::ExceptionType::IO;
    case ErrorKind::kConflict:
      return duckdb::ExceptionType::TRANSACTION;
    case ErrorKind::kCancelled:
      return duckdb::ExceptionType::INTERRUPT;
    default:
      return duckdb::ExceptionType::INVALID_INPUT;
  }
}

}  // namespace

void ThrowToDuck(const Error& error) {
  duckdb::unordered_map<duckdb::string, duckdb::string> extra;
  extra[kKindKey] = std::to_string(static_cast<int>(error.kind()));
  throw duckdb::Exception(extra, TypeOf(error.kind()), error.what());
}

std::optional<Error> OwnError(const duckdb::ErrorData& error) {
  const auto kind = error.ExtraInfo().find(kKindKey);
  if (kind == error.ExtraInfo().end()) return std::nullopt;
  return Error(static_cast<ErrorKind>(std::stoi(kind->second)), error.RawMessage());
}

}  // namespace mica::sql
