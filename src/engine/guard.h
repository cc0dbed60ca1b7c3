// Mica's errors as exceptions of DuckDB. Callbacks that DuckDB calls go through Guard, so that an Error reaches the
// user with its kind and text: anything else that leaves a callback during execution could end the database.
#pragma once

#include <optional>

#include "base/error.h"

namespace duckdb {
class ErrorData;
}

namespace mica::sql {

[[noreturn]] void ThrowToDuck(const Error& error);

// What ThrowToDuck was given; nothing for an error of DuckDB's own.
std::optional<Error> OwnError(const duckdb::ErrorData& error);

template <typename Function>
auto Guard(Function&& function) -> decltype(function()) {
  try {
    return function();
  } catch (const Error& error) {
    ThrowToDuck(error);
  }
}

}  // namespace mica::sql
