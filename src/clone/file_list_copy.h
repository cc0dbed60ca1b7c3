// Copies many files side by side, from one storage to another, leaving out those that an earlier run brought.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "io/file_system.h"

namespace mica {

// One file to be copied, under the name it gets.
struct FileToCopy {
  std::string from, to;
  std::optional<int64_t> size = {};  // nothing: nobody says
  // Where the content has to change: makes the file at `to`, whole or not at all, and returns its size. Then a file that
  // is there is right, whatever its size. `size` is that of `from`.
  std::function<int64_t()> make = {};
  FileSystem* source = nullptr;  // another than that of the list
};

// How far a copy is; `done` counts what needed no copying too.
struct CopyProgress {
  int64_t files = 0, files_done = 0;
  int64_t bytes = 0, bytes_done = 0;
};

struct FileListCopy {
  FileSystem& source;
  FileSystem& target;
  Executor& executor;
  bool nothing_there = false;  // the target's folders are new: they need not be listed
  std::function<void(const CopyProgress&)> on_progress = {};  // from any thread, once a file
  CopyProgress progress = {};                                 // where to go on counting

  // Returns the files and bytes that had to be copied. An error says how far it came; `table` names the target in it.
  std::pair<int64_t, int64_t> Run(std::vector<FileToCopy> files, const std::string& table);
};

}  // namespace mica
