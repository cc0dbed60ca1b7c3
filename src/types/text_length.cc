#include "types/text_length.h"

#include <algorithm>

namespace mica {

namespace {
// Every byte of UTF-8 but the continuation bytes begins a code point.
bool BeginsCodePoint(char c) {
  return (c & 0xc0) != 0x80;
}
}  // namespace

int64_t CountCodePoints(std::string_view text) {
  return std::count_if(text.begin(), text.end(), BeginsCodePoint);
}

size_t PrefixBytes(std::string_view text, int64_t count) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (BeginsCodePoint(text[i]) && count-- == 0) return i;
  }
  return text.size();
}

bool FitsLength(std::string_view bytes, const DataType& type) {
  const int64_t length = type.length();
  switch (type.root()) {
    case TypeRoot::kChar: return CountCodePoints(bytes) == length;
    case TypeRoot::kVarchar: return static_cast<int64_t>(bytes.size()) <= length || CountCodePoints(bytes) <= length;
    case TypeRoot::kBinary: return static_cast<int64_t>(bytes.size()) == length;
    default: return static_cast<int64_t>(bytes.size()) <= length;
  }
}

std::string FitLength(std::string_view bytes, const DataType& type) {
  if (FitsLength(bytes, type)) return std::string(bytes);
  const bool text = type.IsString();
  const int64_t have = text ? CountCodePoints(bytes) : static_cast<int64_t>(bytes.size());
  if (have > type.length()) {
    return std::string(bytes.substr(0, text ? PrefixBytes(bytes, type.length()) : static_cast<size_t>(type.length())));
  }
  return std::string(bytes) + std::string(static_cast<size_t>(type.length() - have), text ? ' ' : '\0');
}

}  // namespace mica
