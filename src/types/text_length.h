// Lengths of CHAR, VARCHAR, BINARY and VARBINARY: text is counted in code points, binary in bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "types/data_type.h"

namespace mica {

int64_t CountCodePoints(std::string_view text);
// The bytes of the first `count` code points.
size_t PrefixBytes(std::string_view text, int64_t count);

// Whether a cast to the type leaves the bytes as they are.
bool FitsLength(std::string_view bytes, const DataType& type);
// Cuts what is too long; fills CHAR with blanks and BINARY with zeros up to the length.
std::string FitLength(std::string_view bytes, const DataType& type);

}  // namespace mica
