// DuckDB's errors in the user's words, and back over the border (engine/guard.h).
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "engine/guard.h"

namespace mica::sql {

// What DuckDB says, with the nearest names of Mica. `sql`: the statement that DuckDB was given, if it can be one that it
// does not understand; then the error says what could have stood in the place of the word that it points at.
Error FromDuck(const duckdb::ErrorData& error, const std::string& sql = {});

// The error of a statement, showing the place in what the user wrote, not in what DuckDB was given instead.
Error InWordsOf(std::string_view source, const Error& error);

}  // namespace mica::sql
