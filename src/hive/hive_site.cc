#include "hive/hive_site.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace mica {

namespace {

constexpr std::string_view kFile = "hive-site.xml";

// Text between tags, with what stands for markup resolved.
std::string Unescape(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kNames = {
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
  std::string result;
  while (!text.empty()) {
    bool found = false;
    for (const auto& [name, character] : kNames) {
      if (!text.starts_with(name)) continue;
      result += character;
      text.remove_prefix(name.size());
      found = true;
      break;
    }
    if (found) continue;
    result += text.front();
    text.remove_prefix(1);
  }
  return result;
}

std::string WithoutComments(std::string_view xml, const std::string& path) {
  std::string result;
  while (true) {
    const size_t begin = xml.find("<!--");
    result += xml.substr(0, begin);
    if (begin == std::string_view::npos) return result;
    const size_t end = xml.find("-->", begin + 4);
    if (end == std::string_view::npos) throw InvalidArgument("A comment in '{}' does not end", path);
    xml.remove_prefix(end + 3);
  }
}

// What stands in the first element of that name, and the rest after it; nothing when there is none.
std::optional<std::string_view> TakeElement(std::string_view* text, const std::string& name, const std::string& path) {
  const std::string open = "<" + name + ">", close = "</" + name + ">";
  const size_t begin = text->find(open);
  if (begin == std::string_view::npos) return std::nullopt;
  const size_t end = text->find(close, begin);
  if (end == std::string_view::npos) throw InvalidArgument("An element <{}> in '{}' does not end", name, path);
  const std::string_view content = text->substr(begin + open.size(), end - begin - open.size());
  text->remove_prefix(end + close.size());
  return content;
}

}  // namespace

std::map<std::string, std::string> ParseHiveSite(std::string_view xml, const std::string& path) {
  const std::string plain = WithoutComments(xml, path);
  std::string_view rest = plain;
  const auto all = TakeElement(&rest, "configuration", path);
  if (!all) throw InvalidArgument("'{}' has no element <configuration>", path);
  std::map<std::string, std::string> properties;
  rest = *all;
  while (const auto property = TakeElement(&rest, "property", path)) {
    std::string_view of_name = *property, of_value = *property;
    const auto name = TakeElement(&of_name, "name", path);
    const auto value = TakeElement(&of_value, "value", path);
    if (!name) throw InvalidArgument("A property in '{}' has no name", path);
    if (value) properties[Unescape(Trim(*name))] = Unescape(Trim(*value));
  }
  return properties;
}

std::map<std::string, std::string> WithHiveSite(const std::map<std::string, std::string>& options) {
  const auto given = options.find("hive-conf-dir");
  const char* variable = std::getenv("HIVE_CONF_DIR");
  const std::string folder = given != options.end() ? given->second : variable != nullptr ? variable : "";
  if (folder.empty()) return options;
  const std::filesystem::path path = std::filesystem::path(folder) / kFile;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    if (given == options.end()) return options;
    throw NotFound("There is no '{}' in the folder of the option 'hive-conf-dir', '{}'", kFile, folder);
  }
  const std::string xml{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::map<std::string, std::string> result = options;
  // What the option has wins over the file's; `uri` stands for hive.metastore.uris.
  for (auto& [name, value] : ParseHiveSite(xml, path.string())) {
    if (name.starts_with("hive.metastore.")) result.emplace(name, value);
  }
  return result;
}

}  // namespace mica
