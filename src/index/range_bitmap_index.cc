// Range bitmap indexes (Format 11), which are read only: a dictionary of the distinct values in chunks, and bit slices of
// their ranks.
#include <algorithm>

#include "base/bytes.h"
#include "base/error.h"
#include "index/bit_slices.h"
#include "index/index_value.h"

namespace mica {
namespace {

std::string_view Part(std::string_view bytes, int64_t start, int64_t length) {
  if (start < 0 || length < 0 || static_cast<uint64_t>(start) > bytes.size() ||
      static_cast<uint64_t>(length) > bytes.size() - static_cast<uint64_t>(start)) {
    throw Corrupt("A range bitmap index refers to bytes behind its end");
  }
  return bytes.substr(static_cast<size_t>(start), static_cast<size_t>(length));
}

// A header that begins with its own length; `in` stands behind it afterwards.
IndexInput TakeHeader(IndexInput* in) {
  IndexInput header(in->Bytes(in->Read<int32_t>()));
  if (header.Read<int8_t>() != 1) throw Unsupported("A range bitmap index has an unknown version");
  return header;
}

// The distinct values in order; the rank of the first of each chunk is known.
class Dictionary {
 public:
  Dictionary(std::string_view bytes, DataType type) : type_(std::move(type)), width_(IndexValueBytes(type_)) {
    IndexInput in(bytes);
    IndexInput header = TakeHeader(&in);
    const auto count = header.Read<int32_t>();
    const auto offsets_length = header.Read<int32_t>();
    const auto chunks_length = header.Read<int32_t>();
    IndexInput offsets(in.Bytes(offsets_length));
    const std::string_view chunks = in.Bytes(chunks_length);
    keys_ = in.rest();
    for (int32_t i = 0; i < count; ++i) {
      const auto offset = offsets.Read<int32_t>();
      IndexInput record(Part(chunks, offset, static_cast<int64_t>(chunks.size()) - offset));
      Chunk& chunk = chunks_.emplace_back();
      record.Read<int8_t>();
      chunk.first = ReadIndexValue(&record, type_);
      chunk.code = record.Read<int32_t>();
      chunk.offset = record.Read<int32_t>();
      chunk.size = record.Read<int32_t>();
      if (!width_) chunk.offsets_length = record.Read<int32_t>();
    }
  }

  // The rank of a value, or that of the first greater one.
  std::pair<int64_t, bool> Find(const Value& value) const {
    const auto next = std::partition_point(chunks_.begin(), chunks_.end(),
                                           [&](const Chunk& chunk) { return CompareValues(chunk.first, value) <= 0; });
    if (next == chunks_.begin()) return {0, false};
    const Chunk& chunk = *(next - 1);
    if (CompareValues(chunk.first, value) == 0) return {chunk.code, true};
    int32_t low = 0, high = chunk.size;
    while (low < high) {
      const int32_t middle = low + (high - low) / 2;
      const auto order = CompareValues(KeyAt(chunk, middle), value);
      if (order == 0) return {int64_t{chunk.code} + middle + 1, true};
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return {int64_t{chunk.code} + low + 1, false};
  }

 private:
  struct Chunk {
    Value first;
    int32_t code = 0, offset = 0, size = 0, offsets_length = 0;
  };

  // Of the keys behind the first.
  Value KeyAt(const Chunk& chunk, int32_t index) const {
    int64_t start = chunk.offset;
    if (width_) {
      start += int64_t{index} * *width_;
    } else {
      start += chunk.offsets_length + LoadBig<int32_t>(Part(keys_, chunk.offset + int64_t{index} * 4, 4).data());
    }
    IndexInput key(Part(keys_, start, static_cast<int64_t>(keys_.size()) - start));
    return ReadIndexValue(&key, type_);
  }

  DataType type_;
  std::optional<int32_t> width_;
  std::string_view keys_;
  std::vector<Chunk> chunks_;
};

BitSlices ReadSlices(std::string_view bytes) {
  IndexInput in(bytes);
  IndexInput header = TakeHeader(&in);
  const auto count = header.Read<int8_t>();
  const auto existing_length = header.Read<int32_t>();
  header.Read<int32_t>();  // bytes of the places that follow
  BitSlices slices;
  slices.existing = RowSet::Parse(in.Bytes(existing_length));
  for (int8_t i = 0; i < count; ++i) {
    const auto offset = header.Read<int32_t>();
    const auto length = header.Read<int32_t>();
    slices.slices.push_back(RowSet::Parse(Part(in.rest(), offset, length)));
  }
  return slices;
}

class RangeBitmapIndex final : public OrderedIndex {
 public:
  RangeBitmapIndex(std::string_view body, DataType type) : type_(std::move(type)) {
    IndexInput in(body);
    IndexInput header = TakeHeader(&in);
    row_count_ = static_cast<uint32_t>(header.Read<int32_t>());
    const auto cardinality = header.Read<int32_t>();
    if (cardinality <= 0) return;
    ReadIndexValue(&header, type_);  // the smallest and the greatest
    ReadIndexValue(&header, type_);
    const auto dictionary = in.Bytes(header.Read<int32_t>());
    dictionary_.emplace(dictionary, type_);
    slices_ = ReadSlices(in.rest());
  }

 protected:
  std::optional<BitSlices::Compared> Compare(const Value& literal) const override {
    // What the index holds of these is not the whole value, or has other forms that are equal.
    if (type_.root() == TypeRoot::kChar || (type_.IsTimestamp() && type_.precision() > 6)) return std::nullopt;
    const auto* single = std::get_if<float>(&literal);
    const auto* wide = std::get_if<double>(&literal);
    if ((single != nullptr && *single == 0) || (wide != nullptr && *wide == 0)) return std::nullopt;
    if (!dictionary_) return BitSlices::Compared();
    const auto [rank, found] = dictionary_->Find(literal);
    auto compared = slices_.Compare(static_cast<uint64_t>(rank));
    if (found) return compared;
    compared.greater |= compared.equal;
    compared.equal = RowSet();
    return compared;
  }
  RowSet NotNull() const override { return slices_.existing; }
  uint32_t row_count() const override { return row_count_; }

 private:
  DataType type_;
  uint32_t row_count_ = 0;
  std::optional<Dictionary> dictionary_;
  BitSlices slices_;
};

}  // namespace

std::unique_ptr<ColumnIndex> OpenRangeBitmapIndex(std::string_view body, const DataType& type) {
  return std::make_unique<RangeBitmapIndex>(body, type);
}

}  // namespace mica
