// What DuckDB's grammar would have taken in the place where it does not understand a statement: found by asking it
// again with each of the words that are common there.
#pragma once

#include <string>

namespace mica::sql {

// Such as "',', FROM or the end"; empty where nothing is known, or the statement is understood.
std::string Expectation(const std::string& sql);

}  // namespace mica::sql
