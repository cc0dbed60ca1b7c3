// The options of tables that Paimon knows, for the reference page and for completion.
#pragma once

#include <span>
#include <string_view>

namespace mica {

struct OptionInfo {
  std::string_view key;
  std::string_view fallback;  // "": none
  std::string_view meaning;
  bool used;  // false: kept in the schema for other engines, which may use it
};

// In the order in which Paimon declares them.
std::span<const OptionInfo> KnownOptions();

}  // namespace mica
