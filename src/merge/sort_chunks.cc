#include "merge/sort_chunks.h"

#include <algorithm>
#include <cstring>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/arrow.h"
#include "base/error.h"
#include "merge/gather.h"
#include "merge/group_merge.h"

namespace mica {
namespace {

// Text of one output batch stays well below what 32-bit offsets can address.
constexpr int64_t kMaxBatchBytes = 256 << 20;

int64_t BatchRows(const std::vector<Chunk>& chunks, BatchSize size) {
  int64_t rows = 0, bytes = 0;
  for (const Chunk& chunk : chunks) {
    rows += chunk.row_count;
    bytes += chunk.bytes;
  }
  return std::clamp<int64_t>(rows * std::min(size.bytes, kMaxBatchBytes) / std::max<int64_t>(1, bytes), 1, size.rows);
}

std::shared_ptr<arrow::Array> NumbersArray(std::shared_ptr<arrow::Buffer> buffer, int64_t length,
                                           const std::shared_ptr<arrow::DataType>& type) {
  return arrow::MakeArray(arrow::ArrayData::Make(type, length, {nullptr, std::move(buffer)}, 0));
}

std::shared_ptr<arrow::Array> Sequences(const std::vector<Chunk>& chunks, const std::vector<Segment>& segments,
                                        int64_t rows) {
  std::shared_ptr<arrow::Buffer> buffer = Take(arrow::AllocateBuffer(rows * static_cast<int64_t>(sizeof(int64_t))));
  auto* out = reinterpret_cast<int64_t*>(buffer->mutable_data());
  for (const Segment& segment : segments) {
    const int64_t first = chunks[segment.source].first_sequence + segment.start;
    for (uint32_t i = 0; i < segment.length; ++i) *out++ = first + i;
  }
  return NumbersArray(std::move(buffer), rows, arrow::int64());
}

std::shared_ptr<arrow::Array> Kinds(const std::vector<Chunk>& chunks, const std::vector<Segment>& segments,
                                    int64_t rows) {
  std::shared_ptr<arrow::Buffer> buffer = Take(arrow::AllocateBuffer(rows));
  uint8_t* out = buffer->mutable_data();
  for (const Segment& segment : segments) {
    const auto& kinds = chunks[segment.source].kinds;
    if (kinds.empty()) {
      std::memset(out, 0, segment.length);
    } else {
      std::memcpy(out, kinds.data() + segment.start, segment.length);
    }
    out += segment.length;
  }
  return NumbersArray(std::move(buffer), rows, arrow::int8());
}

// Hands out segments in parts of a number of rows.
class SegmentQueue {
 public:
  explicit SegmentQueue(std::vector<Segment> segments) : segments_(std::move(segments)) {}

  std::vector<Segment> Next(int64_t most) {
    std::vector<Segment> part;
    for (int64_t rows = 0; rows < most && next_ < segments_.size();) {
      Segment& segment = segments_[next_];
      part.push_back(segment);
      part.back().length = static_cast<uint32_t>(std::min<int64_t>(segment.length, most - rows));
      rows += part.back().length;
      segment.start += part.back().length;
      segment.length -= part.back().length;
      if (segment.length == 0) ++next_;
    }
    return part;
  }

 private:
  std::vector<Segment> segments_;
  size_t next_ = 0;
};

class GatheredChunks final : public BatchReader {
 public:
  GatheredChunks(const std::vector<Chunk>& chunks, std::shared_ptr<arrow::Schema> schema, std::vector<Segment> winners,
                 BatchSize size)
      : chunks_(chunks),
        schema_(std::move(schema)),
        winners_(std::move(winners)),
        batch_rows_(BatchRows(chunks, size)) {}

  std::shared_ptr<arrow::RecordBatch> Next() override {
    const std::vector<Segment> segments = winners_.Next(batch_rows_);
    if (segments.empty()) return nullptr;
    const int64_t rows = CountRows(segments);
    arrow::ArrayVector columns;
    std::vector<const arrow::Array*> sources(chunks_.size());
    const int count = schema_->num_fields() - 2;
    for (int c = 0; c < count; ++c) {
      for (size_t i = 0; i < chunks_.size(); ++i) sources[i] = chunks_[i].columns[static_cast<size_t>(c)].get();
      columns.push_back(GatherColumn(sources, segments, rows, schema_->field(c)->type()));
    }
    columns.push_back(Sequences(chunks_, segments, rows));
    columns.push_back(Kinds(chunks_, segments, rows));
    return arrow::RecordBatch::Make(schema_, rows, std::move(columns));
  }

 private:
  const std::vector<Chunk>& chunks_;
  std::shared_ptr<arrow::Schema> schema_;
  SegmentQueue winners_;
  int64_t batch_rows_;
};

class MergedChunks final : public BatchReader {
 public:
  MergedChunks(const std::vector<Chunk>& chunks, std::shared_ptr<arrow::Schema> schema, KeyGroups groups,
               std::shared_ptr<const MergeRules> rules, BatchSize size)
      : chunks_(chunks),
        schema_(std::move(schema)),
        groups_(std::move(groups)),
        segments_(std::move(groups_.segments)),
        merge_(std::move(rules)),
        batch_rows_(BatchRows(chunks, size)) {
    for (const Chunk& chunk : chunks_) {
      StepSource& source = sources_.emplace_back();
      source.kinds = chunk.kinds.empty() ? nullptr : chunk.kinds.data();
      for (const EncodedRows& order : chunk.group_orders) source.group_orders.push_back(order.rows());
    }
  }

  std::shared_ptr<arrow::RecordBatch> Next() override {
    // All rows of a part may be dropped.
    while (NextPart()) {
      merge_.Start(part_, sources_, /*drop_deletes=*/false);
      if (merge_.row_count() > 0) return Batch();
    }
    return nullptr;
  }

 private:
  bool NextPart() {
    part_.Clear();
    for (const Segment& segment : segments_.Next(batch_rows_)) {
      if (segment.source != KeyGroups::kGroups) {
        part_.segments.push_back(segment);
        continue;
      }
      for (uint32_t i = segment.start; i < segment.start + segment.length; ++i) {
        const std::span<const RowRef> rows = groups_.group(i);
        part_.rows.insert(part_.rows.end(), rows.begin(), rows.end());
        part_.EndGroup();
      }
    }
    return !part_.segments.empty();
  }

  std::shared_ptr<arrow::RecordBatch> Batch() {
    arrow::ArrayVector columns;
    std::vector<const arrow::Array*> sources(chunks_.size());
    const int count = schema_->num_fields() - 2;
    for (int c = 0; c < count; ++c) {
      const auto column = static_cast<size_t>(c);
      for (size_t i = 0; i < chunks_.size(); ++i) sources[i] = chunks_[i].columns[column].get();
      columns.push_back(merge_.Column(column, sources, schema_->field(c)->type()));
    }
    columns.push_back(Sequences(chunks_, merge_.result_rows(), merge_.row_count()));
    columns.push_back(merge_.Kinds());
    return arrow::RecordBatch::Make(schema_, merge_.row_count(), std::move(columns));
  }

  const std::vector<Chunk>& chunks_;
  std::shared_ptr<arrow::Schema> schema_;
  KeyGroups groups_;  // without its segments
  SegmentQueue segments_;
  GroupMerge merge_;
  int64_t batch_rows_;
  std::vector<StepSource> sources_;
  KeyGroups part_;
};

}  // namespace

std::unique_ptr<BatchReader> GatherChunks(const std::vector<Chunk>& chunks, std::shared_ptr<arrow::Schema> schema,
                                          std::vector<Segment> winners, BatchSize size) {
  return std::make_unique<GatheredChunks>(chunks, std::move(schema), std::move(winners), size);
}

std::unique_ptr<BatchReader> MergeChunks(const std::vector<Chunk>& chunks, std::shared_ptr<arrow::Schema> schema,
                                         KeyGroups groups, std::shared_ptr<const MergeRules> rules,
                                         BatchSize size) {
  return std::make_unique<MergedChunks>(chunks, std::move(schema), std::move(groups), std::move(rules), size);
}

}  // namespace mica
