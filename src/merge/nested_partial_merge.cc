// `nested_partial_update` (Engine 3.5): rows of an ARRAY<ROW> with the same nested key become one, whose fields are the
// last ones that are not NULL. Fields stay in the sources until the end.
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/type.h>

#include "merge/column_merge.h"
#include "merge/element_bytes.h"
#include "merge/element_set.h"
#include "merge/list_column.h"
#include "merge/step_kernel.h"
#include "types/arrow_types.h"

namespace mica {
namespace {

// Rows as a cell for each field, and whether a row is not NULL.
struct CellRows {
  Elements cells;
  std::vector<bool> valid;

  void Clear() {
    cells.clear();
    valid.clear();
  }
};

class NestedPartialKernel {
 public:
  NestedPartialKernel(const ColumnRule& rule, ColumnSources sources)
      : rule_(rule), lists_(sources), width_(rule.type.element().fields().size()) {
    fields_.resize(width_);
    for (size_t f = 0; f < width_; ++f) {
      for (const arrow::Array* child : lists_.children()) {
        const auto* row = static_cast<const arrow::StructArray*>(child);
        fields_[f].push_back(row == nullptr ? nullptr : row->field(static_cast<int>(f)).get());
      }
    }
  }

  void Begin() {
    null_ = true;
    indexed_ = false;
    rows_.Clear();
  }
  void Set(const RowRef& row) {
    Begin();
    if (!lists_.Has(row)) return;
    null_ = false;
    Load(row, &rows_);
  }
  void Add(const RowRef& row) {
    if (!lists_.Has(row)) return;
    if (null_) return Set(row);
    more_.Clear();
    Load(row, &more_);
    Join(more_);
  }
  void AddOlder(const RowRef& row) {
    if (!lists_.Has(row)) return;
    if (null_) return Set(row);
    std::swap(more_, rows_);
    rows_.Clear();
    indexed_ = false;
    Load(row, &rows_);
    Join(more_);
  }
  void Retract(const RowRef&) { RefuseRetract(rule_); }
  void RetractOlder(const RowRef&) { RefuseRetract(rule_); }
  void End() {
    if (!null_) {
      all_.cells.insert(all_.cells.end(), rows_.cells.begin(), rows_.cells.end());
      all_.valid.insert(all_.valid.end(), rows_.valid.begin(), rows_.valid.end());
    }
    ends_.Add(all_.valid.size(), null_);
  }

  std::shared_ptr<arrow::Array> Finish() {
    const auto type = ToArrowType(rule_.type);
    const auto& row_type = type->field(0)->type();
    const auto count = static_cast<int64_t>(all_.valid.size());
    arrow::ArrayVector columns;
    Elements cells;
    for (size_t f = 0; f < width_; ++f) {
      cells.clear();
      for (size_t i = f; i < all_.cells.size(); i += width_) cells.push_back(all_.cells[i]);
      columns.push_back(GatherElements(fields_[f], cells, row_type->field(static_cast<int>(f))->type()));
    }
    int64_t nulls = 0;
    auto validity = ValidityBitmap(all_.valid, &nulls);
    return ends_.Finish(
        type, std::make_shared<arrow::StructArray>(row_type, count, std::move(columns), std::move(validity), nulls));
  }

 private:
  void Load(const RowRef& row, CellRows* rows) {
    elements_.clear();
    lists_.Append(row, &elements_);
    for (const RowRef& element : elements_) {
      for (size_t f = 0; f < width_; ++f) rows->cells.push_back(element);
      rows->valid.push_back(!lists_.IsNull(element));
    }
  }

  bool CellIsNull(size_t field, const RowRef& cell) const {
    return cell.source == kNullSource || fields_[field][cell.source]->IsNull(cell.row);
  }

  // Puts the row that starts at `cells` into rows_.
  void Put(const RowRef* cells) {
    key_.clear();
    for (const int field : rule_.merge.nested_key) {
      const RowRef& cell = cells[field];
      if (CellIsNull(static_cast<size_t>(field), cell)) {
        key_.push_back(0);
      } else {
        AppendElementBytes(*fields_[static_cast<size_t>(field)][cell.source], cell.row, &key_);
      }
    }
    const auto [number, is_new] = known_.Insert(key_);
    if (is_new) {
      rows_.cells.resize(rows_.cells.size() + width_, RowRef{kNullSource, 0});
      rows_.valid.push_back(true);
    }
    for (size_t f = 0; f < width_; ++f) {
      if (!CellIsNull(f, cells[f])) rows_.cells[number * width_ + f] = cells[f];
    }
  }

  void PutAll(const CellRows& rows) {
    for (size_t i = 0; i < rows.valid.size(); ++i) {
      if (rows.valid[i]) Put(&rows.cells[i * width_]);
    }
  }

  void Join(const CellRows& more) {
    if (!indexed_) {
      std::swap(first_, rows_);
      rows_.Clear();
      known_.Clear();
      PutAll(first_);
      indexed_ = true;
    }
    PutAll(more);
  }

  const ColumnRule& rule_;
  Lists lists_;
  size_t width_;
  std::vector<std::vector<const arrow::Array*>> fields_;  // of the rows, in each source
  bool null_ = true;
  bool indexed_ = false;  // known_ numbers the keys of rows_
  CellRows rows_, more_, first_, all_;
  Elements elements_;
  ElementSet known_;
  std::string key_;
  ListEnds ends_;
};

}  // namespace

std::unique_ptr<ColumnMerge> MakeNestedPartialMerge(const ColumnRule& rule) {
  return std::make_unique<ComputedMerge<NestedPartialKernel>>(rule);
}

}  // namespace mica
