#include "table/split.h"

namespace mica {

int64_t Split::row_count() const {
  int64_t count = 0;
  for (const DataFileMeta& file : files) count += file.row_count;
  return count;
}

std::optional<int64_t> Split::deleted_row_count() const {
  int64_t count = 0;
  for (const auto& file : deletions) {
    if (!file) continue;
    if (!file->cardinality) return std::nullopt;
    count += *file->cardinality;
  }
  return count;
}

int64_t Split::bytes() const {
  int64_t bytes = 0;
  for (const DataFileMeta& file : files) bytes += file.file_size;
  return bytes;
}

}  // namespace mica
