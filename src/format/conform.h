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

// The smaller type that a DECIMAL of up to 18 digits may take on the way from a file to who only passes it on
// (decimal32 up to 9 digits, decimal64); nullptr for other types.
std::shared_ptr<arrow::DataType> NarrowDecimalType(const DataType& type);
// A DECIMAL column in NarrowDecimalType; other columns and narrow ones as they are.
std::shared_ptr<arrow::Array> NarrowDecimals(const std::shared_ptr<arrow::Array>& array, const DataType& type);

// How many units of a timestamp type make a second.
int64_t UnitsPerSecond(const arrow::DataType& type);

}  // namespace mica
