#include "table/row_changes.h"

#include <arrow/api.h>

#include "base/arrow.h"
#include "format/made_reader.h"
#include "merge/key_layout.h"
#include "merge/merge_reader.h"
#include "merge/row_selection.h"
#include "merge/run_merge.h"
#include "types/arrow_types.h"

namespace mica {

namespace {

constexpr int8_t kDelete = 3;

const int8_t* KindsOf(const arrow::RecordBatch& batch) {
  return static_cast<const arrow::Int8Array&>(*batch.column(batch.num_columns() - 1)).raw_values();
}

std::shared_ptr<arrow::Array> Kinds(int64_t count, int8_t kind) {
  arrow::Int8Builder builder;
  Check(builder.Reserve(count));
  for (int64_t i = 0; i < count; ++i) builder.UnsafeAppend(kind);
  return Take(builder.Finish());
}

std::shared_ptr<arrow::RecordBatch> WithKind(const arrow::RecordBatch& batch, int8_t kind) {
  int last = batch.num_columns() - 1;
  return Take(batch.SetColumn(last, batch.schema()->field(last), Kinds(batch.num_rows(), kind)));
}

// One side of a comparison: rows in key order.
class Side {
 public:
  Side(std::unique_ptr<BatchReader> rows, const KeyLayout& layout, std::vector<int> key_columns)
      : rows_(std::move(rows)), layout_(layout), key_columns_(std::move(key_columns)) {}

  // Stands at the next row; false at the end.
  bool Load() {
    while (rows_ && (!batch_ || row_ == batch_->num_rows())) {
      batch_ = rows_->Next();
      row_ = 0;
      if (!batch_) {
        rows_.reset();
        return false;
      }
      keys_.Clear();
      layout_.Encode(*batch_, key_columns_, &keys_);
    }
    return rows_ != nullptr;
  }

  const std::shared_ptr<arrow::RecordBatch>& batch() const { return batch_; }
  int64_t row() const { return row_; }
  int8_t kind() const { return KindsOf(*batch_)[row_]; }
  int CompareTo(const Side& other) const { return layout_.Compare(keys_.rows(), row_, other.keys_.rows(), other.row_); }
  bool SameValues(const Side& other) const {
    if (IsRetract(kind()) != IsRetract(other.kind())) return false;
    for (int c = 0; c + 1 < batch_->num_columns(); ++c) {
      if (!batch_->column(c)->RangeEquals(*other.batch_->column(c), row_, row_ + 1, other.row_)) return false;
    }
    return true;
  }
  void Advance() { ++row_; }

 private:
  std::unique_ptr<BatchReader> rows_;
  const KeyLayout& layout_;
  std::vector<int> key_columns_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  EncodedRows keys_;
  int64_t row_ = 0;
};

// Compares two states by key. Puts out pieces of the batches of either side.
class Comparison {
 public:
  Comparison(const Table& table, std::unique_ptr<BatchReader> before, std::unique_ptr<BatchReader> after,
             const std::vector<DataField>& fields)
      : layout_(KeyLayout::ForKey(TypesOf(table))),
        before_(std::move(before), layout_, ColumnsOf(table, fields)),
        after_(std::move(after), layout_, ColumnsOf(table, fields)) {}

  std::shared_ptr<arrow::RecordBatch> Next() {
    while (true) {
      bool has_before = before_.Load(), has_after = after_.Load();
      if (!has_before && !has_after) return nullptr;
      int order = !has_before ? 1 : !has_after ? -1 : before_.CompareTo(after_);
      if (order < 0) {
        if (auto rows = Piece(before_, [&] { return !has_after || before_.CompareTo(after_) < 0; },
                              [&] { return !IsRetract(before_.kind()); })) {
          return WithKind(*rows, kDelete);
        }
      } else if (order > 0) {
        if (auto rows = Piece(after_, [&] { return !has_before || before_.CompareTo(after_) > 0; }, [] { return true; })) {
          return rows;
        }
      } else {
        bool differs = !after_.SameValues(before_);
        std::shared_ptr<arrow::RecordBatch> rows;
        if (differs) rows = after_.batch()->Slice(after_.row(), 1);
        before_.Advance();
        after_.Advance();
        if (rows) return rows;
      }
    }
  }

 private:
  static std::vector<DataType> TypesOf(const Table& table) {
    std::vector<DataType> types;
    for (const DataField& field : table.schema().KeyFields()) types.push_back(field.type);
    return types;
  }
  static std::vector<int> ColumnsOf(const Table& table, const std::vector<DataField>& fields) {
    std::vector<int> columns;
    for (const std::string& name : table.schema().TrimmedPrimaryKeys()) columns.push_back(FindField(fields, name));
    return columns;
  }

  // The rows from where the side stands to the end of its batch or of what is its own, those of them that are wanted.
  template <typename Own, typename Wanted>
  std::shared_ptr<arrow::RecordBatch> Piece(Side& side, const Own& own, const Wanted& wanted) {
    std::shared_ptr<arrow::RecordBatch> batch = side.batch();
    std::vector<int32_t> rows;
    while (side.row() < batch->num_rows() && own()) {
      if (wanted()) rows.push_back(static_cast<int32_t>(side.row()));
      side.Advance();
    }
    if (rows.empty()) return nullptr;
    return static_cast<int64_t>(rows.size()) == batch->num_rows() ? batch : SelectRows(batch, rows);
  }

  KeyLayout layout_;
  Side before_, after_;
};

std::unique_ptr<BatchReader> NoRows() {
  return MakeReader([]() -> std::shared_ptr<arrow::RecordBatch> { return nullptr; });
}

}  // namespace

std::string_view RowKindText(int8_t kind) {
  static constexpr std::string_view kTexts[] = {"+I", "-U", "+U", "-D"};
  if (kind < 0 || kind > 3) throw Corrupt("'{}' is not the kind of a row", static_cast<int>(kind));
  return kTexts[kind];
}

std::unique_ptr<BatchReader> ReadDifference(const Table& table, const Difference& difference,
                                            const std::vector<DataField>& fields) {
  auto read = [&](const std::optional<Split>& split, const std::vector<DataField>& columns) {
    return split ? ReadWithKinds(table, *split, columns) : NoRows();
  };
  if (!table.schema().has_primary_key()) {
    auto before = std::make_shared<std::unique_ptr<BatchReader>>(read(difference.before, fields));
    auto after = std::make_shared<std::unique_ptr<BatchReader>>(read(difference.after, fields));
    return MakeReader([before, after]() -> std::shared_ptr<arrow::RecordBatch> {
      if (auto batch = (*before)->Next()) return WithKind(*batch, kDelete);
      return (*after)->Next();
    });
  }
  // Whole rows are compared; the key columns are among them.
  const std::vector<DataField>& all = table.schema().fields;
  auto comparison = std::make_shared<Comparison>(table, read(difference.before, all), read(difference.after, all), all);
  std::vector<int> wanted;
  for (const DataField& field : fields) wanted.push_back(FindField(all, field.name));
  wanted.push_back(static_cast<int>(all.size()));
  return MakeReader([comparison, wanted]() -> std::shared_ptr<arrow::RecordBatch> {
    auto batch = comparison->Next();
    return batch ? Take(batch->SelectColumns(wanted)) : nullptr;
  });
}

std::unique_ptr<BatchReader> WithoutRetracts(std::unique_ptr<BatchReader> rows) {
  auto shared = std::make_shared<std::unique_ptr<BatchReader>>(std::move(rows));
  return MakeReader([shared]() -> std::shared_ptr<arrow::RecordBatch> {
    while (auto batch = (*shared)->Next()) {
      const int8_t* kinds = KindsOf(*batch);
      std::vector<int32_t> kept;
      for (int64_t i = 0; i < batch->num_rows(); ++i) {
        if (!IsRetract(kinds[i])) kept.push_back(static_cast<int32_t>(i));
      }
      if (kept.empty()) continue;
      if (static_cast<int64_t>(kept.size()) < batch->num_rows()) batch = SelectRows(batch, kept);
      return Take(batch->RemoveColumn(batch->num_columns() - 1));
    }
    return nullptr;
  });
}

}  // namespace mica
