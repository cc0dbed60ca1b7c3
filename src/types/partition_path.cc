#include "types/partition_path.h"

#include "base/error.h"
#include "base/text.h"
#include "types/timestamp.h"

namespace mica {

namespace {

// Unicode's separators apart from the non-breaking ones, and the white control characters.
bool IsBlank(uint32_t code_point) {
  if (code_point < 0x80) {
    return (code_point >= 0x09 && code_point <= 0x0d) || (code_point >= 0x1c && code_point <= 0x20);
  }
  return code_point == 0x1680 || (code_point >= 0x2000 && code_point <= 0x200a && code_point != 0x2007) ||
         code_point == 0x2028 || code_point == 0x2029 || code_point == 0x205f || code_point == 0x3000;
}

bool IsAllBlank(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto byte = static_cast<uint8_t>(text[i]);
    // All blanks lie below U+10000: one byte or three.
    if (byte < 0x80) {
      if (!IsBlank(byte)) return false;
      ++i;
    } else {
      if ((byte & 0xf0) != 0xe0 || i + 2 >= text.size()) return false;
      const uint32_t code_point = (byte & 0x0fu) << 12 | (static_cast<uint8_t>(text[i + 1]) & 0x3fu) << 6 |
                                  (static_cast<uint8_t>(text[i + 2]) & 0x3fu);
      if (!IsBlank(code_point)) return false;
      i += 3;
    }
  }
  return true;
}

bool IsEscaped(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return byte < 0x20 || byte == 0x7f || std::string_view("\"#%'*/:=?\\{}[]^").find(c) != std::string_view::npos;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

void CheckUsable(const DataType& type) {
  if (!type.IsPrimitive() || type.IsBinary()) {
    throw Unsupported("A column of type '{}' cannot be a partition column: its values have no text", type.ToString());
  }
}

}  // namespace

std::string PartitionValueText(const Value& value, const DataType& type, const PartitionNaming& naming) {
  CheckUsable(type);
  if (IsNull(value)) return naming.default_name;
  std::string text;
  if (naming.legacy_name && (type.root() == TypeRoot::kDate || type.root() == TypeRoot::kTime)) {
    text = std::to_string(std::get<int64_t>(value));
  } else if (naming.legacy_name && type.IsTimestamp()) {
    // TIMESTAMP_LTZ as well shows the clock of UTC here.
    text = FormatTimestampIso(std::get<TimestampValue>(value));
  } else {
    text = ValueToString(value, type);
  }
  return IsAllBlank(text) ? naming.default_name : text;
}

std::string EscapePathName(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (char c : text) {
    if (IsEscaped(c)) {
      escaped += fmt::format("%{:02X}", static_cast<uint8_t>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string UnescapePathName(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 && HexDigit(text[i + 2]) >= 0) {
      plain += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::string PartitionPath(const BinaryRow& partition, std::span<const DataField> fields,
                          const PartitionNaming& naming) {
  if (static_cast<size_t>(partition.arity()) != fields.size()) {
    throw Corrupt("A partition has '{}' values, but the table has '{}' partition columns", partition.arity(),
                  fields.size());
  }
  std::string path;
  for (size_t i = 0; i < fields.size(); ++i) {
    CheckUsable(fields[i].type);
    const Value value = partition.Get(static_cast<int32_t>(i), fields[i].type);
    path +=
        EscapePathName(fields[i].name) + "=" + EscapePathName(PartitionValueText(value, fields[i].type, naming)) + "/";
  }
  return path;
}

Value ParsePartitionValue(std::string_view text, const DataType& type, const PartitionNaming& naming) {
  CheckUsable(type);
  if (text == naming.default_name) return {};
  if (type.root() == TypeRoot::kDate) {
    // Days before 1970 carry a sign.
    if (auto days = ParseInteger(text); days && *days >= INT32_MIN && *days <= INT32_MAX) return *days;
  }
  if (type.root() == TypeRoot::kTimestampLtz && naming.legacy_name) {
    if (auto timestamp = TimestampFromString(text, type.precision())) return *timestamp;
  }
  return ValueFromString(text, type);
}

}  // namespace mica
