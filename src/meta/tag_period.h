// The periods of automatic tags and the names they give (Engine 10.3, `tag.creation-period`, `tag.period-formatter`).
#pragma once

#include <string_view>

#include "meta/table_options.h"

namespace mica {

// Whether the table makes tags by itself and would give one this name.
bool IsAutomaticTagName(const TableOptions& options, std::string_view name);

}  // namespace mica
