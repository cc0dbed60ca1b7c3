#include "types/binary_row.h"

#include <bit>
#include <cmath>
#include <limits>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "types/decimal.h"

namespace mica {

namespace {

constexpr size_t kMaxInline = 7;
constexpr size_t kDecimalBlock = 16;
constexpr size_t kTimestampBlock = 8;

// Format 6.1: eight bits of row kind, then a bit a field, in whole words.
constexpr size_t NullBytes(size_t arity) {
  return (arity + 63 + 8) / 64 * 8;
}

// The low bytes of the slot of a value that fits one; the rest is zero.
uint64_t FixedSlot(const Value& value, TypeRoot root) {
  switch (root) {
    case TypeRoot::kBoolean: return std::get<bool>(value) ? 1 : 0;
    case TypeRoot::kTinyInt: return static_cast<uint8_t>(std::get<int64_t>(value));
    case TypeRoot::kSmallInt: return static_cast<uint16_t>(std::get<int64_t>(value));
    case TypeRoot::kInt:
    case TypeRoot::kDate:
    case TypeRoot::kTime: return static_cast<uint32_t>(std::get<int64_t>(value));
    // Format 7.1: one bit pattern for all NaNs, while the zeros keep their sign.
    case TypeRoot::kFloat: {
      const float number = std::get<float>(value);
      return std::bit_cast<uint32_t>(std::isnan(number) ? std::numeric_limits<float>::quiet_NaN() : number);
    }
    case TypeRoot::kDouble: {
      const double number = std::get<double>(value);
      return std::bit_cast<uint64_t>(std::isnan(number) ? std::numeric_limits<double>::quiet_NaN() : number);
    }
    case TypeRoot::kDecimal: return static_cast<uint64_t>(std::get<DecimalValue>(value).unscaled);
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: return static_cast<uint64_t>(std::get<TimestampValue>(value).millis);
    default: return static_cast<uint64_t>(std::get<int64_t>(value));
  }
}

// Builds one row. Values are added in field order, because the blocks of the variable part lie in that order.
class RowBuilder {
 public:
  explicit RowBuilder(size_t arity) : slots_(NullBytes(arity)), bytes_(slots_ + 8 * arity, '\0') {}

  void Add(const Value& value, const DataType& type) {
    const bool null = IsNull(value);
    if (null) SetNullBit();
    if (type.root() == TypeRoot::kDecimal && !type.IsCompactDecimal()) {
      AddBlock(null ? "" : DecimalToBigEndian(std::get<DecimalValue>(value).unscaled), kDecimalBlock);
    } else if (type.IsTimestamp() && !type.IsCompactTimestamp()) {
      const TimestampValue timestamp = null ? TimestampValue{} : std::get<TimestampValue>(value);
      std::string millis;
      AppendLittle(millis, timestamp.millis);
      AddBlock(millis, kTimestampBlock, static_cast<uint32_t>(timestamp.nanos_of_milli));
    } else if (null) {
      SetSlot(0);
    } else if (type.IsString() || type.IsBinary() || type.root() == TypeRoot::kBlob) {
      AddString(std::get<std::string>(value));
    } else if (type.IsPrimitive()) {
      SetSlot(FixedSlot(value, type.root()));
    } else {
      throw Unsupported("A value of type '{}' cannot be put into a row", type.ToString());
    }
    ++position_;
  }

  std::string Finish() && { return std::move(bytes_); }

 private:
  void SetNullBit() {
    const size_t bit = position_ + 8;
    bytes_[bit >> 3] = static_cast<char>(bytes_[bit >> 3] | (1 << (bit & 7)));
  }

  void SetSlot(uint64_t word) { StoreLittle(bytes_.data() + slots_ + 8 * position_, word); }

  // The slot holds the block's offset and, by default, the length of what is in it.
  void AddBlock(std::string_view content, size_t reserved, uint32_t low_half) {
    SetSlot(static_cast<uint64_t>(bytes_.size()) << 32 | low_half);
    bytes_.append(content);
    bytes_.append(reserved - content.size(), '\0');
  }
  void AddBlock(std::string_view content, size_t reserved) {
    AddBlock(content, reserved, static_cast<uint32_t>(content.size()));
  }

  void AddString(std::string_view content) {
    if (content.size() > kMaxInline) return AddBlock(content, (content.size() + 7) / 8 * 8);
    uint64_t word = 0;
    std::memcpy(&word, content.data(), content.size());
    SetSlot(word | static_cast<uint64_t>(0x80 | content.size()) << 56);
  }

  size_t slots_;  // where the slots begin
  std::string bytes_;
  size_t position_ = 0;
};

}  // namespace

BinaryRow::BinaryRow() : bytes_(NullBytes(0), '\0') {}

BinaryRow BinaryRow::Of(std::span<const Value> values, std::span<const DataType> types) {
  MICA_CHECK(values.size() == types.size());
  RowBuilder builder(values.size());
  for (size_t i = 0; i < values.size(); ++i) builder.Add(values[i], types[i]);
  return BinaryRow(static_cast<int32_t>(values.size()), std::move(builder).Finish());
}

BinaryRow BinaryRow::Deserialize(std::string_view serialized) {
  if (serialized.size() < 4) throw Corrupt("A serialized row has only '{}' bytes", serialized.size());
  const auto arity = LoadBig<int32_t>(serialized.data());
  serialized.remove_prefix(4);
  if (arity < 0 || serialized.size() < NullBytes(static_cast<size_t>(arity)) + 8 * static_cast<size_t>(arity)) {
    throw Corrupt("A serialized row of '{}' fields does not fit its '{}' bytes", arity, serialized.size());
  }
  return BinaryRow(arity, std::string(serialized));
}

std::string BinaryRow::Serialize() const {
  std::string serialized;
  serialized.reserve(4 + bytes_.size());
  AppendBig(serialized, arity_);
  return serialized + bytes_;
}

bool BinaryRow::IsNullAt(int32_t position) const {
  if (position < 0 || position >= arity_) throw Corrupt("A row of '{}' fields has no field '{}'", arity_, position);
  const size_t bit = static_cast<size_t>(position) + 8;
  if (bit >> 3 >= bytes_.size()) throw Corrupt("A row of '{}' bytes has no field '{}'", bytes_.size(), position);
  return (static_cast<uint8_t>(bytes_[bit >> 3]) >> (bit & 7)) & 1;
}

Value BinaryRow::Get(int32_t position, const DataType& type) const {
  if (IsNullAt(position)) return {};
  const size_t slot = NullBytes(static_cast<size_t>(arity_)) + 8 * static_cast<size_t>(position);
  if (slot + 8 > bytes_.size()) throw Corrupt("A row of '{}' bytes has no field '{}'", bytes_.size(), position);
  const auto word = LoadLittle<uint64_t>(bytes_.data() + slot);
  const auto low_half = static_cast<uint32_t>(word);
  auto block = [&](size_t length) {
    const size_t offset = word >> 32;
    if (offset > bytes_.size() || length > bytes_.size() - offset) {
      throw Corrupt("Field '{}' reaches beyond the '{}' bytes of its row", position, bytes_.size());
    }
    return std::string_view(bytes_).substr(offset, length);
  };

  switch (type.root()) {
    case TypeRoot::kBoolean: return static_cast<uint8_t>(word) != 0;
    case TypeRoot::kTinyInt: return int64_t{static_cast<int8_t>(word)};
    case TypeRoot::kSmallInt: return int64_t{static_cast<int16_t>(word)};
    case TypeRoot::kInt:
    case TypeRoot::kDate:
    case TypeRoot::kTime: return int64_t{static_cast<int32_t>(low_half)};
    case TypeRoot::kBigInt: return static_cast<int64_t>(word);
    case TypeRoot::kFloat: return std::bit_cast<float>(low_half);
    case TypeRoot::kDouble: return std::bit_cast<double>(word);
    case TypeRoot::kDecimal:
      if (type.IsCompactDecimal()) return DecimalValue{static_cast<int64_t>(word)};
      return DecimalValue{DecimalFromBigEndian(block(low_half))};
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      if (type.IsCompactTimestamp()) return TimestampValue{static_cast<int64_t>(word), 0};
      if (low_half > 999'999) throw Corrupt("Field '{}' has '{}' nanoseconds of a millisecond", position, low_half);
      return TimestampValue{LoadLittle<int64_t>(block(kTimestampBlock).data()), static_cast<int32_t>(low_half)};
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBlob: {
      if (!(word >> 63)) return std::string(block(low_half));
      const size_t length = word >> 56 & 0x7f;
      if (length > kMaxInline) throw Corrupt("Field '{}' has '{}' bytes inside of its slot", position, length);
      return bytes_.substr(slot, length);
    }
    default: throw Unsupported("A value of type '{}' cannot be taken from a row", type.ToString());
  }
}

std::vector<Value> BinaryRow::Values(std::span<const DataType> types) const {
  if (types.size() != static_cast<size_t>(arity_)) {
    throw Corrupt("A row has '{}' fields, but '{}' are expected", arity_, types.size());
  }
  std::vector<Value> values;
  values.reserve(types.size());
  for (int32_t i = 0; i < arity_; ++i) values.push_back(Get(i, types[static_cast<size_t>(i)]));
  return values;
}

int32_t BinaryRow::Hash() const {
  return HashByWords(bytes_);
}

}  // namespace mica
