// The options of tables that Paimon knows, for the reference page and for completion.
#pragma once

#include <span>
#include <string>
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

// ". Did you mean 'x'?" for a key that is no known option and close to one. Unknown options are kept in schemas, so this is
// for a warning.
std::string OptionHint(std::string_view key);

}  // namespace mica
