// Brings arrays that a file library made into the one Arrow form of a type (types/arrow_types.h): units, zones, widths,
// names of nested fields, padding of CHAR, and offset 0 at every level.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <arrow/type_fwd.h>

#include "types/data_type.h"

namespace mica {

// Throws Corrupt naming `column` when the array cannot hold values of the type.
std::shared_ptr<arrow::Array> ConformArray(const std::shared_ptr<arrow::Array>& array, const DataType& type,
                                           const std::string& column);

// How many units of a timestamp type make a second.
int64_t UnitsPerSecond(const arrow::DataType& type);

}  // namespace mica
