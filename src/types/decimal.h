// Decimals as 128-bit unscaled integers: text, change of scale, and the big-endian bytes of Format 5.
// What does not fit the precision has no value (std::nullopt), as the casts between decimals ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "types/value.h"

namespace mica {

inline constexpr int32_t kMaxDecimalPrecision = 38;

// 10^exponent, exponent in 0..38.
Int128 PowerOfTen(int32_t exponent);

// Plain text with exactly `scale` decimals.
std::string DecimalToString(Int128 unscaled, int32_t scale);

// Rounds half away from zero. Text is an optional sign, digits with an optional point, an optional exponent; anything
// else throws InvalidArgument.
std::optional<Int128> DecimalFromString(std::string_view text, int32_t precision, int32_t scale);
std::optional<Int128> DecimalFromInteger(Int128 value, int32_t precision, int32_t scale);
std::optional<Int128> RescaleDecimal(Int128 unscaled, int32_t from_scale, int32_t precision, int32_t scale);

// Towards zero; wraps to 64 bits.
int64_t DecimalToInteger(Int128 unscaled, int32_t scale);
double DecimalToDouble(Int128 unscaled, int32_t scale);

// Two's complement, big-endian, the fewest bytes that hold the value (1..16).
std::string DecimalToBigEndian(Int128 unscaled);
Int128 DecimalFromBigEndian(std::string_view bytes);

}  // namespace mica
