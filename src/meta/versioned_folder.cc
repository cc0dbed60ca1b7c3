#include "meta/versioned_folder.h"

#include <algorithm>

#include "base/text.h"

namespace mica {

std::optional<int64_t> VersionOfName(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  if (name.empty() || name.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return ParseInteger(name);
}

std::vector<int64_t> ListVersions(FileSystem& fs, const std::string& folder, std::string_view prefix) {
  std::vector<int64_t> versions;
  for (const FileStatus& status : fs.List(folder)) {
    if (status.is_directory) continue;
    if (auto version = VersionOfName(BaseName(status.path), prefix)) versions.push_back(*version);
  }
  std::sort(versions.begin(), versions.end());
  return versions;
}

}  // namespace mica
