// Collects minimum, maximum and null count of a column while its rows are written (Format 9), for the formats whose
// library does not hand them back. Binary and nested columns have a null count only; a NaN leaves the bounds unknown.
#pragma once

#include <arrow/type_fwd.h>

#include "format/data_file.h"
#include "types/data_type.h"

namespace mica {

class ColumnStatsCollector {
 public:
  explicit ColumnStatsCollector(DataType type);

  // An array of the Arrow form of the type.
  void Add(const arrow::Array& array);
  ColumnStats Finish() const;

 private:
  // The rows of the least and the greatest value are found on the array; only those become values.
  void Widen(const arrow::Array& array, int64_t least, int64_t greatest);

  DataType type_;
  int64_t null_count_ = 0;
  bool bounded_;
  Value min_;
  Value max_;
};

}  // namespace mica
