// Protocol Buffers messages as they lie in files: walks over the fields of a message and appends fields to one. Bytes
// from outside are never trusted: what does not fit is Corrupt.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace mica::protobuf {

struct Field {
  uint32_t number = 0;
  uint32_t wire = 0;
  uint64_t varint = 0;     // of wire type 0
  std::string_view bytes;  // of wire type 2; the eight or four bytes of wire types 1 and 5
  std::string_view whole;  // with its key
};

// Takes a number off the front.
uint64_t ReadVarint(std::string_view* in);
void ForEachField(std::string_view message, const std::function<void(const Field&)>& on_field);

void AppendVarint(std::string& out, uint64_t value);
void AppendNumber(std::string& out, uint32_t number, uint64_t value);
void AppendMessage(std::string& out, uint32_t number, std::string_view bytes);

inline int64_t Unzigzag(uint64_t raw) {
  return static_cast<int64_t>(raw >> 1) ^ -static_cast<int64_t>(raw & 1);
}

}  // namespace mica::protobuf
