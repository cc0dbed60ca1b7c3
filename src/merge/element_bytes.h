// The bytes of a value of any type, nested ones too, so that two values of a type are equal when their bytes are: NULLs
// are equal, all NaNs are equal, -0.0 and 0.0 are not (Engine 3.5).
#pragma once

#include <cstdint>
#include <string>

#include <arrow/type_fwd.h>

namespace mica {

// Appends the value of `array` at `row`.
void AppendElementBytes(const arrow::Array& array, int64_t row, std::string* out);

}  // namespace mica
