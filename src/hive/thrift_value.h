// Values of Thrift's binary protocol, kept as they came: a struct is its fields by number, those that nobody here knows
// included, so that what is read, changed and written back loses nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mica {

enum class ThriftType : uint8_t {
  kStop = 0,
  kBool = 2,
  kByte = 3,
  kDouble = 4,
  kI16 = 6,
  kI32 = 8,
  kI64 = 10,
  kText = 11,
  kStruct = 12,
  kMap = 13,
  kSet = 14,
  kList = 15,
};

struct ThriftValue {
  ThriftType type = ThriftType::kStruct;
  int64_t number = 0;  // of Booleans and integers; the bits of a double
  std::string text;
  ThriftType key_type = ThriftType::kText;      // kMap
  ThriftType element_type = ThriftType::kText;  // kMap, kSet, kList
  std::vector<ThriftValue> items;               // kSet, kList; kMap: key, value, key, value
  std::map<int16_t, ThriftValue> fields;        // kStruct

  static ThriftValue Text(std::string text);
  static ThriftValue Bool(bool value);
  static ThriftValue I16(int16_t value);
  static ThriftValue I32(int32_t value);
  static ThriftValue I64(int64_t value);
  static ThriftValue Texts(const std::vector<std::string>& texts);
  static ThriftValue TextMap(const std::map<std::string, std::string>& texts);
  static ThriftValue Structs(std::vector<ThriftValue> structs);
  static ThriftValue Struct(std::vector<std::pair<int16_t, ThriftValue>> fields);

  // ---- fields of a struct; a missing one, or one of another type, gives what an empty one would ----
  const ThriftValue* Find(int16_t id, ThriftType wanted) const;
  std::string TextAt(int16_t id) const;
  int64_t NumberAt(int16_t id) const;
  std::vector<std::string> TextsAt(int16_t id) const;
  std::map<std::string, std::string> TextMapAt(int16_t id) const;
};

// Where the bytes of a value come from. Throws when there are no more.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual void Read(char* bytes, size_t count) = 0;
};

void AppendThrift(const ThriftValue& value, std::string* out);
void AppendThriftInt(int32_t number, std::string* out);
void AppendThriftText(std::string_view text, std::string* out);
// Throw Corrupt for what is no value: an unknown type, a negative length, structs nested too deep.
ThriftValue ReadThrift(ByteSource& source, ThriftType type);
int32_t ReadThriftInt(ByteSource& source);
std::string ReadThriftText(ByteSource& source);

}  // namespace mica
