#include "merge/spill_folder.h"

#include <filesystem>

#include "base/error.h"
#include "base/uuid.h"
#include "io/file_system.h"

namespace mica {

SpillFolder::~SpillFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

const std::string& SpillFolder::path() {
  if (path_.empty()) {
    std::string parent = parent_.empty() ? std::filesystem::temp_directory_path().string() : parent_;
    path_ = JoinPath(parent, "mica-spill-" + RandomUuid());
    std::error_code error;
    std::filesystem::create_directories(path_, error);
    if (error) throw IoError("Cannot make the spill folder '{}': {}", path_, error.message());
  }
  return path_;
}

}  // namespace mica
