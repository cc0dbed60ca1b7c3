#include "hive/thrift_value.h"

#include <algorithm>

#include "base/error.h"

namespace mica {

namespace {

constexpr int kDepthAtMost = 64;
// Text is taken in steps, so that a wrong length is found out before that much memory is there.
constexpr size_t kReadStep = 1 << 20;

ThriftValue Number(ThriftType type, int64_t number) {
  ThriftValue value;
  value.type = type;
  value.number = number;
  return value;
}

void AppendNumber(int64_t number, int bytes, std::string* out) {
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) out->push_back(static_cast<char>(number >> shift));
}

int64_t ReadNumber(ByteSource& source, int bytes) {
  unsigned char raw[8];
  source.Read(reinterpret_cast<char*>(raw), static_cast<size_t>(bytes));
  uint64_t number = (raw[0] & 0x80) ? ~uint64_t{0} : 0;
  for (int i = 0; i < bytes; ++i) number = number << 8 | raw[i];
  return static_cast<int64_t>(number);
}

int WidthOf(ThriftType type) {
  switch (type) {
    case ThriftType::kBool:
    case ThriftType::kByte:
      return 1;
    case ThriftType::kI16:
      return 2;
    case ThriftType::kI32:
      return 4;
    case ThriftType::kI64:
    case ThriftType::kDouble:
      return 8;
    default:
      return 0;
  }
}

ThriftType ReadType(ByteSource& source) {
  return static_cast<ThriftType>(ReadNumber(source, 1));
}

int32_t ReadCount(ByteSource& source) {
  const int32_t count = ReadThriftInt(source);
  if (count < 0) throw Corrupt("A Thrift message has a negative length ({})", count);
  return count;
}

ThriftValue ReadAt(ByteSource& source, ThriftType type, int depth) {
  if (depth > kDepthAtMost) throw Corrupt("A Thrift message is nested deeper than {} levels", kDepthAtMost);
  ThriftValue value;
  value.type = type;
  if (const int width = WidthOf(type); width > 0) {
    value.number = ReadNumber(source, width);
    return value;
  }
  switch (type) {
    case ThriftType::kText:
      value.text = ReadThriftText(source);
      break;
    case ThriftType::kStruct:
      for (ThriftType field = ReadType(source); field != ThriftType::kStop; field = ReadType(source)) {
        const auto id = static_cast<int16_t>(ReadNumber(source, 2));
        value.fields[id] = ReadAt(source, field, depth + 1);
      }
      break;
    case ThriftType::kMap: {
      value.key_type = ReadType(source);
      value.element_type = ReadType(source);
      for (int64_t left = ReadCount(source); left > 0; --left) {
        value.items.push_back(ReadAt(source, value.key_type, depth + 1));
        value.items.push_back(ReadAt(source, value.element_type, depth + 1));
      }
      break;
    }
    case ThriftType::kSet:
    case ThriftType::kList:
      value.element_type = ReadType(source);
      for (int64_t left = ReadCount(source); left > 0; --left)
        value.items.push_back(ReadAt(source, value.element_type, depth + 1));
      break;
    default:
      throw Corrupt("A Thrift message has a value of the unknown type {}", static_cast<int>(type));
  }
  return value;
}

}  // namespace

ThriftValue ThriftValue::Text(std::string text) {
  ThriftValue value;
  value.type = ThriftType::kText;
  value.text = std::move(text);
  return value;
}

ThriftValue ThriftValue::Bool(bool value) {
  return Number(ThriftType::kBool, value ? 1 : 0);
}
ThriftValue ThriftValue::I16(int16_t value) {
  return Number(ThriftType::kI16, value);
}
ThriftValue ThriftValue::I32(int32_t value) {
  return Number(ThriftType::kI32, value);
}
ThriftValue ThriftValue::I64(int64_t value) {
  return Number(ThriftType::kI64, value);
}

ThriftValue ThriftValue::Texts(const std::vector<std::string>& texts) {
  ThriftValue value;
  value.type = ThriftType::kList;
  for (const std::string& text : texts) value.items.push_back(Text(text));
  return value;
}

ThriftValue ThriftValue::TextMap(const std::map<std::string, std::string>& texts) {
  ThriftValue value;
  value.type = ThriftType::kMap;
  for (const auto& [key, text] : texts) {
    value.items.push_back(Text(key));
    value.items.push_back(Text(text));
  }
  return value;
}

ThriftValue ThriftValue::Structs(std::vector<ThriftValue> structs) {
  ThriftValue value;
  value.type = ThriftType::kList;
  value.element_type = ThriftType::kStruct;
  value.items = std::move(structs);
  return value;
}

ThriftValue ThriftValue::Struct(std::vector<std::pair<int16_t, ThriftValue>> fields) {
  ThriftValue value;
  for (auto& [id, field] : fields) value.fields[id] = std::move(field);
  return value;
}

const ThriftValue* ThriftValue::Find(int16_t id, ThriftType wanted) const {
  auto found = fields.find(id);
  return found == fields.end() || found->second.type != wanted ? nullptr : &found->second;
}

std::string ThriftValue::TextAt(int16_t id) const {
  const ThriftValue* found = Find(id, ThriftType::kText);
  return found ? found->text : std::string();
}

int64_t ThriftValue::NumberAt(int16_t id) const {
  auto found = fields.find(id);
  return found == fields.end() ? 0 : found->second.number;
}

std::vector<std::string> ThriftValue::TextsAt(int16_t id) const {
  std::vector<std::string> texts;
  if (const ThriftValue* found = Find(id, ThriftType::kList)) {
    for (const ThriftValue& item : found->items) texts.push_back(item.text);
  }
  return texts;
}

std::map<std::string, std::string> ThriftValue::TextMapAt(int16_t id) const {
  std::map<std::string, std::string> texts;
  if (const ThriftValue* found = Find(id, ThriftType::kMap)) {
    for (size_t i = 0; i + 1 < found->items.size(); i += 2) texts[found->items[i].text] = found->items[i + 1].text;
  }
  return texts;
}

void AppendThriftInt(int32_t number, std::string* out) {
  AppendNumber(number, 4, out);
}

void AppendThriftText(std::string_view text, std::string* out) {
  AppendThriftInt(static_cast<int32_t>(text.size()), out);
  out->append(text);
}

void AppendThrift(const ThriftValue& value, std::string* out) {
  auto append_type = [&](ThriftType type) { out->push_back(static_cast<char>(type)); };
  if (const int width = WidthOf(value.type); width > 0) return AppendNumber(value.number, width, out);
  switch (value.type) {
    case ThriftType::kText:
      return AppendThriftText(value.text, out);
    case ThriftType::kStruct:
      for (const auto& [id, field] : value.fields) {
        append_type(field.type);
        AppendNumber(id, 2, out);
        AppendThrift(field, out);
      }
      return append_type(ThriftType::kStop);
    case ThriftType::kMap:
      append_type(value.key_type);
      append_type(value.element_type);
      AppendThriftInt(static_cast<int32_t>(value.items.size() / 2), out);
      break;
    default:
      append_type(value.element_type);
      AppendThriftInt(static_cast<int32_t>(value.items.size()), out);
      break;
  }
  for (const ThriftValue& item : value.items) AppendThrift(item, out);
}

ThriftValue ReadThrift(ByteSource& source, ThriftType type) {
  return ReadAt(source, type, 0);
}

int32_t ReadThriftInt(ByteSource& source) {
  return static_cast<int32_t>(ReadNumber(source, 4));
}

std::string ReadThriftText(ByteSource& source) {
  size_t left = static_cast<size_t>(ReadCount(source));
  std::string text;
  while (left > 0) {
    const size_t step = std::min(left, kReadStep);
    const size_t before = text.size();
    text.resize(before + step);
    source.Read(text.data() + before, step);
    left -= step;
  }
  return text;
}

}  // namespace mica
