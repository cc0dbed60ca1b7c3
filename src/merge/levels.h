// The files of one bucket as an LSM tree (Engine 2.3): at level 0 each file is a sorted run of its own, the newest first;
// above, a level is one run in key order. Immutable.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "meta/manifest.h"
#include "types/data_type.h"

namespace mica {

struct SortedRun {
  int32_t level = 0;
  std::vector<DataFileMeta> files;
  int64_t bytes() const;
};

class Levels {
 public:
  // `num_levels` counts level 0; files on a higher level raise it. Throws InvalidArgument below two levels.
  Levels(std::vector<DataFileMeta> files, int32_t num_levels);

  // Newest first: the files of level 0, then each level that is not empty.
  const std::vector<SortedRun>& runs() const { return runs_; }
  int32_t level_count() const { return level_count_; }
  int32_t max_level() const { return level_count_ - 1; }
  int32_t highest_non_empty() const { return runs_.empty() ? -1 : runs_.back().level; }
  bool has_level_0() const { return !runs_.empty() && runs_.front().level == 0; }
  // Files of levels from `level` on.
  std::vector<DataFileMeta> FilesFrom(int32_t level) const;

 private:
  int32_t level_count_;
  std::vector<SortedRun> runs_;
};

}  // namespace mica
