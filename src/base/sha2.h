// The checksums SHA-224, SHA-256, SHA-384 and SHA-512 (FIPS 180-4) of a text, in base 16.
#pragma once

#include <string>
#include <string_view>

namespace mica {

// `bits` is 224, 256, 384 or 512; an empty text for another number.
std::string Sha2(std::string_view bytes, int bits);

}  // namespace mica
