// Numbers as Spark writes them, with the letter of their type: 12L, 2S, 1.5D, 3BD.
#pragma once

#include <string>
#include <string_view>

namespace mica::dialect {

// The number for the engine: CAST(12 AS BIGINT) for 12L; without a letter, as it stands.
std::string EngineNumber(std::string_view literal);

}  // namespace mica::dialect
