// ARRAY and MAP columns of several sources as lists of elements that stay where they are, and the columns made of such
// lists (Engine 3.5).
#pragma once

#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "merge/column_merge.h"
#include "merge/step_kernel.h"

namespace mica {

using Elements = std::vector<RowRef>;  // rows of the sources' child arrays

// One ARRAY or MAP column in all sources.
class Lists {
 public:
  explicit Lists(ColumnSources sources) {
    validities_.Reset(sources);
    for (const arrow::Array* array : sources) {
      lists_.push_back(static_cast<const arrow::ListArray*>(array));
      children_.push_back(array == nullptr ? nullptr : lists_.back()->values().get());
    }
  }
  bool Has(const RowRef& row) const { return validities_.Has(row); }
  int64_t SizeOf(const RowRef& row) const { return lists_[row.source]->value_length(row.row); }
  void Append(const RowRef& row, Elements* elements) const {
    const arrow::ListArray& list = *lists_[row.source];
    const auto start = static_cast<uint32_t>(list.value_offset(row.row));
    const auto size = static_cast<uint32_t>(list.value_length(row.row));
    for (uint32_t i = 0; i < size; ++i) elements->push_back({row.source, start + i});
  }
  const std::vector<const arrow::Array*>& children() const { return children_; }
  const arrow::Array& ChildOf(const RowRef& element) const { return *children_[element.source]; }
  bool IsNull(const RowRef& element) const { return ChildOf(element).IsNull(element.row); }

 private:
  Validities validities_;
  std::vector<const arrow::ListArray*> lists_;
  std::vector<const arrow::Array*> children_;
};

// The elements as an array; kNullSource gives NULL.
std::shared_ptr<arrow::Array> GatherElements(const std::vector<const arrow::Array*>& sources, const Elements& elements,
                                             const std::shared_ptr<arrow::DataType>& type);

// Where the lists of all groups end, and which are NULL.
class ListEnds {
 public:
  void Add(size_t end, bool null);
  // `child`: all elements, one list after the other.
  std::shared_ptr<arrow::Array> Finish(const std::shared_ptr<arrow::DataType>& type,
                                       const std::shared_ptr<arrow::Array>& child) const;

 private:
  std::vector<int32_t> offsets_ = {0};
  std::vector<bool> valid_;
};

// A bitmap with a bit for each item; nullptr when all are set.
std::shared_ptr<arrow::Buffer> ValidityBitmap(const std::vector<bool>& valid, int64_t* null_count);

}  // namespace mica
