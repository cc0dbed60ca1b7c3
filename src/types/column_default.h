// Defaults of columns as schemas store them (M-0330): the text of a value, in quotes or not; nested values as nested_text.h
// has them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <arrow/type_fwd.h>

#include "types/data_type.h"
#include "types/value.h"

namespace mica {

// The value as an array of one row. Throws InvalidArgument naming the text.
std::shared_ptr<arrow::Array> DefaultArray(std::string_view text, const DataType& type);
// The same for a type that is not nested.
Value DefaultValue(std::string_view text, const DataType& type);

// Throws InvalidArgument naming the column when the text is no value of the type.
void CheckDefault(std::string_view column, std::string_view text, const DataType& type);

}  // namespace mica
