// `listagg` (Engine 3.5): NULL and empty texts are left out; `distinct` adds only items that are not there yet.
#include <string>
#include <string_view>
#include <vector>

#include <arrow/array.h>
#include <arrow/builder.h>

#include "base/arrow.h"
#include "merge/column_merge.h"
#include "merge/element_set.h"
#include "merge/step_kernel.h"

namespace mica {
namespace {

// Calls `use` with each item between delimiters, empty ones included. An empty delimiter divides at blanks.
template <typename Use>
void ForEachItem(std::string_view text, std::string_view delimiter, Use use) {
  if (delimiter.empty()) delimiter = " ";
  for (size_t start = 0;;) {
    const size_t end = text.find(delimiter, start);
    use(text.substr(start, end == std::string_view::npos ? end : end - start));
    if (end == std::string_view::npos) return;
    start = end + delimiter.size();
  }
}

class ListaggKernel {
 public:
  ListaggKernel(const ColumnRule& rule, ColumnSources sources) : rule_(rule) {
    validities_.Reset(sources);
    for (const arrow::Array* array : sources) texts_.push_back(static_cast<const arrow::StringArray*>(array));
  }
  void Begin() {
    null_ = true;
    indexed_ = false;
  }
  void End() {
    if (null_) {
      Check(builder_.AppendNull());
    } else {
      Check(builder_.Append(text_));
    }
  }
  void Set(const RowRef& row) {
    Begin();
    if (validities_.Has(row)) Start(At(row));
  }
  void Add(const RowRef& row) {
    if (!validities_.Has(row)) return;
    if (null_) return Start(At(row));
    Join(At(row));
  }
  void AddOlder(const RowRef& row) {
    if (!validities_.Has(row)) return;
    if (null_) return Start(At(row));
    newer_ = text_;
    Start(At(row));
    Join(newer_);
  }
  void Retract(const RowRef&) { RefuseRetract(rule_); }
  void RetractOlder(const RowRef&) { RefuseRetract(rule_); }
  std::shared_ptr<arrow::Array> Finish() { return Take(builder_.Finish()); }

 private:
  std::string_view At(const RowRef& row) const { return texts_[row.source]->GetView(row.row); }

  void Start(std::string_view text) {
    text_ = text;
    null_ = indexed_ = false;
  }

  // Neither is NULL.
  void Join(std::string_view more) {
    if (more.empty()) return;
    if (text_.empty()) return Start(more);
    const std::string_view delimiter = rule_.merge.delimiter;
    if (!rule_.merge.distinct) {
      text_.append(delimiter).append(more);
      return;
    }
    if (!indexed_) {
      items_.Clear();
      ForEachItem(text_, delimiter, [&](std::string_view item) { items_.Insert(item); });
      indexed_ = true;
    }
    ForEachItem(more, delimiter, [&](std::string_view item) {
      if (!item.empty() && items_.Insert(item).second) text_.append(delimiter).append(item);
    });
  }

  const ColumnRule& rule_;
  Validities validities_;
  std::vector<const arrow::StringArray*> texts_;
  bool null_ = true;
  std::string text_, newer_;
  ElementSet items_;      // of the text, with `distinct`
  bool indexed_ = false;  // whether they are in it
  arrow::StringBuilder builder_;
};

}  // namespace

std::unique_ptr<ColumnMerge> MakeTextMerge(const ColumnRule& rule) {
  return std::make_unique<ComputedMerge<ListaggKernel>>(rule);
}

}  // namespace mica
