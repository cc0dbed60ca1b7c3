// Bit-sliced indexes of numbers (Format 11), which are read only: positive and negative numbers apart, by absolute value.
#include <limits>

#include "base/error.h"
#include "index/bit_slices.h"
#include "index/index_value.h"

namespace mica {
namespace {

BitSlices ReadSlices(IndexInput* in) {
  if (in->Read<int8_t>() != 1) throw Unsupported("A BSI index has an unknown version");
  in->Read<int64_t>();  // smallest and greatest number
  in->Read<int64_t>();
  BitSlices slices;
  std::string_view rest = in->rest();
  slices.existing = RowSet::Take(&rest);
  in->Bytes(static_cast<int64_t>(in->rest().size() - rest.size()));
  const auto count = in->Read<int32_t>();
  if (count < 0 || count > 64) throw Corrupt("A BSI index has {} slices", count);
  rest = in->rest();
  for (int32_t i = 0; i < count; ++i) slices.slices.push_back(RowSet::Take(&rest));
  in->Bytes(static_cast<int64_t>(in->rest().size() - rest.size()));
  return slices;
}

class BsiIndex final : public OrderedIndex {
 public:
  BsiIndex(std::string_view body, DataType type) : type_(std::move(type)) {
    IndexInput in(body);
    if (in.Read<int8_t>() != 1) throw Unsupported("A BSI index has an unknown version");
    row_count_ = static_cast<uint32_t>(in.Read<int32_t>());
    if (in.Read<int8_t>() != 0) positive_ = ReadSlices(&in);
    if (in.Read<int8_t>() != 0) negative_ = ReadSlices(&in);
  }

 protected:
  std::optional<BitSlices::Compared> Compare(const Value& literal) const override {
    const auto number = NumberOf(literal);
    if (!number) return std::nullopt;
    BitSlices::Compared out;
    if (*number < 0) {
      out = negative_.Compare(uint64_t{0} - static_cast<uint64_t>(*number));
      std::swap(out.less, out.greater);
      out.greater |= positive_.existing;
    } else {
      out = positive_.Compare(static_cast<uint64_t>(*number));
      out.less |= negative_.existing;
    }
    return out;
  }
  RowSet NotNull() const override {
    RowSet rows = positive_.existing;
    rows |= negative_.existing;
    return rows;
  }
  uint32_t row_count() const override { return row_count_; }

 private:
  std::optional<int64_t> NumberOf(const Value& literal) const {
    if (const auto* number = std::get_if<int64_t>(&literal)) return *number;
    if (const auto* decimal = std::get_if<DecimalValue>(&literal)) {
      const bool fits = decimal->unscaled >= std::numeric_limits<int64_t>::min() &&
                        decimal->unscaled <= std::numeric_limits<int64_t>::max();
      return fits ? std::optional(static_cast<int64_t>(decimal->unscaled)) : std::nullopt;
    }
    const auto* time = std::get_if<TimestampValue>(&literal);
    if (time == nullptr || type_.precision() > 6) return std::nullopt;
    return type_.precision() <= 3 ? time->millis : time->millis * 1000 + time->nanos_of_milli / 1000;
  }

  DataType type_;
  uint32_t row_count_ = 0;
  BitSlices positive_, negative_;
};

}  // namespace

std::unique_ptr<ColumnIndex> OpenBsiIndex(std::string_view body, const DataType& type) {
  const bool number = type.IsInteger() || type.root() == TypeRoot::kDecimal || type.root() == TypeRoot::kDate ||
                      type.root() == TypeRoot::kTime || type.IsTimestamp();
  // Wider ones would have been cut.
  if (!number || (type.root() == TypeRoot::kDecimal && !type.IsCompactDecimal())) return nullptr;
  return std::make_unique<BsiIndex>(body, type);
}

}  // namespace mica
