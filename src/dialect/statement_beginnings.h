// The fixed words that a statement can begin with, for completion: from the syntax of statement_list.h,
// "SHOW {TABLES | VIEWS} [IN db]" gives SHOW TABLES, SHOW TABLES IN, SHOW VIEWS and SHOW VIEWS IN.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mica::dialect {

// All beginnings up to the first thing that is no fixed word, ascending and distinct.
std::vector<std::string> Beginnings(std::string_view syntax);

}  // namespace mica::dialect
