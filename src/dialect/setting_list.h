// The settings that scripts of Spark and Flink bring along (M-0113, M-0333): their defaults, what they mean here, and which
// values they take. Settings of tables (spark.paimon.*, paimon.*) and of the SQL engine are not listed.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mica::dialect {

struct KnownSetting {
  std::string_view name;
  std::string_view default_value;
  std::string_view meaning;
  std::string_view values;  // "a|b": anything else is refused; empty: any text
};

std::span<const KnownSetting> KnownSettings();
const KnownSetting* FindSetting(std::string_view name);

// Throws InvalidArgument for a value that the setting does not take.
void CheckSetting(std::string_view name, std::string_view value);
// " Did you mean ...": a key under a prefix of Spark or Flink that looks like a slip of the pen; otherwise nothing.
std::string SettingHint(std::string_view name);

}  // namespace mica::dialect
