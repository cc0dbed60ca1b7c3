#include "merge/list_column.h"

#include <algorithm>
#include <cstring>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include "base/arrow.h"
#include "merge/gather.h"
#include "merge/run_cursor.h"

namespace mica {

std::shared_ptr<arrow::Array> GatherElements(const std::vector<const arrow::Array*>& sources, const Elements& elements,
                                             const std::shared_ptr<arrow::DataType>& type) {
  const auto null_source = static_cast<uint32_t>(sources.size());
  std::vector<Segment> segments;
  bool nulls = false;
  for (const RowRef& element : elements) {
    if (element.source == kNullSource) {
      segments.push_back({null_source, 0, 1});
      nulls = true;
    } else {
      AppendSegment(element.source, element.row, int64_t{element.row} + 1, &segments);
    }
  }
  std::vector<const arrow::Array*> all = sources;
  const std::shared_ptr<arrow::Array> null = nulls ? Take(arrow::MakeArrayOfNull(type, 1)) : nullptr;
  all.push_back(null.get());
  return GatherColumn(all, segments, static_cast<int64_t>(elements.size()), type);
}

void ListEnds::Add(size_t end, bool null) {
  if (end > static_cast<size_t>(INT32_MAX)) {
    throw Unsupported("A batch would hold more than 2147483647 elements in one column ('{}')", end);
  }
  offsets_.push_back(static_cast<int32_t>(end));
  valid_.push_back(!null);
}

std::shared_ptr<arrow::Array> ListEnds::Finish(const std::shared_ptr<arrow::DataType>& type,
                                               const std::shared_ptr<arrow::Array>& child) const {
  const size_t bytes = offsets_.size() * sizeof(int32_t);
  std::shared_ptr<arrow::Buffer> offsets = Take(arrow::AllocateBuffer(static_cast<int64_t>(bytes)));
  std::memcpy(offsets->mutable_data(), offsets_.data(), bytes);
  int64_t nulls = 0;
  auto validity = ValidityBitmap(valid_, &nulls);
  return arrow::MakeArray(arrow::ArrayData::Make(type, static_cast<int64_t>(valid_.size()),
                                                 {std::move(validity), std::move(offsets)}, {child->data()}, nulls));
}

std::shared_ptr<arrow::Buffer> ValidityBitmap(const std::vector<bool>& valid, int64_t* null_count) {
  *null_count = static_cast<int64_t>(std::count(valid.begin(), valid.end(), false));
  if (*null_count == 0) return nullptr;
  std::shared_ptr<arrow::Buffer> bits =
      Take(arrow::AllocateBuffer(arrow::bit_util::BytesForBits(static_cast<int64_t>(valid.size()))));
  for (size_t i = 0; i < valid.size(); ++i) {
    arrow::bit_util::SetBitTo(bits->mutable_data(), static_cast<int64_t>(i), valid[i]);
  }
  return bits;
}

}  // namespace mica
