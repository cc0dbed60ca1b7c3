// Record batches into DuckDB's vectors and back, through the Arrow C data interface: fixed-width values and strings are
// pointed at, not copied. Arrays have offset 0 at every level on the way in, since DuckDB reads nested ones wrongly otherwise.
#pragma once

#include <memory>
#include <vector>

#include "types/data_type.h"

namespace arrow {
class Array;
class RecordBatch;
class Schema;
}  // namespace arrow

namespace mica::sql {

// Hands out the rows of one batch after another, a vector's worth at a time. Decimals may come in NarrowDecimalType.
class BatchToVectors {
 public:
  BatchToVectors(duckdb::ClientContext& context, std::vector<DataField> fields);
  ~BatchToVectors();

  void Load(const std::shared_ptr<arrow::RecordBatch>& batch);
  // Rows of the loaded batch that were not handed out yet.
  int64_t remaining() const;
  // Fills the first columns of the chunk, one a field, and sets its size (at most a vector's).
  void Next(duckdb::DataChunk& chunk);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Collects chunks and gives batches in the form of types/arrow_types.h.
class VectorsToBatch {
 public:
  static constexpr int64_t kBatchRows = 65536;

  // `most_bytes`: about what a batch may hold.
  VectorsToBatch(duckdb::ClientContext& context, std::vector<DataField> fields, int64_t most_bytes);
  ~VectorsToBatch();

  void Append(duckdb::DataChunk& chunk);
  int64_t row_count() const;
  bool full() const;
  // What was collected; nullptr for nothing.
  std::shared_ptr<arrow::RecordBatch> Take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mica::sql
