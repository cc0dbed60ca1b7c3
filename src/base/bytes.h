// Loads and stores of fixed-width integers in a named byte order, at any alignment.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace mica {

static_assert(std::endian::native == std::endian::little, "Mica is written for little-endian machines");

template <typename T>
T SwapBytes(T value) {
  using U = std::make_unsigned_t<T>;
  U u = static_cast<U>(value);
  if constexpr (sizeof(T) == 2) u = __builtin_bswap16(u);
  if constexpr (sizeof(T) == 4) u = __builtin_bswap32(u);
  if constexpr (sizeof(T) == 8) u = __builtin_bswap64(u);
  return static_cast<T>(u);
}

template <typename T>
T LoadLittle(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
void StoreLittle(void* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

template <typename T>
T LoadBig(const void* from) {
  return SwapBytes(LoadLittle<T>(from));
}

template <typename T>
void StoreBig(void* to, T value) {
  StoreLittle(to, SwapBytes(value));
}

template <typename T>
void AppendLittle(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <typename T>
void AppendBig(std::string& out, T value) {
  AppendLittle(out, SwapBytes(value));
}

}  // namespace mica
