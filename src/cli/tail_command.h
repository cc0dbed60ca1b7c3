// `mica tail`, one of the commands of command.h: follows a table and prints each change as a line of JSON with the kind of
// the row (M-0524).
#pragma once

#include <string>
#include <vector>

namespace mica::cli {

// The first word may be the table.
int RunTail(std::vector<std::string> words);

}  // namespace mica::cli
