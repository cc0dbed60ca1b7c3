// A value of a column as JSON: numbers and booleans as such, bytes in hexadecimal, ARRAY and MULTISET and MAP as in SQL's
// output, rows as objects, everything else as text.
#pragma once

#include <cstdint>
#include <string>

#include <arrow/type_fwd.h>

#include "types/data_type.h"

namespace mica::cli {

// Throws Unsupported for types that have no JSON form here (VARIANT, BLOB), naming the column.
void CheckJsonType(const DataType& type, const std::string& column);

void AppendJsonValue(const arrow::Array& array, int64_t row, const DataType& type, std::string* out);

}  // namespace mica::cli
