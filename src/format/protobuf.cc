#include "format/protobuf.h"

#include "base/error.h"

namespace mica::protobuf {

namespace {

[[noreturn]] void Malformed() {
  throw Corrupt("A message of the file is malformed");
}

std::string_view ReadBytes(std::string_view* in, uint64_t size) {
  if (size > in->size()) Malformed();
  std::string_view bytes = in->substr(0, size);
  in->remove_prefix(size);
  return bytes;
}

}  // namespace

uint64_t ReadVarint(std::string_view* in) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (in->empty()) Malformed();
    auto byte = static_cast<uint8_t>(in->front());
    in->remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return value;
  }
  Malformed();
}

void ForEachField(std::string_view message, const std::function<void(const Field&)>& on_field) {
  while (!message.empty()) {
    const char* begin = message.data();
    Field field;
    uint64_t key = ReadVarint(&message);
    field.number = static_cast<uint32_t>(key >> 3);
    field.wire = static_cast<uint32_t>(key & 7);
    switch (field.wire) {
      case 0:
        field.varint = ReadVarint(&message);
        break;
      case 1:
        field.bytes = ReadBytes(&message, 8);
        break;
      case 2:
        field.bytes = ReadBytes(&message, ReadVarint(&message));
        break;
      case 5:
        field.bytes = ReadBytes(&message, 4);
        break;
      default:
        Malformed();
    }
    field.whole = std::string_view(begin, static_cast<size_t>(message.data() - begin));
    on_field(field);
  }
}

void AppendVarint(std::string& out, uint64_t value) {
  for (; value > 0x7f; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

void AppendNumber(std::string& out, uint32_t number, uint64_t value) {
  AppendVarint(out, number << 3);
  AppendVarint(out, value);
}

void AppendMessage(std::string& out, uint32_t number, std::string_view bytes) {
  AppendVarint(out, (number << 3) | 2);
  AppendVarint(out, bytes.size());
  out.append(bytes);
}

}  // namespace mica::protobuf
