// A split: the files of one bucket that one reader reads. With a commit message, one of the two values that leave a
// process (Engine 8.3).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meta/manifest.h"

namespace mica {

struct Split {
  int64_t snapshot_id = 0;
  std::string partition;  // serialized BinaryRow
  int32_t bucket = 0;
  int32_t total_buckets = -1;
  std::vector<DataFileMeta> files;
  // True: every row of every file is a row of the table, no merge, all predicates may be pushed down.
  bool raw_convertible = true;

  int64_t row_count() const;
  int64_t bytes() const;
};

}  // namespace mica
