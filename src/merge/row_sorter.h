// Sorts whole rows by some of their columns (NULL first) and, among equals, by arrival. No row is merged away. Spills to
// local files when told. Not thread safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "merge/sort_buffer.h"
#include "types/data_type.h"

namespace mica {

class RowSorter {
 public:
  // `columns` are positions in `fields`; throws Unsupported for a type that has no order.
  RowSorter(const std::vector<DataField>& fields, const std::vector<int>& columns, int64_t next_sequence);

  // Columns as the fields say. `kinds` is an int8 array of the same length; nullptr: all +I.
  void Add(const arrow::RecordBatch& batch, const arrow::Array* kinds = nullptr);
  int64_t memory_bytes() const { return sorted_->memory_bytes(); }
  void SpillTo(const std::string& folder) { sorted_->SpillTo(folder); }

  // Batches of _SEQUENCE_NUMBER (by arrival, from `next_sequence` on), _VALUE_KIND and the fields. Empty afterwards.
  void Flush(const SortBuffer::Consumer& consumer);

 private:
  std::vector<int> columns_;
  int field_count_;
  int64_t arrived_ = 0;
  std::shared_ptr<arrow::Schema> schema_;  // fields, then what they are sorted by
  std::unique_ptr<SortBuffer> sorted_;
};

}  // namespace mica
