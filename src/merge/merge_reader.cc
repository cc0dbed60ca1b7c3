#include "merge/merge_reader.h"

#include <algorithm>
#include <numeric>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/error.h"
#include "merge/gather.h"
#include "merge/group_merge.h"
#include "merge/key_layout.h"
#include "merge/run_merge.h"

namespace mica {
namespace {

// The batches that pending segments refer to. A batch is in use while it is a run's current one or until the pending
// rows have been gathered.
class BatchStore {
 public:
  // `order_layouts` and `order_columns`: what sequence groups order rows by.
  void SetOrders(std::span<const KeyLayout> order_layouts, std::span<const GroupRule> groups) {
    order_layouts_ = order_layouts;
    groups_ = groups;
  }
  uint32_t Add(std::shared_ptr<arrow::RecordBatch> batch, const int8_t* kinds) {
    uint32_t source;
    if (free_.empty()) {
      source = static_cast<uint32_t>(slots_.size());
      slots_.emplace_back();
      steps_.emplace_back();
    } else {
      source = free_.back();
      free_.pop_back();
    }
    Slot& slot = slots_[source];
    slot.row_bytes = RowBytes(*batch) / std::max<int64_t>(1, batch->num_rows()) + 1;
    slot.current = true;
    steps_[source].kinds = kinds;
    steps_[source].group_orders.resize(groups_.size());
    slot.orders.resize(groups_.size());
    for (size_t g = 0; g < groups_.size(); ++g) {
      order_layouts_[g].Encode(*batch, groups_[g].columns, &slot.orders[g]);
      steps_[source].group_orders[g] = slot.orders[g].rows();
    }
    slot.batch = std::move(batch);
    return source;
  }
  void Retire(uint32_t source) { slots_[source].current = false; }
  // Call when no segment is pending: current batches keep their numbers.
  void ReleaseRetired() {
    for (uint32_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].current || slots_[i].batch == nullptr) continue;
      slots_[i].batch.reset();
      steps_[i].kinds = nullptr;
      free_.push_back(i);
    }
  }
  size_t size() const { return slots_.size(); }
  // nullptr for a number that is not in use.
  const arrow::RecordBatch* batch(uint32_t source) const { return slots_[source].batch.get(); }
  int64_t row_bytes(uint32_t source) const { return slots_[source].row_bytes; }
  std::span<const StepSource> step_sources() const { return steps_; }

 private:
  struct Slot {
    std::shared_ptr<arrow::RecordBatch> batch;
    std::vector<EncodedRows> orders;
    int64_t row_bytes = 0;
    bool current = false;
  };
  std::span<const KeyLayout> order_layouts_;
  std::span<const GroupRule> groups_;
  std::vector<Slot> slots_;
  std::vector<StepSource> steps_;  // of the same sources
  std::vector<uint32_t> free_;
};

class ArrowRun final : public RunSource {
 public:
  ArrowRun(std::unique_ptr<BatchReader> reader, const MergeSpec* spec, const KeyLayout* key,
           const KeyLayout* user_sequence, BatchStore* store)
      : reader_(std::move(reader)), spec_(spec), key_(key), user_sequence_(user_sequence), store_(store) {
    newest_may_count_ = spec_->rules != nullptr && !spec_->merge_lone_rows &&
                        NewestCountsWithoutNulls(*spec_->rules, spec_->output_columns);
  }

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
    chunk->newest_counts = newest_may_count_ && NewestCounts(*batch, chunk->kinds);
    source_ = chunk->source = store_->Add(std::move(batch), chunk->kinds);
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

  bool NewestCounts(const arrow::RecordBatch& batch, const int8_t* kinds) const {
    // A group's result is an insert, whatever its newest row is.
    const auto is_none = [](int8_t kind) { return kind != 0; };
    if (kinds != nullptr && std::any_of(kinds, kinds + batch.num_rows(), is_none)) return false;
    return std::all_of(spec_->output_columns.begin(), spec_->output_columns.end(),
                       [&](int column) { return batch.column(column)->null_count() == 0; });
  }

  std::unique_ptr<BatchReader> reader_;
  const MergeSpec* spec_;
  const KeyLayout* key_;
  const KeyLayout* user_sequence_;
  BatchStore* store_;
  bool newest_may_count_ = false;
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
    MICA_CHECK(spec_.batch_rows > 0 && spec_.batch_bytes > 0);
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
    if (spec_.rules == nullptr) return;
    groups_merge_.emplace(spec_.rules);
    store_.SetOrders(groups_merge_->order_layouts(), spec_.rules->groups);
  }

  std::shared_ptr<arrow::RecordBatch> Next() override {
    if (!groups_merge_) return NextWinners();
    // All rows of a round may be dropped.
    while (NextGroups()) {
      if (spec_.merge_lone_rows) GroupLoneRows();
      groups_merge_->Start(groups_, store_.step_sources(), spec_.drop_deletes);
      if (groups_merge_->row_count() > 0) return MergeGroups();
    }
    return nullptr;
  }

 private:
  std::shared_ptr<arrow::RecordBatch> NextWinners() {
    int64_t rows = 0, bytes = 0;
    segments_.clear();
    store_.ReleaseRetired();
    bool more = true;
    while (more && rows < spec_.batch_rows && bytes < spec_.batch_bytes) {
      const size_t known = segments_.size();
      // The last segment may grow by what comes: count it again.
      if (known > 0) Count(segments_[known - 1], -1, &rows, &bytes);
      more = merge_->Next(NextRows(rows, bytes), &segments_);
      for (size_t i = known > 0 ? known - 1 : 0; i < segments_.size(); ++i) Count(segments_[i], 1, &rows, &bytes);
    }
    if (rows == 0) return nullptr;
    return Gather(rows);
  }

  void Count(const Segment& segment, int sign, int64_t* rows, int64_t* bytes) const {
    *rows += sign * static_cast<int64_t>(segment.length);
    if (segment.source == KeyGroups::kGroups) return;
    *bytes += sign * static_cast<int64_t>(segment.length) * store_.row_bytes(segment.source);
  }

  // How many rows to ask for, so that very wide rows do not pile up.
  int64_t NextRows(int64_t rows, int64_t bytes) const {
    int64_t widest = 1;
    for (uint32_t i = 0; i < store_.size(); ++i) {
      if (store_.batch(i) != nullptr) widest = std::max(widest, store_.row_bytes(i));
    }
    return std::max<int64_t>(1, std::min(spec_.batch_rows - rows, (spec_.batch_bytes - bytes) / widest));
  }

  // False when there are no more rows.
  bool NextGroups() {
    groups_.Clear();
    store_.ReleaseRetired();
    int64_t rows = 0, bytes = 0;
    size_t lone = 0, members = 0;  // counted so far
    bool more = true;
    while (more && rows < spec_.batch_rows && bytes < spec_.batch_bytes) {
      if (lone > 0) Count(groups_.segments[--lone], -1, &rows, &bytes);
      more = merge_->NextGroups(NextRows(rows, bytes), &groups_);
      for (; lone < groups_.segments.size(); ++lone) Count(groups_.segments[lone], 1, &rows, &bytes);
      // What a group becomes is at most as big as its rows together.
      for (; members < groups_.rows.size(); ++members) bytes += store_.row_bytes(groups_.rows[members].source);
    }
    return rows > 0;
  }

  void GroupLoneRows() {
    KeyGroups all;
    for (const Segment& segment : groups_.segments) {
      for (uint32_t i = segment.start; i < segment.start + segment.length; ++i) {
        if (segment.source == KeyGroups::kGroups) {
          const std::span<const RowRef> rows = groups_.group(i);
          all.rows.insert(all.rows.end(), rows.begin(), rows.end());
        } else {
          all.rows.push_back({segment.source, i});
        }
        all.EndGroup();
      }
    }
    groups_ = std::move(all);
  }

  void SetSchema(const arrow::RecordBatch& batch) {
    arrow::FieldVector fields;
    for (const int column : spec_.output_columns) fields.push_back(batch.schema()->field(column));
    schema_ = arrow::schema(std::move(fields));
  }

  // One output column in each source.
  void SetSources(size_t column) {
    sources_.resize(store_.size());
    for (uint32_t i = 0; i < store_.size(); ++i) {
      const arrow::RecordBatch* batch = store_.batch(i);
      sources_[i] = batch != nullptr ? batch->column(spec_.output_columns[column]).get() : nullptr;
    }
  }

  std::shared_ptr<arrow::RecordBatch> Gather(int64_t rows) {
    if (schema_ == nullptr) SetSchema(*store_.batch(segments_[0].source));
    arrow::ArrayVector columns;
    for (size_t c = 0; c < spec_.output_columns.size(); ++c) {
      SetSources(c);
      columns.push_back(GatherColumn(sources_, segments_, rows, schema_->field(static_cast<int>(c))->type()));
    }
    return arrow::RecordBatch::Make(schema_, rows, std::move(columns));
  }

  std::shared_ptr<arrow::RecordBatch> MergeGroups() {
    if (schema_ == nullptr) SetSchema(*store_.batch(groups_merge_->result_rows()[0].source));
    arrow::ArrayVector columns;
    for (size_t c = 0; c < spec_.output_columns.size(); ++c) {
      SetSources(c);
      columns.push_back(groups_merge_->Column(static_cast<size_t>(spec_.output_columns[c]), sources_,
                                              schema_->field(static_cast<int>(c))->type()));
    }
    return arrow::RecordBatch::Make(schema_, groups_merge_->row_count(), std::move(columns));
  }

  MergeSpec spec_;
  KeyLayout key_;
  KeyLayout user_sequence_;
  BatchStore store_;
  std::optional<RunMerge> merge_;
  std::vector<Segment> segments_;
  std::optional<GroupMerge> groups_merge_;
  KeyGroups groups_;
  std::vector<const arrow::Array*> sources_;
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

std::vector<DataField> MergeInput(const TableSchema& schema, const MergeOptions& options,
                                  const std::vector<DataField>& wanted) {
  std::vector<DataField> input;
  for (const DataField& key : schema.KeyFields()) input.push_back(KeyField(key));
  input.insert(input.end(), wanted.begin(), wanted.end());
  for (const std::string& name : options.sequence_fields) {
    if (FindField(input, name) < 0) input.push_back(schema.Field(name));
  }
  return WithOrderingColumns(options, schema, std::move(input));
}

MergeSpec MakeMergeSpec(const TableSchema& schema, const MergeOptions& options, const std::vector<DataField>& input,
                        size_t wanted) {
  MergeSpec spec{.user_sequence_ascending = options.sequence_ascending};
  const auto keys = schema.KeyFields();
  for (const DataField& key : keys) {
    spec.key_columns.push_back(static_cast<int>(spec.key_columns.size()));
    spec.key_types.push_back(key.type);
  }
  for (const std::string& name : options.sequence_fields) {
    spec.user_sequence_columns.push_back(FindField(input, name));
    spec.user_sequence_types.push_back(schema.Field(name).type);
  }
  const auto position = [&](std::string_view name) -> std::optional<int> {
    const int found = FindField(input, name);
    return found < 0 ? std::nullopt : std::optional(found);
  };
  spec.sequence_column = position(kSequenceNumber);
  spec.kind_column = position(kValueKind);
  if (!options.newest_row_wins()) spec.rules = MakeMergeRules(options, schema, input);
  for (size_t i = 0; i < wanted; ++i) spec.output_columns.push_back(static_cast<int>(keys.size() + i));
  return spec;
}

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
