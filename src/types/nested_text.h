// Text of ARRAY, MAP and ROW values as casts write and read it: [1, 2], {k -> v}, {a, b}; also ARRAY(1, 2), MAP(k, v)
// and STRUCT(a, b), which column defaults use.
#pragma once

#include <string>
#include <string_view>

#include <arrow/type_fwd.h>

#include "types/data_type.h"

namespace mica {

// Appends the text of a value of any type; NULL is "null".
void AppendText(const arrow::Array& array, int64_t row, const DataType& type, std::string* text);

// Appends the value that the text stands for. Throws InvalidArgument naming the text.
void AppendFromText(std::string_view text, const DataType& type, arrow::ArrayBuilder* builder);

}  // namespace mica
