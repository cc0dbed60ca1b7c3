// The words that cannot be a table name or an alias in a query, unless quoted.
#pragma once

#include <string>
#include <string_view>

namespace mica::dialect {

bool IsReservedWord(std::string_view word);

// The words that the SQL engine does not take as the first part of a name; `default` is the one people have.
bool IsEngineKeyword(std::string_view word);

// The words among them that are plain names of columns in Spark, such as `at`, `end`, `desc` and `offset`.
bool IsReservedByEngineOnly(std::string_view word);

// ASCII upper case.
std::string ToUpper(std::string_view text);

}  // namespace mica::dialect
