// The border between Mica's Error and DuckDB's exceptions. Callbacks that DuckDB calls go through Guard, so that an
// Error reaches the user with its kind and text: anything else that leaves a callback during execution could end the
// database.
#pragma once

#include <utility>

#include "base/error.h"

namespace duckdb {
class ErrorData;
}

namespace mica::sql {

[[noreturn]] void ThrowToDuck(const Error& error);
Error FromDuck(const duckdb::ErrorData& error);

// The error of a statement, showing the place in what the user wrote, not in what DuckDB was given instead.
Error InWordsOf(std::string_view source, const Error& error);

template <typename Function>
auto Guard(Function&& function) -> decltype(function()) {
  try {
    return function();
  } catch (const Error& error) {
    ThrowToDuck(error);
  }
}

}  // namespace mica::sql
