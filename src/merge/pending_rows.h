// Collects small batches of one bucket until they make a big one: a batch that is divided among thousands of buckets
// leaves a few rows in each. Rows keep their order; what would hold on to a much bigger batch is copied. Not thread
// safe.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

namespace mica {

class PendingRows {
 public:
  explicit PendingRows(std::shared_ptr<arrow::Schema> schema);
  ~PendingRows();
  PendingRows(PendingRows&&) noexcept;
  PendingRows& operator=(PendingRows&&) noexcept;

  // `kinds`: an int8 array of as many rows, or nullptr for +I.
  void Add(const arrow::RecordBatch& batch, const arrow::Array* kinds = nullptr);

  int64_t row_count() const { return row_count_; }
  int64_t data_bytes() const { return data_bytes_; }
  // What is held, with Arrow's bookkeeping, which is most of it where rows are few.
  int64_t memory_bytes() const;

  // All rows as one batch with offset 0; nullptr for none. `kinds` gets theirs, or nothing when all are +I.
  std::shared_ptr<arrow::RecordBatch> Take(std::vector<int8_t>* kinds = nullptr);

 private:
  void AppendToBuilders(const arrow::RecordBatch& batch);
  void FinishBuilders();

  struct Piece {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    int64_t row_count = 0;
  };

  std::shared_ptr<arrow::Schema> schema_;
  std::vector<Piece> pieces_;
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> builders_;  // rows after the pieces
  int64_t built_rows_ = 0;
  std::vector<int8_t> kinds_;  // of all rows; empty: all are +I
  int64_t row_count_ = 0;
  int64_t data_bytes_ = 0;
};

// Whether a batch's buffers hold much more than its rows.
bool PinsMore(const arrow::RecordBatch& batch);
// Rows of a column in buffers of their own.
std::shared_ptr<arrow::Array> CopyOfRows(const arrow::Array& column, int64_t start, int64_t rows);

}  // namespace mica
