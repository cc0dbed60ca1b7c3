// Floating-point numbers and integers as text, in the spelling of Paimon's casts and partition paths (Format 1.1):
// shortest digits that read back equal, always with a decimal point, with an exponent below 1e-3 and from 1e7 on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mica {

std::string FloatToString(float value);
std::string DoubleToString(double value);

// Surrounding blanks, "NaN", "Infinity" and a suffix f or d are accepted.
std::optional<float> FloatFromString(std::string_view text);
std::optional<double> DoubleFromString(std::string_view text);

// A sign and digits; a fraction is read and cut off.
std::optional<int64_t> IntegerFromString(std::string_view text);

}  // namespace mica
