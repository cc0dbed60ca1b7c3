#include "merge/merge_reader.h"

#include <algorithm>
#include <numeric>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/error.h"
#include "merge/gather.h"
#include "merge/key_layout.h"
#include "merge/run_merge.h"

namespace mica {
namespace {

// An output batch is cut when its rows reach about this size.
constexpr int64_t kMaxBatchBytes = 64 << 20;

// The batches that pending segments refer to. A batch is in use while it is a run's current one or until the pending
// rows have been gathered.
class BatchStore {
 public:
  uint32_t Add(std::shared_ptr<arrow::RecordBatch> batch) {
    Slot slot{.row_bytes = RowBytes(*batch) / std::max<int64_t>(1, batch->num_rows()) + 1, .current = true};
    slot.batch = std::move(batch);
    if (free_.empty()) {
      slots_.push_back(std::move(slot));
      return static_cast<uint32_t>(slots_.size() - 1);
    }
    const uint32_t source = free_.back();
    free_.pop_back();
    slots_[source] = std::move(slot);
    return source;
  }
  void Retire(uint32_t source) { slots_[source].current = false; }
  // Call when no segment is pending: current batches keep their numbers.
  void ReleaseRetired() {
    for (uint32_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].current || slots_[i].batch == nullptr) continue;
      slots_[i].batch.reset();
      free_.push_back(i);
    }
  }
  size_t size() const { return slots_.size(); }
  // nullptr for a number that is not in use.
  const arrow::RecordBatch* batch(uint32_t source) const { return slots_[source].batch.get(); }
  int64_t row_bytes(uint32_t source) const { return slots_[source].row_bytes; }

 private:
  struct Slot {
    std::shared_ptr<arrow::RecordBatch> batch;
    int64_t row_bytes = 0;
    bool current = false;
  };
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
};

class ArrowRun final : public RunSource {
 public:
  ArrowRun(std::unique_ptr<BatchReader> reader, const MergeSpec* spec, const KeyLayout* key,
           const KeyLayout* user_sequence, BatchStore* store)
      : reader_(std::move(reader)), spec_(spec), key_(key), user_sequence_(user_sequence), store_(store) {}

  bool NextChunk(KeyChunk* chunk) override {
    if (source_) store_->Retire(*source_);
    source_.reset();
    std::shared_ptr<arrow::RecordBatch> batch = reader_->Next();
    if (batch == nullptr) return false;
    key_->Encode(*batch, spec_->key_columns, &keys_);
    chunk->row_count = batch->num_rows();
    chunk->keys = keys_.rows();
    if (!user_sequence_->empty()) {
      user_sequence_->Encode(*batch, spec_->user_sequence_columns, &user_sequences_);
      chunk->user_sequence = user_sequences_.rows();
    }
    if (spec_->sequence_column) {
      chunk->sequence_numbers = Values<arrow::Int64Array>(*batch, *spec_->sequence_column)->raw_values();
    }
    if (spec_->kind_column) chunk->kinds = Values<arrow::Int8Array>(*batch, *spec_->kind_column)->raw_values();
    source_ = chunk->source = store_->Add(std::move(batch));
    return true;
  }

 private:
  template <typename Array>
  static const Array* Values(const arrow::RecordBatch& batch, int column) {
    const arrow::Array& array = *batch.column(column);
    if (array.type_id() != Array::TypeClass::type_id || array.null_count() != 0) {
      throw Corrupt("Column '{}' of a primary-key file has type '{}' or NULLs", batch.column_name(column),
                    array.type()->ToString());
    }
    return static_cast<const Array*>(&array);
  }

  std::unique_ptr<BatchReader> reader_;
  const MergeSpec* spec_;
  const KeyLayout* key_;
  const KeyLayout* user_sequence_;
  BatchStore* store_;
  EncodedRows keys_;
  EncodedRows user_sequences_;
  std::optional<uint32_t> source_;
};

class MergeReader final : public BatchReader {
 public:
  MergeReader(std::vector<std::unique_ptr<BatchReader>> runs, MergeSpec spec)
      : spec_(std::move(spec)),
        key_(KeyLayout::ForKey(spec_.key_types)),
        user_sequence_(KeyLayout::ForSequence(spec_.user_sequence_types, spec_.user_sequence_ascending)) {
    MICA_CHECK(spec_.key_columns.size() == spec_.key_types.size());
    MICA_CHECK(spec_.user_sequence_columns.size() == spec_.user_sequence_types.size());
    std::vector<std::unique_ptr<RunSource>> sources;
    for (auto& run : runs) {
      sources.push_back(std::make_unique<ArrowRun>(std::move(run), &spec_, &key_, &user_sequence_, &store_));
    }
    merge_.emplace(std::move(sources),
                   RunMergeOptions{.key = &key_,
                                   .user_sequence = user_sequence_.empty() ? nullptr : &user_sequence_,
                                   .ranks = spec_.ranks,
                                   .drop_deletes = spec_.drop_deletes});
  }

  std::shared_ptr<arrow::RecordBatch> Next() override {
    int64_t rows = 0, bytes = 0;
    segments_.clear();
    store_.ReleaseRetired();
    bool more = true;
    while (more && rows < spec_.batch_rows && bytes < kMaxBatchBytes) {
      const size_t known = segments_.size();
      // The last segment may grow by what comes: count it again.
      if (known > 0) Count(segments_[known - 1], -1, &rows, &bytes);
      more = merge_->Next(NextRows(rows, bytes), &segments_);
      for (size_t i = known > 0 ? known - 1 : 0; i < segments_.size(); ++i) Count(segments_[i], 1, &rows, &bytes);
    }
    if (rows == 0) return nullptr;
    return Gather(rows);
  }

 private:
  void Count(const Segment& segment, int sign, int64_t* rows, int64_t* bytes) const {
    *rows += sign * static_cast<int64_t>(segment.length);
    *bytes += sign * static_cast<int64_t>(segment.length) * store_.row_bytes(segment.source);
  }

  // How many rows to ask for, so that very wide rows do not pile up.
  int64_t NextRows(int64_t rows, int64_t bytes) const {
    int64_t widest = 1;
    for (uint32_t i = 0; i < store_.size(); ++i) {
      if (store_.batch(i) != nullptr) widest = std::max(widest, store_.row_bytes(i));
    }
    return std::max<int64_t>(1, std::min(spec_.batch_rows - rows, (kMaxBatchBytes - bytes) / widest));
  }

  std::shared_ptr<arrow::RecordBatch> Gather(int64_t rows) {
    if (schema_ == nullptr) {
      arrow::FieldVector fields;
      for (const int column : spec_.output_columns) {
        fields.push_back(store_.batch(segments_[0].source)->schema()->field(column));
      }
      schema_ = arrow::schema(std::move(fields));
    }
    arrow::ArrayVector columns;
    std::vector<const arrow::Array*> sources(store_.size());
    for (size_t c = 0; c < spec_.output_columns.size(); ++c) {
      for (uint32_t i = 0; i < store_.size(); ++i) {
        const arrow::RecordBatch* batch = store_.batch(i);
        sources[i] = batch != nullptr ? batch->column(spec_.output_columns[c]).get() : nullptr;
      }
      columns.push_back(GatherColumn(sources, segments_, rows, schema_->field(static_cast<int>(c))->type()));
    }
    return arrow::RecordBatch::Make(schema_, rows, std::move(columns));
  }

  MergeSpec spec_;
  KeyLayout key_;
  KeyLayout user_sequence_;
  BatchStore store_;
  std::optional<RunMerge> merge_;
  std::vector<Segment> segments_;
  std::shared_ptr<arrow::Schema> schema_;
};

class ConcatenatedReader final : public BatchReader {
 public:
  explicit ConcatenatedReader(std::vector<std::function<std::unique_ptr<BatchReader>()>> open)
      : open_(std::move(open)) {}

  std::shared_ptr<arrow::RecordBatch> Next() override {
    while (true) {
      if (reader_ == nullptr) {
        if (next_ == open_.size()) return nullptr;
        reader_ = open_[next_++]();
      }
      if (auto batch = reader_->Next()) return batch;
      reader_.reset();
    }
  }

 private:
  std::vector<std::function<std::unique_ptr<BatchReader>()>> open_;
  size_t next_ = 0;
  std::unique_ptr<BatchReader> reader_;
};

}  // namespace

std::unique_ptr<BatchReader> MergeRuns(std::vector<std::unique_ptr<BatchReader>> runs, MergeSpec spec) {
  return std::make_unique<MergeReader>(std::move(runs), std::move(spec));
}

std::unique_ptr<BatchReader> ConcatenateReaders(std::vector<std::function<std::unique_ptr<BatchReader>()>> open) {
  return std::make_unique<ConcatenatedReader>(std::move(open));
}

std::optional<std::vector<int32_t>> RanksBySequence(std::span<const std::pair<int64_t, int64_t>> ranges) {
  std::vector<size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return ranges[a] < ranges[b]; });
  std::vector<int32_t> ranks(ranges.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && ranges[order[i]].first <= ranges[order[i - 1]].second) return std::nullopt;
    ranks[order[i]] = static_cast<int32_t>(i);
  }
  return ranks;
}

}  // namespace mica
