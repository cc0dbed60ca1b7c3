// What a migration is about to move, written beside the schema folder of its target before the first file moves and
// removed after the last step: whoever comes after an interrupted run puts the files back, or finishes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/file_system.h"

namespace mica {

struct FileMove {
  std::string from;
  std::string to;
};

struct MigrationPlan {
  std::string source;           // "db.t"
  std::string source_location;  // as the metastore had it
  std::string commit_user;      // of the snapshot that registers the files
  bool created = false;         // the target is the run's own
  std::vector<FileMove> moves;

  // Nothing when there is none. Throws Corrupt naming the file.
  static std::optional<MigrationPlan> Find(FileSystem& fs, const std::string& root);
  void Save(FileSystem& fs, const std::string& root) const;
  static void Remove(FileSystem& fs, const std::string& root);
};

}  // namespace mica
