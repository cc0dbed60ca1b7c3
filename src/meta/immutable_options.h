// Options that are fixed once a table has data (Engine 11): neither ALTER TABLE nor a statement's own options change them.
#pragma once

#include <string_view>

namespace mica {

bool IsImmutableOption(std::string_view key);

}  // namespace mica
