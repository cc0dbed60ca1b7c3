// Views of one database of a filesystem catalog: a JSON file each, in a folder beside the tables that has no schema and is
// therefore no table to Paimon for Java.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/view.h"
#include "io/file_system.h"

namespace mica {

class FileViews {
 public:
  FileViews(FileSystemPtr fs, std::string database_path);

  std::vector<std::string> Names() const;  // ascending
  std::optional<View> Find(const std::string& name) const;
  // False when there is one of this name already and `replace` is not set.
  bool Save(const std::string& name, const View& view, bool replace) const;
  bool Remove(const std::string& name) const;

 private:
  std::string PathOf(const std::string& name) const;

  FileSystemPtr fs_;
  std::string folder_;
};

}  // namespace mica
