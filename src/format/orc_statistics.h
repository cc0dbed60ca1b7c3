// What an ORC file tells of the columns of each stripe, for skipping stripes: numbers, dates and texts. Bounds of other
// types are left out, and so is what a damaged file does not tell.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <arrow/io/type_fwd.h>

#include "format/orc_tail.h"
#include "predicate/predicate.h"

namespace mica {

class OrcStatistics {
 public:
  // Reads the statistics of all stripes. Throws Corrupt.
  static OrcStatistics Read(arrow::io::RandomAccessFile& file, const OrcTail& tail);
  // Of the node in the type tree; nothing when unknown.
  std::optional<ColumnRange> RangeOf(size_t stripe, size_t node) const;

 private:
  std::vector<std::vector<ColumnRange>> stripes_;
};

}  // namespace mica
