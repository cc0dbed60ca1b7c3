#include "merge/levels.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.h"

namespace mica {

int64_t SortedRun::bytes() const {
  int64_t sum = 0;
  for (const DataFileMeta& file : files) sum += file.file_size;
  return sum;
}

Levels::Levels(std::vector<DataFileMeta> files, int32_t num_levels) : level_count_(num_levels) {
  std::map<int32_t, std::vector<DataFileMeta>> by_level;
  for (DataFileMeta& file : files) {
    level_count_ = std::max(level_count_, file.level + 1);
    by_level[file.level].push_back(std::move(file));
  }
  if (level_count_ < 2) {
    throw InvalidArgument("Number of levels must be at least 2. Raise 'num-levels' or 'num-sorted-run.compaction-trigger'");
  }
  for (auto& [level, of_level] : by_level) {
    if (level > 0) {
      runs_.push_back({level, std::move(of_level)});
      continue;
    }
    std::sort(of_level.begin(), of_level.end(), [](const DataFileMeta& a, const DataFileMeta& b) {
      if (a.max_sequence_number != b.max_sequence_number) return a.max_sequence_number > b.max_sequence_number;
      return std::tie(a.min_sequence_number, a.creation_time_millis, a.file_name) <
             std::tie(b.min_sequence_number, b.creation_time_millis, b.file_name);
    });
    for (DataFileMeta& file : of_level) runs_.push_back({0, {std::move(file)}});
  }
}

std::vector<DataFileMeta> Levels::FilesFrom(int32_t level) const {
  std::vector<DataFileMeta> files;
  for (const SortedRun& run : runs_) {
    if (run.level >= level) files.insert(files.end(), run.files.begin(), run.files.end());
  }
  return files;
}

}  // namespace mica
