// Makes batches from rows of values: what small system tables hand out. Text lists are the one nested type they have.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "format/made_reader.h"
#include "types/data_type.h"
#include "types/value.h"

namespace mica {

class RowBatch {
 public:
  explicit RowBatch(std::vector<DataField> fields);
  RowBatch(RowBatch&&) noexcept;
  ~RowBatch();

  // One value a column, in order; an ARRAY<STRING> column gets NULL here, or its list through AddWithList.
  void Add(const std::vector<Value>& values);
  // The same, with the list of the last column.
  void AddWithList(const std::vector<Value>& values, const std::vector<std::string>& last);

  int64_t row_count() const { return row_count_; }
  std::shared_ptr<arrow::RecordBatch> Take();

 private:
  std::vector<DataField> fields_;
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> builders_;
  int64_t row_count_ = 0;
};

std::unique_ptr<BatchReader> OneBatch(RowBatch rows);

// Short forms for column lists.
DataField NotNull(std::string name, DataType type);
DataField Nullable(std::string name, DataType type);
Value OrNull(const std::optional<int64_t>& value);
Value OrNull(const std::optional<std::string>& value);
Value Timestamp3(int64_t wall_millis);

}  // namespace mica
