#include "base/json.h"

#include <limits>

namespace mica {

Json ParseJson(std::string_view text, std::string_view what) {
  Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw Corrupt("Cannot read '{}': it is not valid JSON", what);
  return json;
}

namespace {
// Only what JSON asks for is escaped, with upper-case hexadecimal digits.
void Quote(std::string_view text, std::string& out) {
  out += '"';
  for (char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

void Print(const Json& json, int depth, std::string& out) {
  auto indent = [&](int d) { out.append(static_cast<size_t>(d) * 2, ' '); };
  if (json.is_object()) {
    if (json.empty()) {
      out += "{ }";
      return;
    }
    out += "{\n";
    bool first = true;
    for (const auto& [key, value] : json.items()) {
      if (!first) out += ",\n";
      first = false;
      indent(depth + 1);
      Quote(key, out);
      out += " : ";
      Print(value, depth + 1, out);
    }
    out += "\n";
    indent(depth);
    out += "}";
  } else if (json.is_array()) {
    if (json.empty()) {
      out += "[ ]";
      return;
    }
    out += "[ ";
    bool first = true;
    for (const auto& value : json) {
      if (!first) out += ", ";
      first = false;
      Print(value, depth, out);
    }
    out += " ]";
  } else if (json.is_string()) {
    Quote(json.get_ref<const std::string&>(), out);
  } else {
    out += json.dump();
  }
}
}  // namespace

std::string PrettyJson(const Json& json) {
  std::string out;
  Print(json, 0, out);
  return out;
}

const Json* FindKey(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  auto it = object.find(key);
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

template <typename T>
std::optional<T> GetOptional(const Json& object, std::string_view key) {
  const Json* value = FindKey(object, key);
  if (!value) return std::nullopt;
  constexpr bool kText = std::is_same_v<T, std::string>;
  if (kText ? !value->is_string() : !value->is_number_integer()) {
    throw Corrupt("The value of key '{}' is {}, not {}", key, value->type_name(), kText ? "a string" : "an integer");
  }
  if constexpr (!kText) {
    bool fits = value->is_number_unsigned() ? value->get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<T>::max())
                                            : value->get<int64_t>() >= std::numeric_limits<T>::min() &&
                                                  value->get<int64_t>() <= std::numeric_limits<T>::max();
    if (!fits) throw Corrupt("The value of key '{}' is out of range", key);
  }
  return value->get<T>();
}

template <typename T>
T GetKey(const Json& object, std::string_view key) {
  auto value = GetOptional<T>(object, key);
  if (!value) throw Corrupt("The key '{}' is missing", key);
  return *std::move(value);
}

template std::string GetKey(const Json&, std::string_view);
template int64_t GetKey(const Json&, std::string_view);
template int32_t GetKey(const Json&, std::string_view);
template std::optional<std::string> GetOptional(const Json&, std::string_view);
template std::optional<int64_t> GetOptional(const Json&, std::string_view);
template std::optional<int32_t> GetOptional(const Json&, std::string_view);

}  // namespace mica
