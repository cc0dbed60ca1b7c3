// JSON of the small metadata files. Key order is kept, since it is part of the files; integers are exact.
// Includes the whole JSON library: for .cc files only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace mica {

using Json = nlohmann::ordered_json;

// Parses text; `what` names it in the Corrupt error.
Json ParseJson(std::string_view text, std::string_view what);

// Two-space indent and "key" : value, the way the metadata files are written.
std::string PrettyJson(const Json& json);

// The value of a key, or nothing when it is absent or null (both mean the same in every metadata file).
const Json* FindKey(const Json& object, std::string_view key);

// A required or optional value of type T; a wrong type or absence is Corrupt and names the key.
template <typename T>
T GetKey(const Json& object, std::string_view key);
template <typename T>
std::optional<T> GetOptional(const Json& object, std::string_view key);

extern template std::string GetKey(const Json&, std::string_view);
extern template int64_t GetKey(const Json&, std::string_view);
extern template int32_t GetKey(const Json&, std::string_view);
extern template std::optional<std::string> GetOptional(const Json&, std::string_view);
extern template std::optional<int64_t> GetOptional(const Json&, std::string_view);
extern template std::optional<int32_t> GetOptional(const Json&, std::string_view);

}  // namespace mica
