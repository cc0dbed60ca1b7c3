// The options of tables that Paimon knows, for the reference page, for completion and to check values.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace mica {

// kText stands for all that only the option itself can judge.
enum class OptionKind { kText, kBool, kInteger, kLong, kNumber, kBytes, kDuration, kWord };

struct OptionInfo {
  std::string_view key;
  std::string_view fallback;  // "": none
  std::string_view meaning;
  bool used;  // false: kept in the schema for other engines, which may use it
  OptionKind kind = OptionKind::kText;
  std::string_view words = {};  // kWord: what it can be, separated by commas
};

// In the order in which Paimon declares them.
std::span<const OptionInfo> KnownOptions();

// ". Did you mean 'x'?" for a key that is no known option and close to one. Unknown options are kept in schemas, so this is
// for a warning.
std::string OptionHint(std::string_view key);
// That warning, for options that are set for a table or given for one statement.
void WarnOfSlips(const std::map<std::string, std::string>& options);

// The key that an option has today: 'write-only' for 'write.compaction-skip', and any other key for itself.
std::string_view CurrentKey(std::string_view key);

// Refuses a value that is not of the kind that a known option wants, under an old key of it too; unknown options hold
// anything. Throws InvalidArgument naming key, value and kind. Engine 11.
void CheckOptionValue(std::string_view key, std::string_view value);

// Whether the value of an option is not to be shown.
bool IsSecretOption(std::string_view key);

}  // namespace mica
