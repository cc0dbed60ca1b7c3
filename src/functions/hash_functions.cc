// Spark's hash() and xxhash64() over any number of values: each value is hashed with the hash of those before it as its
// seed, NULL leaves it as it is, and arrays, maps and structs are hashed by their parts. Both give what Spark gives.
#include <cmath>

#define XXH_INLINE_ALL  // this library does not link it
#include <xxhash.h>

#include "functions/function_entries.h"
#include "types/decimal.h"

namespace mica::sql {

namespace {

using duckdb::DataChunk;
using duckdb::ExpressionState;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::string_t;
using duckdb::Vector;

// Murmur3 with 32 bits. Trailing bytes are words of their own.
struct Murmur {
  using Hash = uint32_t;

  static uint32_t Word(uint32_t word, uint32_t seed) { return Finish(Mix(seed, MixWord(word)), 4); }
  static uint32_t Long(uint64_t value, uint32_t seed) {
    uint32_t hash = Mix(seed, MixWord(static_cast<uint32_t>(value)));
    return Finish(Mix(hash, MixWord(static_cast<uint32_t>(value >> 32))), 8);
  }
  static uint32_t Bytes(std::string_view bytes, uint32_t seed) {
    uint32_t hash = seed;
    size_t whole = bytes.size() / 4 * 4;
    for (size_t i = 0; i < whole; i += 4) {
      uint32_t word;
      memcpy(&word, bytes.data() + i, 4);
      hash = Mix(hash, MixWord(word));
    }
    for (size_t i = whole; i < bytes.size(); ++i) {
      hash = Mix(hash, MixWord(static_cast<uint32_t>(static_cast<int32_t>(static_cast<signed char>(bytes[i])))));
    }
    return Finish(hash, static_cast<uint32_t>(bytes.size()));
  }

 private:
  static uint32_t Rotate(uint32_t x, int bits) { return (x << bits) | (x >> (32 - bits)); }
  static uint32_t MixWord(uint32_t k) { return Rotate(k * 0xcc9e2d51U, 15) * 0x1b873593U; }
  static uint32_t Mix(uint32_t h, uint32_t k) { return Rotate(h ^ k, 13) * 5 + 0xe6546b64U; }
  static uint32_t Finish(uint32_t h, uint32_t length) {
    h ^= length;
    h = (h ^ (h >> 16)) * 0x85ebca6bU;
    h = (h ^ (h >> 13)) * 0xc2b2ae35U;
    return h ^ (h >> 16);
  }
};

struct XxHash {
  using Hash = uint64_t;

  static uint64_t Word(uint32_t word, uint64_t seed) { return XXH64(&word, sizeof(word), seed); }
  static uint64_t Long(uint64_t value, uint64_t seed) { return XXH64(&value, sizeof(value), seed); }
  static uint64_t Bytes(std::string_view bytes, uint64_t seed) { return XXH64(bytes.data(), bytes.size(), seed); }
};

constexpr uint32_t kSeed = 42;

// The values of a column: which bits of one are hashed is decided once for the column.
template <typename Algorithm>
class HashedColumn {
 public:
  using Hash = typename Algorithm::Hash;

  HashedColumn(Vector& column, idx_t count) : type_(column.GetType()) {
    if (type_.id() == LogicalTypeId::ARRAY) {
      throw duckdb::NotImplementedException("hash of %s is not supported", type_.ToString());
    }
    column.ToUnifiedFormat(count, format_);
    if (type_.id() == LogicalTypeId::LIST || type_.id() == LogicalTypeId::MAP) {
      parts_.emplace_back(duckdb::ListVector::GetEntry(column), duckdb::ListVector::GetListSize(column));
    } else if (type_.id() == LogicalTypeId::STRUCT) {
      if (column.GetVectorType() != duckdb::VectorType::FLAT_VECTOR) column.Flatten(count);
      column.ToUnifiedFormat(count, format_);
      for (auto& part : duckdb::StructVector::GetEntries(column)) parts_.emplace_back(*part, count);
    }
  }

  Hash Of(idx_t row, Hash seed) const {
    const idx_t at = format_.sel->get_index(row);
    if (!format_.validity.RowIsValid(at)) return seed;
    switch (type_.id()) {
      case LogicalTypeId::SQLNULL:
        return seed;
      case LogicalTypeId::BOOLEAN:
        return Word(Value<bool>(at), seed);
      case LogicalTypeId::TINYINT:
        return Word(Value<int8_t>(at), seed);
      case LogicalTypeId::SMALLINT:
        return Word(Value<int16_t>(at), seed);
      case LogicalTypeId::INTEGER:
      case LogicalTypeId::DATE:
        return Word(Value<int32_t>(at), seed);
      case LogicalTypeId::BIGINT:
      case LogicalTypeId::TIMESTAMP:
      case LogicalTypeId::TIMESTAMP_TZ:
        return Long(Value<int64_t>(at), seed);
      case LogicalTypeId::FLOAT: {
        const float value = Value<float>(at) == 0 ? 0 : Value<float>(at);
        int32_t bits;
        memcpy(&bits, &value, sizeof(bits));
        return Word(std::isnan(value) ? 0x7fc00000 : bits, seed);
      }
      case LogicalTypeId::DOUBLE: {
        const double value = Value<double>(at) == 0 ? 0 : Value<double>(at);
        int64_t bits;
        memcpy(&bits, &value, sizeof(bits));
        return Long(std::isnan(value) ? 0x7ff8000000000000 : bits, seed);
      }
      case LogicalTypeId::VARCHAR:
      case LogicalTypeId::BLOB: {
        const string_t& text = duckdb::UnifiedVectorFormat::GetData<string_t>(format_)[at];
        return Algorithm::Bytes({text.GetData(), text.GetSize()}, seed);
      }
      case LogicalTypeId::DECIMAL:
        return Decimal(at, seed);
      case LogicalTypeId::LIST: {
        const auto entry = Value<duckdb::list_entry_t>(at);
        for (idx_t i = 0; i < entry.length; ++i) seed = parts_[0].Of(entry.offset + i, seed);
        return seed;
      }
      case LogicalTypeId::STRUCT:
        for (const HashedColumn& part : parts_) seed = part.Of(at, seed);
        return seed;
      default:  // maps too, as in Spark
        throw duckdb::NotImplementedException("hash of %s is not supported", type_.ToString());
    }
  }

 private:
  template <typename T>
  T Value(idx_t at) const {
    return duckdb::UnifiedVectorFormat::GetData<T>(format_)[at];
  }
  static Hash Word(int32_t value, Hash seed) { return Algorithm::Word(static_cast<uint32_t>(value), seed); }
  static Hash Long(int64_t value, Hash seed) { return Algorithm::Long(static_cast<uint64_t>(value), seed); }

  // The unscaled number: a long up to 18 digits, beyond that its bytes.
  Hash Decimal(idx_t at, Hash seed) const {
    switch (type_.InternalType()) {
      case duckdb::PhysicalType::INT16:
        return Long(Value<int16_t>(at), seed);
      case duckdb::PhysicalType::INT32:
        return Long(Value<int32_t>(at), seed);
      case duckdb::PhysicalType::INT64:
        return Long(Value<int64_t>(at), seed);
      default: {
        const auto value = Value<duckdb::hugeint_t>(at);
        return Algorithm::Bytes(DecimalToBigEndian(static_cast<Int128>(value.upper) << 64 | value.lower), seed);
      }
    }
  }

  LogicalType type_;
  duckdb::UnifiedVectorFormat format_;
  std::vector<HashedColumn> parts_;  // the elements, or the fields
};

template <typename Algorithm, typename Result>
void Hash(DataChunk& arguments, ExpressionState&, Vector& result) {
  const idx_t rows = arguments.size();
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* hashes = reinterpret_cast<typename Algorithm::Hash*>(duckdb::FlatVector::GetData<Result>(result));
  std::fill(hashes, hashes + rows, kSeed);
  for (Vector& argument : arguments.data) {
    const HashedColumn<Algorithm> column(argument, rows);
    for (idx_t row = 0; row < rows; ++row) hashes[row] = column.Of(row, hashes[row]);
  }
  if (arguments.AllConstant()) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

}  // namespace

duckdb::ScalarFunctionSet HashFunctions(const std::string& name, dialect::Dialect) {
  duckdb::ScalarFunctionSet set;
  if (name != "hash" && name != "xxhash64") return set;
  duckdb::ScalarFunction function = name == "hash"
                                        ? duckdb::ScalarFunction({}, LogicalType::INTEGER, Hash<Murmur, int32_t>)
                                        : duckdb::ScalarFunction({}, LogicalType::BIGINT, Hash<XxHash, int64_t>);
  function.varargs = LogicalType::ANY;
  function.null_handling = duckdb::FunctionNullHandling::SPECIAL_HANDLING;
  set.AddFunction(std::move(function));
  return set;
}

}  // namespace mica::sql
