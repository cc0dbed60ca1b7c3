#include "format/orc_statistics.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include "base/arrow.h"
#include "base/error.h"
#include "format/protobuf.h"

namespace mica {

namespace {

using protobuf::Field;
using protobuf::ForEachField;

// Numbers of the fields in ORC's messages.
namespace metadata {
constexpr uint32_t kStripes = 1, kColumns = 1;
}
namespace column {
constexpr uint32_t kValueCount = 1, kInteger = 2, kText = 4, kDate = 7;
constexpr uint32_t kMinimum = 1, kMaximum = 2;  // in each of them
}  // namespace column

ColumnRange ParseColumn(std::string_view message, int64_t row_count) {
  ColumnRange range;
  ForEachField(message, [&](const Field& field) {
    if (field.number == column::kValueCount && field.varint <= static_cast<uint64_t>(row_count)) {
      range.null_count = row_count - static_cast<int64_t>(field.varint);
    }
    const bool text = field.number == column::kText;
    if (!text && field.number != column::kInteger && field.number != column::kDate) return;
    ForEachField(field.bytes, [&](const Field& bound) {
      if (bound.number != column::kMinimum && bound.number != column::kMaximum) return;
      Value value = text ? Value(std::string(bound.bytes)) : Value(protobuf::Unzigzag(bound.varint));
      (bound.number == column::kMinimum ? range.min : range.max) = std::move(value);
    });
  });
  return range;
}

}  // namespace

OrcStatistics OrcStatistics::Read(arrow::io::RandomAccessFile& file, const OrcTail& tail) {
  OrcStatistics statistics;
  const int64_t bytes = tail.metadata_bytes();
  auto stored = Take(file.ReadAt(tail.footer_offset() - bytes, bytes));
  const std::string content = tail.codec().DecompressAll(std::string_view(*stored));
  ForEachField(content, [&](const Field& field) {
    if (field.number != metadata::kStripes || statistics.stripes_.size() == tail.stripes().size()) return;
    const int64_t row_count = tail.stripes()[statistics.stripes_.size()].row_count;
    auto& columns = statistics.stripes_.emplace_back();
    ForEachField(field.bytes, [&](const Field& part) {
      if (part.number == metadata::kColumns) columns.push_back(ParseColumn(part.bytes, row_count));
    });
  });
  return statistics;
}

std::optional<ColumnRange> OrcStatistics::RangeOf(size_t stripe, size_t node) const {
  if (stripe >= stripes_.size() || node >= stripes_[stripe].size()) return std::nullopt;
  return stripes_[stripe][node];
}

}  // namespace mica
