// How system tables print rows of metadata: `{2024-01-01, 1}` for partitions, `[1]` for keys, `{a=1, b=x}` for statistics.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "types/binary_row.h"
#include "types/data_type.h"

namespace mica {

// Serialized rows; NULL prints as nothing in partitions and keys.
std::string RowText(std::string_view serialized, const std::vector<DataField>& fields, char open, char close);

}  // namespace mica
