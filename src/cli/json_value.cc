#include "cli/json_value.h"

#include <arrow/api.h>

#include "base/error.h"
#include "base/escape.h"
#include "types/arrow_types.h"
#include "types/value.h"

namespace mica::cli {

namespace {

bool IsNested(TypeRoot root) {
  return root == TypeRoot::kArray || root == TypeRoot::kMultiset || root == TypeRoot::kMap || root == TypeRoot::kRow;
}

void AppendHex(std::string_view bytes, std::string* out) {
  constexpr char kDigits[] = "0123456789abcdef";
  *out += '"';
  for (unsigned char byte : bytes) {
    *out += kDigits[byte >> 4];
    *out += kDigits[byte & 15];
  }
  *out += '"';
}

void AppendPrimitive(const Value& value, const DataType& type, std::string* out) {
  if (type.root() == TypeRoot::kBinary || type.root() == TypeRoot::kVarbinary) {
    AppendHex(std::get<std::string>(value), out);
    return;
  }
  std::string text = ValueToString(value, type);
  bool bare = type.IsInteger() || type.root() == TypeRoot::kBoolean || type.root() == TypeRoot::kDecimal;
  // JSON has no NaN and no infinity.
  bool finite = (type.root() == TypeRoot::kFloat || type.root() == TypeRoot::kDouble) &&
                text.find_first_not_of("0123456789+-.eE") == std::string::npos;
  if (bare || finite) {
    *out += text;
  } else {
    AppendJsonText(*out, text);
  }
}

void AppendList(const arrow::Array& items, int64_t begin, int64_t end, const DataType& type, std::string* out) {
  *out += '[';
  for (int64_t i = begin; i < end; ++i) {
    if (i > begin) *out += ',';
    AppendJsonValue(items, i, type, out);
  }
  *out += ']';
}

// Keys of a JSON object are text.
void AppendMap(const arrow::MapArray& map, int64_t row, const DataType& key, const DataType& value, std::string* out) {
  *out += '{';
  for (int64_t i = map.value_offset(row); i < map.value_offset(row + 1); ++i) {
    if (i > map.value_offset(row)) *out += ',';
    std::string name;
    AppendJsonValue(*map.keys(), i, key, &name);
    if (name.starts_with('"')) {
      *out += name;
    } else {
      AppendJsonText(*out, name);
    }
    *out += ':';
    AppendJsonValue(*map.items(), i, value, out);
  }
  *out += '}';
}

}  // namespace

void CheckJsonType(const DataType& type, const std::string& column) {
  switch (type.root()) {
    case TypeRoot::kArray:
    case TypeRoot::kMultiset: return CheckJsonType(type.element(), column);
    case TypeRoot::kMap:
      CheckJsonType(type.key(), column);
      return CheckJsonType(type.value(), column);
    case TypeRoot::kRow:
      for (const DataField& field : type.fields()) CheckJsonType(field.type, column);
      return;
    default: break;
  }
  if (!type.IsPrimitive()) throw Unsupported("The column '{}' of type {} cannot be printed as JSON", column, type.ToString());
}

void AppendJsonValue(const arrow::Array& array, int64_t row, const DataType& type, std::string* out) {
  if (array.IsNull(row)) {
    *out += "null";
    return;
  }
  if (!IsNested(type.root())) return AppendPrimitive(ValueAt(array, row, type), type, out);
  if (type.root() == TypeRoot::kArray) {
    const auto& list = static_cast<const arrow::ListArray&>(array);
    return AppendList(*list.values(), list.value_offset(row), list.value_offset(row + 1), type.element(), out);
  }
  if (type.root() == TypeRoot::kMap) {
    return AppendMap(static_cast<const arrow::MapArray&>(array), row, type.key(), type.value(), out);
  }
  if (type.root() == TypeRoot::kMultiset) {
    return AppendMap(static_cast<const arrow::MapArray&>(array), row, type.element(), DataType::Int(), out);
  }
  const auto& group = static_cast<const arrow::StructArray&>(array);
  *out += '{';
  for (size_t i = 0; i < type.fields().size(); ++i) {
    if (i > 0) *out += ',';
    AppendJsonText(*out, type.fields()[i].name);
    *out += ':';
    AppendJsonValue(*group.field(static_cast<int>(i)), row, type.fields()[i].type, out);
  }
  *out += '}';
}

}  // namespace mica::cli
