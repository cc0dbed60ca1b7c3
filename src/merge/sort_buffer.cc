#include "merge/sort_buffer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>
#include <arrow/util/compression.h>

#include "base/arrow.h"
#include "base/error.h"
#include "base/uuid.h"
#include "format/batch_reader.h"
#include "merge/gather.h"
#include "merge/group_steps.h"
#include "merge/key_layout.h"
#include "merge/merge_reader.h"
#include "merge/pending_rows.h"
#include "merge/row_order.h"
#include "merge/sort_chunks.h"

namespace mica {
namespace {

// Batches below this are copied together.
constexpr int64_t kSmallBatchRows = 16384;
// Files of one size class are merged when there are so many, which bounds how many are open at once.
constexpr size_t kFanIn = 16;
constexpr int64_t kSpillBatchBytes = 512 << 10;
// A sorted run in a local file that is deleted with this object.
class SpilledRun {
 public:
  SpilledRun(std::string path, size_t size_class) : path_(std::move(path)), size_class_(size_class) {}
  SpilledRun(SpilledRun&& other) noexcept : path_(std::exchange(other.path_, {})), size_class_(other.size_class_) {}
  SpilledRun& operator=(SpilledRun&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(size_class_, other.size_class_);
    return *this;
  }
  ~SpilledRun() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
  }

  size_t size_class() const { return size_class_; }

  void Write(BatchReader& rows, const std::shared_ptr<arrow::Schema>& schema) const {
    const auto file = Take(arrow::io::FileOutputStream::Open(path_));
    arrow::ipc::IpcWriteOptions options = arrow::ipc::IpcWriteOptions::Defaults();
    options.codec = Take(arrow::util::Codec::Create(arrow::Compression::LZ4_FRAME));
    options.use_threads = false;
    const auto writer = Take(arrow::ipc::MakeStreamWriter(file, schema, options));
    while (const auto batch = rows.Next()) Check(writer->WriteRecordBatch(*batch));
    Check(writer->Close());
    Check(file->Close());
  }

  std::unique_ptr<BatchReader> Read() const {
    class Reader final : public BatchReader {
     public:
      explicit Reader(const std::string& path) {
        arrow::ipc::IpcReadOptions options = arrow::ipc::IpcReadOptions::Defaults();
        options.use_threads = false;
        reader_ = Take(arrow::ipc::RecordBatchStreamReader::Open(Take(arrow::io::ReadableFile::Open(path)), options));
      }
      std::shared_ptr<arrow::RecordBatch> Next() override {
        std::shared_ptr<arrow::RecordBatch> batch;
        do {
          Check(reader_->ReadNext(&batch));
        } while (batch != nullptr && batch->num_rows() == 0);
        return batch;
      }

     private:
      std::shared_ptr<arrow::RecordBatchReader> reader_;
    };
    return std::make_unique<Reader>(path_);
  }

 private:
  std::string path_;
  size_t size_class_ = 0;
};

}  // namespace

class SortBuffer::Body {
 public:
  explicit Body(SortBufferSpec spec)
      : spec_(std::move(spec)),
        pending_(spec_.schema),
        key_(KeyLayout::ForKey(spec_.key_types)),
        user_sequence_(KeyLayout::ForSequence(spec_.user_sequence_types, spec_.user_sequence_ascending)) {
    MICA_CHECK(spec_.key_columns.size() == spec_.key_types.size() && !spec_.key_columns.empty());
    MICA_CHECK(spec_.user_sequence_columns.size() == spec_.user_sequence_types.size());
    next_sequence_ = spec_.next_sequence;
    if (spec_.rules != nullptr) order_layouts_ = OrderLayouts(*spec_.rules);
    const auto sequence = arrow::field(std::string(kSequenceNumber), arrow::int64(), false);
    const auto kind = arrow::field(std::string(kValueKind), arrow::int8(), false);
    arrow::FieldVector sorted = spec_.schema->fields();
    sorted.push_back(sequence);
    sorted.push_back(kind);
    sorted_schema_ = arrow::schema(std::move(sorted));
    arrow::FieldVector fields;
    if (!spec_.thin) {
      for (const int column : spec_.key_columns) {
        const auto& field = spec_.schema->field(column);
        fields.push_back(field->WithName(std::string(kKeyPrefix) + field->name())->WithNullable(false));
      }
    }
    fields.push_back(sequence);
    fields.push_back(kind);
    for (const auto& field : spec_.schema->fields()) fields.push_back(field);
    file_schema_ = arrow::schema(std::move(fields));
  }

  void Add(const arrow::RecordBatch& batch, const arrow::Array* kinds) {
    const int64_t rows = batch.num_rows();
    if (rows == 0) return;
    MICA_CHECK(batch.num_columns() == spec_.schema->num_fields());
    for (int i = 0; i < batch.num_columns(); ++i)
      MICA_CHECK(batch.column(i)->type()->Equals(spec_.schema->field(i)->type()));
    MICA_CHECK(kinds == nullptr || (kinds->type_id() == arrow::Type::INT8 && kinds->length() == rows));
    row_count_ += rows;
    if (rows >= kSmallBatchRows) {
      JoinPending();
      AddBig(batch, kinds);
      return;
    }
    pending_.Add(batch, kinds);
    if (pending_.row_count() >= kSmallBatchRows) JoinPending();
  }

  int64_t row_count() const { return row_count_; }
  int64_t next_sequence() const { return next_sequence_ + pending_.row_count(); }
  int64_t memory_bytes() const { return chunk_bytes_ + pending_.memory_bytes() + pending_.row_count() * 64; }
  const std::shared_ptr<arrow::Schema>& file_schema() const { return file_schema_; }

  // A merge holds a batch of every spilled run.
  int64_t spill_batch_bytes() const { return std::min(kSpillBatchBytes, spec_.batch_bytes / 8); }

  void SpillTo(const std::string& folder) {
    JoinPending();
    if (chunks_.empty()) return;
    int64_t rows = 0, bytes = 0;
    for (const Chunk& chunk : chunks_) {
      rows += chunk.row_count;
      bytes += chunk.bytes;
    }
    const int64_t batch_rows = std::clamp<int64_t>(spill_batch_bytes() * rows / std::max<int64_t>(1, bytes), 64, 65536);
    {
      const auto sorted = Sorted(batch_rows);
      Spill(folder, 0, *sorted);
    }
    ClearMemory();
    for (size_t size_class = 0; CountOf(size_class) >= kFanIn; ++size_class)
      MergeSizeClass(folder, size_class, batch_rows);
  }

  void Flush(const Consumer& consumer) {
    JoinPending();
    {
      std::unique_ptr<BatchReader> rows = Sorted(spec_.batch_rows);
      if (!spilled_.empty()) {
        std::vector<std::unique_ptr<BatchReader>> runs;
        for (const SpilledRun& run : spilled_) runs.push_back(run.Read());
        runs.push_back(std::move(rows));
        rows = Merged(std::move(runs), spec_.batch_rows);
      }
      while (const auto batch = rows->Next()) consumer(InFileLayout(*batch));
    }
    ClearMemory();
    spilled_.clear();
    row_count_ = 0;
  }

 private:
  static std::vector<int8_t> Copied(const arrow::Array& kinds, int64_t start, int64_t rows) {
    const int8_t* values = static_cast<const arrow::Int8Array&>(kinds).raw_values() + start;
    return std::vector<int8_t>(values, values + rows);
  }

  void AddBig(const arrow::RecordBatch& batch, const arrow::Array* kinds) {
    const bool copy = PinsMore(batch);
    for (int64_t start = 0; start < batch.num_rows(); start += kMaxSortChunkRows) {
      const int64_t rows = std::min(kMaxSortChunkRows, batch.num_rows() - start);
      Chunk chunk{.row_count = rows};
      for (const auto& column : batch.columns()) {
        chunk.columns.push_back(copy ? CopyOfRows(*column, start, rows) : column->Slice(start, rows));
      }
      if (kinds != nullptr) chunk.kinds = Copied(*kinds, start, rows);
      AddChunk(std::move(chunk));
    }
  }

  void JoinPending() {
    Chunk chunk;
    const auto batch = pending_.Take(&chunk.kinds);
    if (batch == nullptr) return;
    chunk.row_count = batch->num_rows();
    chunk.columns = batch->columns();
    AddChunk(std::move(chunk));
  }

  void AddChunk(Chunk chunk) {
    const auto batch = arrow::RecordBatch::Make(spec_.schema, chunk.row_count, chunk.columns);
    key_.Encode(*batch, spec_.key_columns, &chunk.keys);
    if (!user_sequence_.empty()) user_sequence_.Encode(*batch, spec_.user_sequence_columns, &chunk.user_sequence);
    for (size_t g = 0; g < order_layouts_.size(); ++g) {
      chunk.group_orders.emplace_back();
      order_layouts_[g].Encode(*batch, spec_.rules->groups[g].columns, &chunk.group_orders[g]);
      chunk_bytes_ += chunk.group_orders[g].memory_bytes();
    }
    chunk.first_sequence = next_sequence_;
    next_sequence_ += chunk.row_count;
    chunk.bytes = RowBytes(*batch);
    chunk_bytes_ += chunk.bytes + chunk.keys.memory_bytes() + chunk.user_sequence.memory_bytes() +
                    static_cast<int64_t>(chunk.kinds.capacity()) + chunk.row_count * kSortBytesPerRow;
    chunks_.push_back(std::move(chunk));
  }

  std::unique_ptr<BatchReader> Sorted(int64_t batch_rows) const {
    std::vector<SortChunk> chunks;
    for (const Chunk& chunk : chunks_)
      chunks.push_back({chunk.row_count, chunk.keys.rows(), chunk.user_sequence.rows()});
    const KeyLayout* user_sequence = user_sequence_.empty() ? nullptr : &user_sequence_;
    const BatchSize size{batch_rows, spec_.batch_bytes};
    if (spec_.rules != nullptr) {
      return MergeChunks(chunks_, sorted_schema_, SortGroups(key_, user_sequence, chunks), spec_.rules, size);
    }
    return GatherChunks(chunks_, sorted_schema_, SortRows(key_, user_sequence, chunks), size);
  }

  std::unique_ptr<BatchReader> Merged(std::vector<std::unique_ptr<BatchReader>> runs, int64_t batch_rows) const {
    const int columns = spec_.schema->num_fields();
    MergeSpec merge{.key_columns = spec_.key_columns,
                    .key_types = spec_.key_types,
                    .sequence_column = columns,
                    .kind_column = columns + 1,
                    .user_sequence_columns = spec_.user_sequence_columns,
                    .user_sequence_types = spec_.user_sequence_types,
                    .user_sequence_ascending = spec_.user_sequence_ascending,
                    .rules = spec_.rules,
                    .drop_deletes = false,
                    .batch_rows = batch_rows,
                    .batch_bytes = spec_.batch_bytes};
    for (int i = 0; i < columns + 2; ++i) merge.output_columns.push_back(i);
    return MergeRuns(std::move(runs), std::move(merge));
  }

  void Spill(const std::string& folder, size_t size_class, BatchReader& rows) {
    SpilledRun run(folder + "/mica-spill-" + RandomUuid() + ".arrow", size_class);
    run.Write(rows, sorted_schema_);
    spilled_.push_back(std::move(run));
  }

  size_t CountOf(size_t size_class) const {
    return static_cast<size_t>(std::count_if(spilled_.begin(), spilled_.end(),
                                             [&](const SpilledRun& run) { return run.size_class() == size_class; }));
  }

  void MergeSizeClass(const std::string& folder, size_t size_class, int64_t batch_rows) {
    const auto others = std::stable_partition(spilled_.begin(), spilled_.end(),
                                              [&](const SpilledRun& run) { return run.size_class() != size_class; });
    std::vector<SpilledRun> merged(std::make_move_iterator(others), std::make_move_iterator(spilled_.end()));
    spilled_.erase(others, spilled_.end());
    std::vector<std::unique_ptr<BatchReader>> runs;
    for (const SpilledRun& run : merged) runs.push_back(run.Read());
    const auto rows = Merged(std::move(runs), batch_rows);
    Spill(folder, size_class + 1, *rows);
  }

  std::shared_ptr<arrow::RecordBatch> InFileLayout(const arrow::RecordBatch& sorted) const {
    const int columns = spec_.schema->num_fields();
    arrow::ArrayVector out;
    if (!spec_.thin) {
      for (const int column : spec_.key_columns) out.push_back(sorted.column(column));
    }
    out.push_back(sorted.column(columns));
    out.push_back(sorted.column(columns + 1));
    for (int i = 0; i < columns; ++i) out.push_back(sorted.column(i));
    return arrow::RecordBatch::Make(file_schema_, sorted.num_rows(), std::move(out));
  }

  void ClearMemory() {
    chunks_.clear();
    chunk_bytes_ = 0;
  }

  SortBufferSpec spec_;
  PendingRows pending_;
  KeyLayout key_;
  KeyLayout user_sequence_;
  std::vector<KeyLayout> order_layouts_;  // of the sequence groups
  std::shared_ptr<arrow::Schema> sorted_schema_;
  std::shared_ptr<arrow::Schema> file_schema_;
  std::vector<Chunk> chunks_;
  int64_t chunk_bytes_ = 0;
  std::vector<SpilledRun> spilled_;
  int64_t row_count_ = 0;
  int64_t next_sequence_ = 0;  // of the next chunk
};

SortBuffer::SortBuffer(SortBufferSpec spec) : body_(std::make_unique<Body>(std::move(spec))) {}
SortBuffer::~SortBuffer() = default;
void SortBuffer::Add(const arrow::RecordBatch& batch, const arrow::Array* kinds) {
  body_->Add(batch, kinds);
}
int64_t SortBuffer::row_count() const {
  return body_->row_count();
}
int64_t SortBuffer::memory_bytes() const {
  return body_->memory_bytes();
}
int64_t SortBuffer::next_sequence() const {
  return body_->next_sequence();
}
void SortBuffer::SpillTo(const std::string& folder) {
  body_->SpillTo(folder);
}
void SortBuffer::Flush(const Consumer& consumer) {
  body_->Flush(consumer);
}
const std::shared_ptr<arrow::Schema>& SortBuffer::file_schema() const {
  return body_->file_schema();
}

}  // namespace mica
