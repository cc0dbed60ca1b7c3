// The rows that a deletion vector names, as the filter that DuckDB's readers ask.
#pragma once

#include <algorithm>
#include <memory>

#include "index/deletion_vector.h"

namespace mica::sql {

class DeletedRows final : public duckdb::DeleteFilter {
 public:
  explicit DeletedRows(std::shared_ptr<const DeletionVector> vector) : vector_(std::move(vector)) {}

  // `kept` is filled only when some row of the range is deleted.
  duckdb::idx_t Filter(duckdb::row_t start, duckdb::idx_t count, duckdb::SelectionVector& kept) override {
    const auto& deleted = vector_->positions();
    auto next = std::lower_bound(deleted.begin(), deleted.end(), start);
    if (next == deleted.end() || *next >= start + static_cast<int64_t>(count)) return count;
    kept.Initialize(count);
    duckdb::idx_t rows = 0;
    for (duckdb::idx_t i = 0; i < count; ++i) {
      if (next != deleted.end() && *next == start + static_cast<int64_t>(i)) {
        ++next;
      } else {
        kept.set_index(rows++, i);
      }
    }
    return rows;
  }

 private:
  std::shared_ptr<const DeletionVector> vector_;
};

}  // namespace mica::sql
