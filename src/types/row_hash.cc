// HashRows of arrow_types.h: the hash of the BinaryRow that a batch's rows would have (Format 6.1, 7.1), without making
// it. Each block of rows goes through three passes that follow the layout of a row: null bits, then slots column by
// column, then the variable part column by column. The state of a row is its running hash and the end of its variable
// part.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include <arrow/api.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/decimal.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "types/arrow_types.h"
#include "types/decimal.h"
#include "types/timestamp.h"

namespace mica {

namespace {

constexpr int64_t kBlockRows = 1024;
constexpr uint32_t kSeed = 42;
constexpr size_t kMaxInline = 7;

inline uint32_t MixLong(uint32_t hash, uint64_t word) {
  return MurmurMix(MurmurMix(hash, static_cast<uint32_t>(word)), static_cast<uint32_t>(word >> 32));
}

struct Block {
  std::array<uint32_t, kBlockRows> hash;
  std::array<uint32_t, kBlockRows> end;  // bytes of the row so far; only kept when there is a variable part
  int64_t first = 0;                     // row of the batch
  int64_t rows = 0;
};

struct KeyColumn {
  const arrow::Array* array;
  DataType type;
  bool has_nulls;
  bool is_variable;

  bool IsNullAt(int64_t row) const { return has_nulls && array->IsNull(row); }
};

bool IsVariable(const DataType& type) {
  if (type.root() == TypeRoot::kDecimal) return !type.IsCompactDecimal();
  if (type.IsTimestamp()) return !type.IsCompactTimestamp();
  return type.IsString() || type.IsBinary() || type.root() == TypeRoot::kBlob;
}

void HashNullBits(const std::vector<KeyColumn>& columns, Block* block) {
  const size_t words = (columns.size() + 63 + 8) / 64;
  uint32_t empty = kSeed;
  for (size_t i = 0; i < words; ++i) empty = MixLong(empty, 0);
  const bool any_nulls = std::any_of(columns.begin(), columns.end(), [](const KeyColumn& c) { return c.has_nulls; });
  if (!any_nulls) {
    std::fill_n(block->hash.begin(), block->rows, empty);
    return;
  }
  for (int64_t i = 0; i < block->rows; ++i) {
    uint32_t hash = kSeed;
    for (size_t word = 0, column = 0; word < words; ++word) {
      uint64_t bits = 0;
      // The first word gives its low byte to the row kind.
      for (size_t bit = word == 0 ? 8 : 0; bit < 64 && column < columns.size(); ++bit, ++column) {
        bits |= static_cast<uint64_t>(columns[column].IsNullAt(block->first + i)) << bit;
      }
      hash = MixLong(hash, bits);
    }
    block->hash[static_cast<size_t>(i)] = hash;
  }
}

// Slots of values that fit one: `load(row)` gives the word of a value that is not NULL.
template <typename Load>
void HashSlots(const KeyColumn& column, Block* block, Load load) {
  uint32_t* hash = block->hash.data();
  if (!column.has_nulls) {
    for (int64_t i = 0; i < block->rows; ++i) hash[i] = MixLong(hash[i], load(block->first + i));
    return;
  }
  for (int64_t i = 0; i < block->rows; ++i) {
    const int64_t row = block->first + i;
    hash[i] = MixLong(hash[i], column.array->IsNull(row) ? 0 : load(row));
  }
}

template <typename ArrayType, typename Unsigned>
void HashIntegerSlots(const KeyColumn& column, Block* block) {
  const auto* values = static_cast<const ArrayType*>(column.array)->raw_values();
  HashSlots(column, block, [values](int64_t row) -> uint64_t { return static_cast<Unsigned>(values[row]); });
}

template <typename Float, typename Unsigned>
void HashFloatSlots(const KeyColumn& column, Block* block) {
  const auto* values =
      static_cast<const arrow::NumericArray<typename arrow::CTypeTraits<Float>::ArrowType>*>(column.array)
          ->raw_values();
  HashSlots(column, block, [values](int64_t row) -> uint64_t {
    const Float value = values[row];
    return std::bit_cast<Unsigned>(std::isnan(value) ? std::numeric_limits<Float>::quiet_NaN() : value);
  });
}

void HashStringSlots(const KeyColumn& column, Block* block) {
  const auto& array = static_cast<const arrow::BinaryArray&>(*column.array);
  const int32_t* offsets = array.raw_value_offsets();
  const uint8_t* data = array.value_data() ? array.value_data()->data() : nullptr;
  for (int64_t i = 0; i < block->rows; ++i) {
    const int64_t row = block->first + i;
    uint64_t word = 0;
    if (!column.IsNullAt(row)) {
      const auto size = static_cast<size_t>(offsets[row + 1] - offsets[row]);
      if (size <= kMaxInline) {
        if (size > 0) std::memcpy(&word, data + offsets[row], size);
        word |= static_cast<uint64_t>(0x80 | size) << 56;
      } else {
        word = static_cast<uint64_t>(block->end[i]) << 32 | size;
        block->end[i] += static_cast<uint32_t>((size + 7) / 8 * 8);
      }
    }
    block->hash[i] = MixLong(block->hash[i], word);
  }
}

void HashStringBlocks(const KeyColumn& column, Block* block) {
  const auto& array = static_cast<const arrow::BinaryArray&>(*column.array);
  const int32_t* offsets = array.raw_value_offsets();
  const uint8_t* data = array.value_data() ? array.value_data()->data() : nullptr;
  for (int64_t i = 0; i < block->rows; ++i) {
    const int64_t row = block->first + i;
    if (column.IsNullAt(row)) continue;
    auto size = static_cast<size_t>(offsets[row + 1] - offsets[row]);
    if (size <= kMaxInline) continue;
    const uint8_t* from = data + offsets[row];
    uint32_t hash = block->hash[i];
    for (; size >= 8; size -= 8, from += 8) hash = MixLong(hash, LoadLittle<uint64_t>(from));
    if (size > 0) {
      uint64_t word = 0;
      std::memcpy(&word, from, size);
      hash = MixLong(hash, word);
    }
    block->hash[i] = hash;
  }
}

// Sixteen bytes: the value's fewest bytes, big-endian, then zeros.
struct DecimalBlock {
  uint64_t words[2] = {0, 0};
  uint32_t size = 0;
};

DecimalBlock DecimalBlockAt(const KeyColumn& column, int64_t row) {
  DecimalBlock result;
  if (column.IsNullAt(row)) return result;
  const uint8_t* little = static_cast<const arrow::Decimal128Array&>(*column.array).Value(row);
  const uint8_t filler = (little[15] & 0x80) ? 0xff : 0;
  uint32_t size = 16;
  while (size > 1 && little[size - 1] == filler && ((little[size - 2] ^ filler) & 0x80) == 0) --size;
  uint8_t big[16] = {};
  for (uint32_t i = 0; i < size; ++i) big[i] = little[size - 1 - i];
  std::memcpy(result.words, big, 16);
  result.size = size;
  return result;
}

void HashDecimalSlots(const KeyColumn& column, Block* block) {
  for (int64_t i = 0; i < block->rows; ++i) {
    const uint32_t size = DecimalBlockAt(column, block->first + i).size;
    block->hash[i] = MixLong(block->hash[i], static_cast<uint64_t>(block->end[i]) << 32 | size);
    block->end[i] += 16;
  }
}

void HashDecimalBlocks(const KeyColumn& column, Block* block) {
  for (int64_t i = 0; i < block->rows; ++i) {
    const DecimalBlock decimal = DecimalBlockAt(column, block->first + i);
    block->hash[i] = MixLong(MixLong(block->hash[i], decimal.words[0]), decimal.words[1]);
  }
}

int64_t UnitsPerMilli(const KeyColumn& column) {
  switch (static_cast<const arrow::TimestampType&>(*column.array->type()).unit()) {
    case arrow::TimeUnit::MICRO: return 1000;
    case arrow::TimeUnit::NANO: return 1'000'000;
    default: return 1;
  }
}

void HashTimestampSlots(const KeyColumn& column, Block* block) {
  const int64_t* values = static_cast<const arrow::TimestampArray&>(*column.array).raw_values();
  const int64_t units = UnitsPerMilli(column);
  for (int64_t i = 0; i < block->rows; ++i) {
    const int64_t row = block->first + i;
    uint32_t nanos = 0;
    if (!column.IsNullAt(row)) {
      nanos = static_cast<uint32_t>(FloorModulo(values[row], units) * (1'000'000 / units));
    }
    block->hash[i] = MixLong(block->hash[i], static_cast<uint64_t>(block->end[i]) << 32 | nanos);
    block->end[i] += 8;
  }
}

void HashTimestampBlocks(const KeyColumn& column, Block* block) {
  const int64_t* values = static_cast<const arrow::TimestampArray&>(*column.array).raw_values();
  const int64_t units = UnitsPerMilli(column);
  for (int64_t i = 0; i < block->rows; ++i) {
    const int64_t row = block->first + i;
    const int64_t millis = column.IsNullAt(row) ? 0 : FloorDivide(values[row], units);
    block->hash[i] = MixLong(block->hash[i], static_cast<uint64_t>(millis));
  }
}

void HashColumnSlots(const KeyColumn& column, Block* block) {
  switch (column.type.root()) {
    case TypeRoot::kBoolean: {
      const auto& array = static_cast<const arrow::BooleanArray&>(*column.array);
      return HashSlots(column, block, [&](int64_t row) -> uint64_t { return array.Value(row); });
    }
    case TypeRoot::kTinyInt: return HashIntegerSlots<arrow::Int8Array, uint8_t>(column, block);
    case TypeRoot::kSmallInt: return HashIntegerSlots<arrow::Int16Array, uint16_t>(column, block);
    case TypeRoot::kInt: return HashIntegerSlots<arrow::Int32Array, uint32_t>(column, block);
    case TypeRoot::kDate: return HashIntegerSlots<arrow::Date32Array, uint32_t>(column, block);
    case TypeRoot::kTime: return HashIntegerSlots<arrow::Time32Array, uint32_t>(column, block);
    case TypeRoot::kBigInt: return HashIntegerSlots<arrow::Int64Array, uint64_t>(column, block);
    case TypeRoot::kFloat: return HashFloatSlots<float, uint32_t>(column, block);
    case TypeRoot::kDouble: return HashFloatSlots<double, uint64_t>(column, block);
    case TypeRoot::kDecimal: {
      if (column.is_variable) return HashDecimalSlots(column, block);
      const auto& array = static_cast<const arrow::Decimal128Array&>(*column.array);
      return HashSlots(column, block, [&](int64_t row) { return LoadLittle<uint64_t>(array.Value(row)); });
    }
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: {
      if (column.is_variable) return HashTimestampSlots(column, block);
      return HashIntegerSlots<arrow::TimestampArray, uint64_t>(column, block);
    }
    default: return HashStringSlots(column, block);
  }
}

void HashColumnBlocks(const KeyColumn& column, Block* block) {
  switch (column.type.root()) {
    case TypeRoot::kDecimal: return HashDecimalBlocks(column, block);
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: return HashTimestampBlocks(column, block);
    default: return HashStringBlocks(column, block);
  }
}

}  // namespace

void HashRows(const arrow::RecordBatch& batch, std::span<const int> columns, std::span<const DataType> types,
              std::vector<int32_t>* hashes) {
  MICA_CHECK(columns.size() == types.size());
  std::vector<KeyColumn> keys;
  bool any_variable = false;
  for (size_t i = 0; i < columns.size(); ++i) {
    const auto& array = *batch.column(columns[i]);
    if (!types[i].IsPrimitive() && types[i].root() != TypeRoot::kBlob) {
      throw Unsupported("Rows cannot be hashed by a column of type '{}'", types[i].ToString());
    }
    const auto wanted = ToArrowType(types[i]);
    const bool same_unit = !types[i].IsTimestamp() || array.type_id() != arrow::Type::TIMESTAMP ||
                           static_cast<const arrow::TimestampType&>(*array.type()).unit() ==
                               static_cast<const arrow::TimestampType&>(*wanted).unit();
    if (array.type_id() != wanted->id() || !same_unit) {
      throw InvalidArgument("An Arrow array of type '{}' does not hold values of type '{}'", array.type()->ToString(),
                            types[i].ToString());
    }
    keys.push_back({&array, types[i], array.null_count() > 0, IsVariable(types[i])});
    any_variable |= keys.back().is_variable;
  }

  hashes->resize(static_cast<size_t>(batch.num_rows()));
  const auto fixed_bytes = static_cast<uint32_t>((keys.size() + 63 + 8) / 64 * 8 + 8 * keys.size());
  Block block;
  for (block.first = 0; block.first < batch.num_rows(); block.first += kBlockRows) {
    block.rows = std::min(kBlockRows, batch.num_rows() - block.first);
    HashNullBits(keys, &block);
    int32_t* out = hashes->data() + block.first;
    if (any_variable) std::fill_n(block.end.begin(), block.rows, fixed_bytes);
    for (const KeyColumn& key : keys) HashColumnSlots(key, &block);
    if (!any_variable) {
      for (int64_t i = 0; i < block.rows; ++i) out[i] = MurmurFinish(block.hash[i], fixed_bytes);
      continue;
    }
    for (const KeyColumn& key : keys) {
      if (key.is_variable) HashColumnBlocks(key, &block);
    }
    for (int64_t i = 0; i < block.rows; ++i) out[i] = MurmurFinish(block.hash[i], block.end[i]);
  }
}

}  // namespace mica
