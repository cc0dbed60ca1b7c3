#include "merge/pending_rows.h"

#include <arrow/array.h>
#include <arrow/array/builder_base.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>

#include "base/arrow.h"
#include "merge/gather.h"

namespace mica {
namespace {

// Batches below this are appended row by row to growing columns, others kept until they are joined.
constexpr int64_t kFewRows = 1024;
// A batch is copied when its buffers hold more than this many times its rows' bytes, and more than this many bytes
// more.
constexpr int64_t kPinnedFactor = 2;
constexpr int64_t kPinnedBytes = 64 << 10;
// What an array or a builder takes beside its values.
constexpr int64_t kColumnBytes = 512;

}  // namespace

bool PinsMore(const arrow::RecordBatch& batch) {
  return arrow::util::TotalBufferSize(batch) > RowBytes(batch) * kPinnedFactor + kPinnedBytes;
}

std::shared_ptr<arrow::Array> CopyOfRows(const arrow::Array& column, int64_t start, int64_t rows) {
  const arrow::Array* source = &column;
  const Segment segment{0, static_cast<uint32_t>(start), static_cast<uint32_t>(rows)};
  return GatherColumn({&source, 1}, {&segment, 1}, rows, column.type());
}

PendingRows::PendingRows(std::shared_ptr<arrow::Schema> schema) : schema_(std::move(schema)) {}
PendingRows::~PendingRows() = default;
PendingRows::PendingRows(PendingRows&&) noexcept = default;
PendingRows& PendingRows::operator=(PendingRows&&) noexcept = default;

void PendingRows::Add(const arrow::RecordBatch& batch, const arrow::Array* kinds) {
  const int64_t rows = batch.num_rows();
  if (rows == 0) return;
  if (kinds != nullptr || !kinds_.empty()) {
    kinds_.resize(static_cast<size_t>(row_count_));
    if (kinds == nullptr) {
      kinds_.resize(static_cast<size_t>(row_count_ + rows));
    } else {
      const int8_t* values = static_cast<const arrow::Int8Array&>(*kinds).raw_values();
      kinds_.insert(kinds_.end(), values, values + rows);
    }
  }
  if (rows < kFewRows) {
    AppendToBuilders(batch);
  } else {
    FinishBuilders();
    const bool copy = PinsMore(batch);
    arrow::ArrayVector columns;
    for (const auto& column : batch.columns()) columns.push_back(copy ? CopyOfRows(*column, 0, rows) : column);
    pieces_.push_back({std::move(columns), rows});
  }
  row_count_ += rows;
  data_bytes_ += RowBytes(batch);
}

int64_t PendingRows::memory_bytes() const {
  // Builders grow by doubling.
  const int64_t parts = static_cast<int64_t>(pieces_.size()) + (builders_.empty() ? 0 : 1);
  return data_bytes_ * 2 + parts * schema_->num_fields() * kColumnBytes + static_cast<int64_t>(kinds_.capacity());
}

std::shared_ptr<arrow::RecordBatch> PendingRows::Take(std::vector<int8_t>* kinds) {
  FinishBuilders();
  if (pieces_.empty()) return nullptr;
  arrow::ArrayVector columns;
  if (pieces_.size() == 1) {
    columns = std::move(pieces_[0].columns);
    for (auto& column : columns) {
      if (column->offset() != 0) column = CopyOfRows(*column, 0, row_count_);
    }
  } else {
    std::vector<Segment> segments;
    for (size_t i = 0; i < pieces_.size(); ++i) {
      segments.push_back({static_cast<uint32_t>(i), 0, static_cast<uint32_t>(pieces_[i].row_count)});
    }
    std::vector<const arrow::Array*> sources(pieces_.size());
    for (int c = 0; c < schema_->num_fields(); ++c) {
      for (size_t i = 0; i < pieces_.size(); ++i) sources[i] = pieces_[i].columns[static_cast<size_t>(c)].get();
      columns.push_back(GatherColumn(sources, segments, row_count_, schema_->field(c)->type()));
      // Nothing is held twice for longer than a column.
      for (Piece& piece : pieces_) piece.columns[static_cast<size_t>(c)].reset();
    }
  }
  if (kinds != nullptr) *kinds = std::move(kinds_);
  kinds_.clear();
  pieces_.clear();
  auto batch = arrow::RecordBatch::Make(schema_, row_count_, std::move(columns));
  row_count_ = data_bytes_ = 0;
  return batch;
}

void PendingRows::AppendToBuilders(const arrow::RecordBatch& batch) {
  if (builders_.empty()) {
    for (const auto& field : schema_->fields()) builders_.push_back(mica::Take(arrow::MakeBuilder(field->type())));
  }
  for (size_t c = 0; c < builders_.size(); ++c) {
    const arrow::ArraySpan span(*batch.column_data(static_cast<int>(c)));
    Check(builders_[c]->AppendArraySlice(span, 0, batch.num_rows()));
  }
  built_rows_ += batch.num_rows();
}

void PendingRows::FinishBuilders() {
  if (builders_.empty()) return;
  arrow::ArrayVector columns;
  for (const auto& builder : builders_) columns.push_back(mica::Take(builder->Finish()));
  pieces_.push_back({std::move(columns), built_rows_});
  builders_.clear();
  built_rows_ = 0;
}

}  // namespace mica
