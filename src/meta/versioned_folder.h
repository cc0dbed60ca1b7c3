// Folders of numbered metadata files (`snapshot-7`, `schema-0`): listing them, and reading one that another writer may
// be writing right now (Format 1.4: on stores without atomic creation a reader can see half a file).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "io/file_system.h"

namespace mica {

// The number in "<prefix><digits>"; nothing for any other name.
std::optional<int64_t> VersionOfName(std::string_view name, std::string_view prefix);
// Ascending; names that are not prefix and digits are ignored.
std::vector<int64_t> ListVersions(FileSystem& fs, const std::string& folder, std::string_view prefix);

inline constexpr int kReadTries = 10;
inline constexpr int64_t kReadWaitMillis = 200;

// T::FromJson of the file's text. Text that cannot be parsed is read again up to kReadTries times; then it is Corrupt.
template <typename T>
T ReadVersionedFile(FileSystem& fs, const std::string& path, const Sleeper& sleeper) {
  for (int attempt = 1;; ++attempt) {
    std::string text = fs.ReadFile(path);
    try {
      return T::FromJson(text, path);
    } catch (Error& error) {
      if (error.kind() != ErrorKind::kCorrupt) throw;
      // A whole object that does not parse will not get better.
      bool half_written =
          text.find_last_not_of(" \r\n\t") == std::string::npos || text[text.find_last_not_of(" \r\n\t")] != '}';
      if (!half_written) throw;
      if (attempt == kReadTries) {
        error.Add(fmt::format("the file was read {} times", attempt));
        throw;
      }
    }
    sleeper(kReadWaitMillis);
  }
}

}  // namespace mica
