// For tests: metadata files that Java Paimon wrote, kept in tests/golden/meta, and all files of a folder of whole
// tables when the environment names one in MICA_FIXTURES.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace mica {

inline std::string ReadLocalFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline std::string GoldenPath(std::string_view name) {
  return std::string(MICA_SOURCE_DIR) + "/tests/golden/meta/" + std::string(name);
}

inline std::string Golden(std::string_view name) {
  return ReadLocalFile(GoldenPath(name));
}

// Golden files and fixtures whose name begins with `prefix` and which lie in a folder called `folder`.
inline std::vector<std::string> GoldenAndFixtures(std::string_view prefix, std::string_view folder) {
  std::vector<std::string> paths;
  auto starts = [&](const std::filesystem::path& path) { return path.filename().string().starts_with(prefix); };
  for (const auto& entry : std::filesystem::directory_iterator(GoldenPath(""))) {
    if (starts(entry.path())) paths.push_back(entry.path());
  }
  if (const char* fixtures = std::getenv("MICA_FIXTURES")) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(fixtures)) {
      if (entry.is_regular_file() && starts(entry.path()) && entry.path().parent_path().filename() == folder) {
        paths.push_back(entry.path());
      }
    }
  }
  return paths;
}

}  // namespace mica
