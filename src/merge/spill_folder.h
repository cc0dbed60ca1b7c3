// A local folder for sorted runs that did not fit into memory; removed with what is in it.
#pragma once

#include <string>

namespace mica {

class SpillFolder {
 public:
  // `parent` empty: the system's temporary folder.
  explicit SpillFolder(std::string parent) : parent_(std::move(parent)) {}
  ~SpillFolder();
  SpillFolder(const SpillFolder&) = delete;
  SpillFolder& operator=(const SpillFolder&) = delete;

  // Made at the first call. Throws IoError.
  const std::string& path();

 private:
  std::string parent_;
  std::string path_;
};

}  // namespace mica
