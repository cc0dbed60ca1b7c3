#include "sql/errors.h"

namespace mica::sql {

namespace {

constexpr const char* kKindKey = "mica_kind";

duckdb::ExceptionType TypeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kNotFound:
    case ErrorKind::kAlreadyExists: return duckdb::ExceptionType::CATALOG;
    case ErrorKind::kUnsupported: return duckdb::ExceptionType::NOT_IMPLEMENTED;
    case ErrorKind::kPermissionDenied: return duckdb::ExceptionType::PERMISSION;
    case ErrorKind::kIoError:
    case ErrorKind::kCorrupt:
    case ErrorKind::kOutcomeUnknown: return duckdb::ExceptionType::IO;
    case ErrorKind::kConflict: return duckdb::ExceptionType::TRANSACTION;
    case ErrorKind::kCancelled: return duckdb::ExceptionType::INTERRUPT;
    default: return duckdb::ExceptionType::INVALID_INPUT;
  }
}

ErrorKind KindOf(duckdb::ExceptionType type) {
  switch (type) {
    case duckdb::ExceptionType::INTERRUPT: return ErrorKind::kCancelled;
    case duckdb::ExceptionType::IO:
    case duckdb::ExceptionType::HTTP:
    case duckdb::ExceptionType::NETWORK: return ErrorKind::kIoError;
    case duckdb::ExceptionType::NOT_IMPLEMENTED:
    case duckdb::ExceptionType::MISSING_EXTENSION: return ErrorKind::kUnsupported;
    case duckdb::ExceptionType::PERMISSION: return ErrorKind::kPermissionDenied;
    case duckdb::ExceptionType::INTERNAL:
    case duckdb::ExceptionType::FATAL: return ErrorKind::kInternal;
    case duckdb::ExceptionType::CATALOG: return ErrorKind::kNotFound;
    default: return ErrorKind::kInvalidArgument;
  }
}

}  // namespace

void ThrowToDuck(const Error& error) {
  duckdb::unordered_map<duckdb::string, duckdb::string> extra;
  extra[kKindKey] = std::to_string(static_cast<int>(error.kind()));
  throw duckdb::Exception(extra, TypeOf(error.kind()), error.what());
}

Error FromDuck(const duckdb::ErrorData& error) {
  auto kind = error.ExtraInfo().find(kKindKey);
  if (kind != error.ExtraInfo().end()) return Error(static_cast<ErrorKind>(std::stoi(kind->second)), error.RawMessage());
  if (error.Type() == duckdb::ExceptionType::INTERRUPT) return Cancelled("Interrupted");
  return Error(KindOf(error.Type()), error.Message());
}

}  // namespace mica::sql
