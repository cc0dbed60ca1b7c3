// For tests: bytes as hexadecimal text and back.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace mica {

inline std::string ToHex(std::string_view bytes) {
  std::string hex;
  for (char byte : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return hex;
}

inline std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

}  // namespace mica
