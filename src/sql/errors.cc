#include "sql/errors.h"

#include "dialect/function_list.h"

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

// DuckDB looks for functions under this name, whatever they turn out to be.
constexpr const char* kFunctionType = "Scalar Function";

std::optional<Error> UnknownFunction(const duckdb::ErrorData& error) {
  const auto& extra = error.ExtraInfo();
  auto type = extra.find("type"), name = extra.find("name");
  if (type == extra.end() || name == extra.end() || type->second != kFunctionType) return std::nullopt;
  using dialect::Dialect;
  for (auto [known, word] : {std::pair(Dialect::kSpark, "spark"), std::pair(Dialect::kFlink, "flink")}) {
    if (dialect::FindFunction(name->second, known) != nullptr) {
      return NotFound("The function '{}' does not exist in this dialect. Use --dialect {}", name->second, word);
    }
  }
  auto nearest = dialect::NearestFunction(name->second, Dialect::kSpark);
  if (!nearest) nearest = dialect::NearestFunction(name->second, Dialect::kFlink);
  std::string advice = nearest ? fmt::format(". Did you mean '{}'?", *nearest)
                               : std::string(". docs/reference/functions.md lists those of Spark and Flink");
  return NotFound("The function '{}' does not exist{}", name->second, advice);
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
  if (auto unknown = UnknownFunction(error)) return *unknown;
  if (error.Type() == duckdb::ExceptionType::INTERRUPT) return Cancelled("Interrupted");
  return Error(KindOf(error.Type()), error.Message());
}

}  // namespace mica::sql
