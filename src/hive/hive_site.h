// Reads hive-site.xml, where the programs around Hive have the place of the metastore and how to speak to it.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace mica {

// The properties by name. Throws InvalidArgument naming `path` for text that is no such file.
std::map<std::string, std::string> ParseHiveSite(std::string_view xml, const std::string& path);

// The options of a catalog over those of hive-site.xml in the folder that the option hive-conf-dir names, or the
// variable HIVE_CONF_DIR. Throws NotFound when the folder of the option has no such file.
std::map<std::string, std::string> WithHiveSite(const std::map<std::string, std::string>& options);

}  // namespace mica
