#include "merge/before_after.h"

#include <arrow/api.h>

#include "base/arrow.h"
#include "merge/gather.h"
#include "merge/key_layout.h"

namespace mica {

namespace {

constexpr int8_t kInsert = 0, kUpdateBefore = 1, kUpdateAfter = 2, kDelete = 3;

// One stream, standing at the first row that is not below the last key asked for.
class KeyStream {
 public:
  KeyStream(BatchSource source, const KeyLayout* layout, const std::vector<int>* columns)
      : source_(std::move(source)), layout_(layout), columns_(columns) {}

  // Whether the stream has this key. Keys are asked for in ascending order.
  bool Find(const KeyRows& keys, int64_t row) {
    while (true) {
      if (batch_ == nullptr || row_ == batch_->num_rows()) {
        auto next = source_();
        if (next == nullptr) return false;
        batch_ = std::move(next);
        row_ = 0;
        layout_->Encode(*batch_, *columns_, &keys_);
        continue;
      }
      const int order = layout_->Compare(keys_.rows(), row_, keys, row);
      if (order == 0) return true;
      if (order > 0) return false;
      ++row_;
    }
  }
  const std::shared_ptr<arrow::RecordBatch>& batch() const { return batch_; }
  int64_t row() const { return row_; }

 private:
  BatchSource source_;
  const KeyLayout* layout_;
  const std::vector<int>* columns_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  int64_t row_ = 0;
  EncodedRows keys_;
};

// Rows picked from several batches, to become one batch.
class PickedRows {
 public:
  void Add(const std::shared_ptr<arrow::RecordBatch>& batch, int64_t row) {
    if (sources_.empty() || sources_[last_] != batch) {
      for (last_ = 0; last_ < sources_.size() && sources_[last_] != batch; ++last_) {
      }
      if (last_ == sources_.size()) sources_.push_back(batch);
    }
    ++rows_;
    if (!segments_.empty()) {
      Segment& segment = segments_.back();
      if (segment.source == last_ && segment.start + segment.length == static_cast<uint32_t>(row)) {
        ++segment.length;
        return;
      }
    }
    segments_.push_back({static_cast<uint32_t>(last_), static_cast<uint32_t>(row), 1});
  }
  int64_t rows() const { return rows_; }

  std::shared_ptr<arrow::RecordBatch> Gather(const arrow::Schema& schema, int column_count) const {
    if (sources_.size() == 1 && segments_.size() == 1 && segments_[0].start == 0 &&
        rows_ == sources_[0]->num_rows() && sources_[0]->num_columns() == column_count) {
      return sources_[0];
    }
    arrow::ArrayVector columns;
    arrow::FieldVector fields;
    std::vector<const arrow::Array*> arrays(sources_.size());
    for (int c = 0; c < column_count; ++c) {
      for (size_t s = 0; s < sources_.size(); ++s) arrays[s] = sources_[s]->column(c).get();
      fields.push_back(schema.field(c));
      columns.push_back(GatherColumn(arrays, segments_, rows_, schema.field(c)->type()));
    }
    return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), rows_, std::move(columns));
  }

 private:
  std::vector<std::shared_ptr<arrow::RecordBatch>> sources_;
  size_t last_ = 0;
  std::vector<Segment> segments_;
  int64_t rows_ = 0;
};

}  // namespace

std::shared_ptr<arrow::RecordBatch> BatchTee::Next() {
  auto batch = from_->Next();
  if (batch != nullptr) passed_->push_back(batch);
  return batch;
}

BatchSource BatchTee::Copies() const {
  return [passed = passed_]() -> std::shared_ptr<arrow::RecordBatch> {
    if (passed->empty()) return nullptr;
    auto batch = std::move(passed->front());
    passed->pop_front();
    return batch;
  };
}

class BeforeAfter::Body {
 public:
  Body(BeforeAfterSpec spec, BeforeAfterInput input)
      : spec_(std::move(spec)), layout_(KeyLayout::ForKey(spec_.key_types)), after_(std::move(input.after)) {
    if (input.before) before_.emplace(std::move(input.before), &layout_, &spec_.key_columns);
    for (BatchSource& source : input.fresh) fresh_.emplace_back(std::move(source), &layout_, &spec_.key_columns);
  }

  bool Next(Step* step) {
    *step = {};
    batch_ = after_->Next();
    if (batch_ == nullptr) return false;
    layout_.Encode(*batch_, spec_.key_columns, &keys_);
    const int8_t* kinds = Kinds(*batch_);
    PickedRows kept, changes;
    std::vector<int8_t> change_kinds;
    for (int64_t row = 0; row < batch_->num_rows(); ++row) {
      const bool is_new = IsFresh(row);
      const bool found = before_ && before_->Find(keys_.rows(), row);
      const bool adds = (kinds[row] & 1) == 0;
      const bool elsewhere = found && !IsCompacted();
      if (elsewhere && is_new && spec_.position_column) step->deletions.push_back(PlaceBefore());
      if (Keeps(found, elsewhere, is_new) && (adds || !spec_.drop_deletes)) kept.Add(batch_, row);
      if (spec_.changelog && is_new) AddChange(row, adds, found, kinds[row], &changes, &change_kinds);
    }
    if (spec_.keep_after && kept.rows() > 0) step->rows = kept.Gather(*batch_->schema(), spec_.column_count);
    if (changes.rows() > 0) step->changelog = WithKinds(changes.Gather(*batch_->schema(), spec_.column_count), change_kinds);
    return true;
  }

 private:
  const int8_t* Kinds(const arrow::RecordBatch& batch) const {
    return static_cast<const arrow::Int8Array&>(*batch.column(spec_.kind_column)).raw_values();
  }

  bool IsFresh(int64_t row) {
    if (fresh_.empty()) return true;
    bool found = false;
    // Each stream has to move on, so none is left out.
    for (KeyStream& stream : fresh_) found |= stream.Find(keys_.rows(), row);
    return found;
  }

  bool IsCompacted() const {
    if (!spec_.file_column) return true;
    return spec_.file_is_compacted[static_cast<size_t>(FileBefore())];
  }
  int32_t FileBefore() const {
    return static_cast<const arrow::Int32Array&>(*before_->batch()->column(*spec_.file_column)).Value(before_->row());
  }
  std::pair<int32_t, int64_t> PlaceBefore() const {
    const auto& positions = static_cast<const arrow::Int64Array&>(*before_->batch()->column(*spec_.position_column));
    return {FileBefore(), positions.Value(before_->row())};
  }

  bool Keeps(bool found, bool elsewhere, bool is_new) const {
    if (!elsewhere) return true;
    return spec_.first_row ? !found : is_new;
  }

  void AddChange(int64_t row, bool adds, bool found, int8_t kind, PickedRows* changes, std::vector<int8_t>* kinds) {
    if (spec_.first_row) {
      if (found) return;
      changes->Add(batch_, row);
      kinds->push_back(kind);
      return;
    }
    const bool was = found && (Kinds(*before_->batch())[before_->row()] & 1) == 0;
    if (!was) {
      if (!adds) return;
      changes->Add(batch_, row);
      kinds->push_back(kInsert);
      return;
    }
    if (!adds) {
      changes->Add(before_->batch(), before_->row());
      kinds->push_back(kDelete);
      return;
    }
    if (spec_.equal_columns && Equal(row)) return;
    changes->Add(before_->batch(), before_->row());
    kinds->push_back(kUpdateBefore);
    changes->Add(batch_, row);
    kinds->push_back(kUpdateAfter);
  }

  bool Equal(int64_t row) const {
    static const arrow::EqualOptions options = arrow::EqualOptions::Defaults().nans_equal(true);
    for (int column : *spec_.equal_columns) {
      if (!before_->batch()->column(column)->RangeEquals(*batch_->column(column), before_->row(), before_->row() + 1, row,
                                                         options)) {
        return false;
      }
    }
    return true;
  }

  std::shared_ptr<arrow::RecordBatch> WithKinds(const std::shared_ptr<arrow::RecordBatch>& batch,
                                                const std::vector<int8_t>& kinds) const {
    arrow::Int8Builder builder;
    Check(builder.AppendValues(kinds));
    return Take(batch->SetColumn(spec_.kind_column, batch->schema()->field(spec_.kind_column), Take(builder.Finish())));
  }

  BeforeAfterSpec spec_;
  KeyLayout layout_;
  std::unique_ptr<BatchReader> after_;
  std::optional<KeyStream> before_;
  std::vector<KeyStream> fresh_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  EncodedRows keys_;
};

BeforeAfter::BeforeAfter(BeforeAfterSpec spec, BeforeAfterInput input)
    : body_(std::make_unique<Body>(std::move(spec), std::move(input))) {}
BeforeAfter::~BeforeAfter() = default;

bool BeforeAfter::Next(Step* step) { return body_->Next(step); }

}  // namespace mica
