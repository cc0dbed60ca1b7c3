// Random (version 4) identifiers for file names and commit users.
#pragma once

#include <string>

namespace mica {

// Lower-case, 36 characters.
std::string RandomUuid();

}  // namespace mica
