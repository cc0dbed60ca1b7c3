// Whether the files of one table mean the same in another one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "table/table.h"

namespace mica {

// The same names and types in the same order, down to nested fields. Nullability, comments and defaults may differ; ids too
// unless `with_ids`.
bool SameColumns(const std::vector<DataField>& a, const std::vector<DataField>& b, bool with_ids = false);
bool SameValues(const DataType& a, const DataType& b, bool with_ids = false);

// What differs so that files of the source would read as other rows in the target, as the end of a sentence; nothing: no
// difference matters.
std::optional<std::string> DifferentLayout(const Table& source, const Table& target);

}  // namespace mica
