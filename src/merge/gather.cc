#include "merge/gather.h"

#include <cstring>
#include <limits>

#include <arrow/array.h>
#include <arrow/array/builder_base.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include "base/arrow.h"
#include "base/error.h"

namespace mica {
namespace {

// Stretches of up to so many bytes are copied as one block, past their end, where both sides have room: most stretches
// between two updates are short, and a loop over their values would be mispredicted.
constexpr size_t kBlock = 64;
// Rows in another order lie all over their sources: what is copied so many stretches later is fetched ahead.
constexpr size_t kAhead = 12;

std::shared_ptr<arrow::Buffer> Allocate(int64_t bytes) {
  return std::shared_ptr<arrow::Buffer>(Take(arrow::AllocateBuffer(bytes)));
}

// Copies bits of a bitmap of every segment's source; `bits_of` gives bitmap and offset, a null bitmap means all set.
template <typename BitsOf>
std::shared_ptr<arrow::Buffer> GatherBits(std::span<const Segment> segments, int64_t row_count, BitsOf bits_of) {
  std::shared_ptr<arrow::Buffer> buffer = Allocate(arrow::bit_util::BytesForBits(row_count));
  uint8_t* out = buffer->mutable_data();
  std::memset(out, 0, static_cast<size_t>(buffer->size()));
  int64_t at = 0;
  for (const Segment& segment : segments) {
    const auto [bits, offset] = bits_of(segment.source);
    if (bits == nullptr) {
      arrow::bit_util::SetBitsTo(out, at, segment.length, true);
      at += segment.length;
      continue;
    }
    const int64_t from = offset + segment.start;
    for (int64_t i = from; i < from + segment.length; ++i, ++at) {
      out[at >> 3] |= static_cast<uint8_t>(((bits[i >> 3] >> (i & 7)) & 1) << (at & 7));
    }
  }
  return buffer;
}

std::pair<const uint8_t*, int64_t> ValidityOf(const arrow::Array& array) {
  if (array.null_count() == 0) return {nullptr, 0};
  return {array.null_bitmap_data(), array.offset()};
}

// nullptr when no source has a null.
std::shared_ptr<arrow::Buffer> GatherValidity(std::span<const arrow::Array* const> sources,
                                              std::span<const Segment> segments, int64_t row_count) {
  bool nulls = false;
  for (const arrow::Array* source : sources) nulls = nulls || (source != nullptr && source->null_count() != 0);
  if (!nulls) return nullptr;
  return GatherBits(segments, row_count, [&](uint32_t source) { return ValidityOf(*sources[source]); });
}

// The values of a source, and where they end.
struct FixedValues {
  const uint8_t* begin = nullptr;
  const uint8_t* end = nullptr;
};

template <size_t kWidth>
void CopyFixed(std::span<const FixedValues> values, std::span<const Segment> segments, uint8_t* out,
               const uint8_t* out_end) {
  for (size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = segments[i];
    if (i + kAhead < segments.size()) {
      const Segment& later = segments[i + kAhead];
      __builtin_prefetch(values[later.source].begin + static_cast<size_t>(later.start) * kWidth);
    }
    const FixedValues& source = values[segment.source];
    const uint8_t* from = source.begin + static_cast<size_t>(segment.start) * kWidth;
    const size_t bytes = static_cast<size_t>(segment.length) * kWidth;
    if (bytes <= kBlock && source.end - from >= static_cast<ptrdiff_t>(kBlock) &&
        out_end - out >= static_cast<ptrdiff_t>(kBlock)) {
      std::memcpy(out, from, kBlock / 2);
      if (bytes > kBlock / 2) std::memcpy(out + kBlock / 2, from + kBlock / 2, kBlock / 2);
    } else {
      std::memcpy(out, from, bytes);
    }
    out += bytes;
  }
}

std::shared_ptr<arrow::Buffer> GatherFixed(std::span<const arrow::Array* const> sources,
                                           std::span<const Segment> segments, int64_t row_count, size_t width) {
  std::vector<FixedValues> values(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] == nullptr || sources[i]->length() == 0) continue;  // empty arrays may lack buffers
    const arrow::ArrayData& data = *sources[i]->data();
    values[i].begin = data.buffers[1]->data() + static_cast<size_t>(data.offset) * width;
    values[i].end = values[i].begin + static_cast<size_t>(data.length) * width;
  }
  std::shared_ptr<arrow::Buffer> buffer = Allocate(row_count * static_cast<int64_t>(width));
  uint8_t* out = buffer->mutable_data();
  const uint8_t* out_end = out + buffer->size();
  switch (width) {
    case 1:
      CopyFixed<1>(values, segments, out, out_end);
      break;
    case 2:
      CopyFixed<2>(values, segments, out, out_end);
      break;
    case 4:
      CopyFixed<4>(values, segments, out, out_end);
      break;
    case 8:
      CopyFixed<8>(values, segments, out, out_end);
      break;
    case 16:
      CopyFixed<16>(values, segments, out, out_end);
      break;
    default:
      for (const Segment& segment : segments) {
        std::memcpy(out, values[segment.source].begin + segment.start * width, segment.length * width);
        out += segment.length * width;
      }
  }
  return buffer;
}

// Short values are copied as blocks, past their end, where both sides have room.
inline void CopyText(uint8_t* out, const uint8_t* from, size_t bytes, const uint8_t* from_end, const uint8_t* out_end) {
  if (bytes <= 16 && from + 16 <= from_end && out + 16 <= out_end) {
    std::memcpy(out, from, 16);
  } else if (bytes <= kBlock && from_end - from >= static_cast<ptrdiff_t>(kBlock) &&
             out_end - out >= static_cast<ptrdiff_t>(kBlock)) {
    std::memcpy(out, from, kBlock);
  } else {
    std::memcpy(out, from, bytes);
  }
}

std::shared_ptr<arrow::ArrayData> GatherText(std::span<const arrow::Array* const> sources,
                                             std::span<const Segment> segments, int64_t row_count,
                                             const std::shared_ptr<arrow::DataType>& type) {
  struct Text {
    const int32_t* offsets = nullptr;
    const uint8_t* bytes = nullptr;
    const uint8_t* end = nullptr;
  };
  std::vector<Text> texts(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] == nullptr || sources[i]->length() == 0) continue;
    const arrow::ArrayData& data = *sources[i]->data();
    const auto& bytes = data.buffers[2];
    texts[i] = {data.GetValues<int32_t>(1), bytes != nullptr ? bytes->data() : nullptr,
                bytes != nullptr ? bytes->data() + bytes->size() : nullptr};
  }
  std::shared_ptr<arrow::Buffer> offsets = Allocate((row_count + 1) * static_cast<int64_t>(sizeof(int32_t)));
  auto* out_offsets = reinterpret_cast<int32_t*>(offsets->mutable_data());
  int64_t total = 0;
  for (const Segment& segment : segments) {
    const int32_t* from = texts[segment.source].offsets + segment.start;
    const int64_t shift = total - from[0];
    for (uint32_t i = 0; i < segment.length; ++i) *out_offsets++ = static_cast<int32_t>(from[i] + shift);
    total = from[segment.length] + shift;
    if (total > std::numeric_limits<int32_t>::max()) {
      throw Unsupported("A batch would hold more than 2 GB of text in one column ('{}' rows)", row_count);
    }
  }
  *out_offsets = static_cast<int32_t>(total);
  std::shared_ptr<arrow::Buffer> bytes = Allocate(total);
  uint8_t* out = bytes->mutable_data();
  const uint8_t* out_end = out + total;
  for (size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = segments[i];
    if (i + kAhead < segments.size()) {
      const Text& later = texts[segments[i + kAhead].source];
      __builtin_prefetch(later.bytes + later.offsets[segments[i + kAhead].start]);
    }
    const Text& text = texts[segment.source];
    const int32_t start = text.offsets[segment.start];
    const auto length = static_cast<size_t>(text.offsets[segment.start + segment.length] - start);
    if (length == 0) continue;
    CopyText(out, text.bytes + start, length, text.end, out_end);
    out += length;
  }
  return arrow::ArrayData::Make(type, row_count, {nullptr, std::move(offsets), std::move(bytes)});
}

}  // namespace

int64_t CountRows(std::span<const Segment> segments) {
  int64_t rows = 0;
  for (const Segment& segment : segments) rows += segment.length;
  return rows;
}

std::shared_ptr<arrow::Array> GatherColumn(std::span<const arrow::Array* const> sources,
                                           std::span<const Segment> segments, int64_t row_count,
                                           const std::shared_ptr<arrow::DataType>& type) {
  std::shared_ptr<arrow::ArrayData> data;
  if (type->id() == arrow::Type::BOOL) {
    data = arrow::ArrayData::Make(type, row_count, {nullptr, GatherBits(segments, row_count, [&](uint32_t source) {
                                                      const arrow::ArrayData& from = *sources[source]->data();
                                                      return std::pair<const uint8_t*, int64_t>(from.buffers[1]->data(),
                                                                                                from.offset);
                                                    })});
  } else if (type->id() == arrow::Type::STRING || type->id() == arrow::Type::BINARY) {
    data = GatherText(sources, segments, row_count, type);
  } else if (arrow::is_fixed_width(type->id()) && type->id() != arrow::Type::DICTIONARY &&
             type->id() != arrow::Type::EXTENSION) {
    data = arrow::ArrayData::Make(
        type, row_count, {nullptr, GatherFixed(sources, segments, row_count, static_cast<size_t>(type->byte_width()))});
  } else {
    std::unique_ptr<arrow::ArrayBuilder> builder = Take(arrow::MakeBuilder(type));
    Check(builder->Reserve(row_count));
    for (const Segment& segment : segments) {
      const arrow::ArraySpan span(*sources[segment.source]->data());
      Check(builder->AppendArraySlice(span, segment.start, segment.length));
    }
    return Take(builder->Finish());
  }
  data->buffers[0] = GatherValidity(sources, segments, row_count);
  data->SetNullCount(data->buffers[0] == nullptr ? 0 : arrow::kUnknownNullCount);
  return arrow::MakeArray(std::move(data));
}

namespace {

int64_t ArrayBytes(const arrow::ArrayData& data) {
  int64_t bytes = data.buffers[0] != nullptr ? data.length / 8 + 1 : 0;
  const arrow::DataType& type = *data.type;
  if (type.id() == arrow::Type::STRING || type.id() == arrow::Type::BINARY) {
    const auto* offsets = data.GetValues<int32_t>(1);
    return bytes + data.length * 4 + (data.length > 0 ? offsets[data.length] - offsets[0] : 0);
  }
  if (arrow::is_fixed_width(type.id())) return bytes + data.length * type.bit_width() / 8;
  if (type.id() == arrow::Type::STRUCT) {
    for (const auto& child : data.child_data) bytes += ArrayBytes(*child->Slice(data.offset, data.length));
    return bytes;
  }
  if (type.id() == arrow::Type::LIST || type.id() == arrow::Type::MAP) {
    const auto* offsets = data.GetValues<int32_t>(1);
    const int64_t first = data.length > 0 ? offsets[0] : 0, end = data.length > 0 ? offsets[data.length] : 0;
    return bytes + data.length * 4 + ArrayBytes(*data.child_data[0]->Slice(first, end - first));
  }
  for (size_t i = 1; i < data.buffers.size(); ++i) bytes += data.buffers[i] != nullptr ? data.buffers[i]->size() : 0;
  for (const auto& child : data.child_data) bytes += ArrayBytes(*child);
  return bytes;
}

}  // namespace

int64_t RowBytes(const arrow::RecordBatch& batch) {
  int64_t bytes = 0;
  for (int i = 0; i < batch.num_columns(); ++i) bytes += ArrayBytes(*batch.column_data(i));
  return bytes;
}

}  // namespace mica
