// `rbm32` and `rbm64` (Engine 3.5): the union of serialised roaring bitmaps.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <roaring/roaring.h>

#include "base/arrow.h"
#include "index/roaring64.h"
#include "merge/column_merge.h"
#include "merge/step_kernel.h"

namespace mica {
namespace {

// 32 bits, in the form that all libraries share.
class Roaring32 {
 public:
  static Roaring32 Deserialize(std::string_view bytes) {
    Roaring32 bitmap;
    if (roaring_bitmap_portable_deserialize_size(bytes.data(), bytes.size()) != 0) {
      bitmap.bitmap_.reset(roaring_bitmap_portable_deserialize_safe(bytes.data(), bytes.size()));
    }
    if (bitmap.bitmap_ == nullptr) throw Corrupt("A 32-bit roaring bitmap cannot be read");
    return bitmap;
  }
  void UnionWith(const Roaring32& other) { roaring_bitmap_or_inplace(bitmap_.get(), other.bitmap_.get()); }
  std::string Serialize() const {
    roaring_bitmap_run_optimize(bitmap_.get());
    std::string bytes(roaring_bitmap_portable_size_in_bytes(bitmap_.get()), '\0');
    roaring_bitmap_portable_serialize(bitmap_.get(), bytes.data());
    return bytes;
  }

 private:
  struct Free {
    void operator()(roaring_bitmap_t* bitmap) const { roaring_bitmap_free(bitmap); }
  };
  std::unique_ptr<roaring_bitmap_t, Free> bitmap_;
};

template <typename Bitmap>
class BitmapKernel {
 public:
  BitmapKernel(const ColumnRule& rule, ColumnSources sources) : rule_(rule) {
    validities_.Reset(sources);
    for (const arrow::Array* array : sources) bytes_.push_back(static_cast<const arrow::BinaryArray*>(array));
  }
  void Begin() {
    current_ = {kNullSource, 0};
    bitmap_.reset();
  }
  void End() {
    if (bitmap_) {
      Check(builder_.Append(bitmap_->Serialize()));
    } else if (current_.source == kNullSource) {
      Check(builder_.AppendNull());
    } else {
      Check(builder_.Append(At(current_)));
    }
  }
  void Set(const RowRef& row) {
    Begin();
    if (validities_.Has(row)) current_ = row;
  }
  // The first bitmap is only read when a second one comes.
  void Add(const RowRef& row) {
    if (!validities_.Has(row)) return;
    if (current_.source == kNullSource) {
      current_ = row;
      return;
    }
    if (!bitmap_) bitmap_ = Read(current_);
    bitmap_->UnionWith(Read(row));
  }
  void AddOlder(const RowRef& row) { Add(row); }
  void Retract(const RowRef&) { RefuseRetract(rule_); }
  void RetractOlder(const RowRef&) { RefuseRetract(rule_); }
  std::shared_ptr<arrow::Array> Finish() { return Take(builder_.Finish()); }

 private:
  std::string_view At(const RowRef& row) const { return bytes_[row.source]->GetView(row.row); }

  Bitmap Read(const RowRef& row) const {
    try {
      return Bitmap::Deserialize(At(row));
    } catch (const Error& error) {
      throw InvalidArgument("A value of column '{}' ({} bytes) is no bitmap as '{}' needs it: {}", rule_.name,
                            At(row).size(), FunctionName(rule_.merge.function), error.message());
    }
  }

  const ColumnRule& rule_;
  Validities validities_;
  std::vector<const arrow::BinaryArray*> bytes_;
  RowRef current_;
  std::optional<Bitmap> bitmap_;  // of two and more
  arrow::BinaryBuilder builder_;
};

}  // namespace

std::unique_ptr<ColumnMerge> MakeBitmapMerge(const ColumnRule& rule) {
  if (rule.merge.function == FieldFunction::kRoaringBitmap64) {
    return std::make_unique<ComputedMerge<BitmapKernel<Roaring64>>>(rule);
  }
  return std::make_unique<ComputedMerge<BitmapKernel<Roaring32>>>(rule);
}

}  // namespace mica
