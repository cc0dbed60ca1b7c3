#include "types/bucket_function.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <arrow/api.h>

#include "base/error.h"
#include "base/text.h"
#include "types/arrow_types.h"
#include "types/binary_row.h"
#include "types/timestamp.h"

namespace mica {

namespace {

uint32_t FoldLong(uint64_t value) {
  return static_cast<uint32_t>(value ^ (value >> 32));
}

uint32_t HashFloat(float value) {
  if (value == 0) value = 0;
  if (std::isnan(value)) value = std::numeric_limits<float>::quiet_NaN();
  return std::bit_cast<uint32_t>(value);
}

uint32_t HashDouble(double value) {
  if (value == 0) value = 0;
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  return FoldLong(std::bit_cast<uint64_t>(value));
}

uint32_t HashBytes(std::string_view bytes) {
  uint32_t hash = 0;
  for (char byte : bytes) hash = hash * 31 + static_cast<uint32_t>(static_cast<int32_t>(static_cast<int8_t>(byte)));
  return hash;
}

// Trailing zeros do not count; the unscaled value is hashed by the 32-bit words of its magnitude.
uint32_t HashDecimal(Int128 unscaled, int32_t scale) {
  if (unscaled == 0) return 0;
  while (scale > 0 && unscaled % 10 == 0) {
    unscaled /= 10;
    --scale;
  }
  const bool negative = unscaled < 0;
  const auto magnitude = static_cast<unsigned __int128>(negative ? -unscaled : unscaled);
  uint32_t hash = 0;
  for (int shift = 96; shift >= 0; shift -= 32) hash = hash * 31 + static_cast<uint32_t>(magnitude >> shift);
  if (negative) hash = 0 - hash;
  return hash * 31 + static_cast<uint32_t>(scale);
}

uint32_t HashHiveValue(const Value& value, const DataType& type) {
  if (IsNull(value)) return 0;
  switch (type.root()) {
    case TypeRoot::kBoolean: return std::get<bool>(value) ? 1 : 0;
    case TypeRoot::kBigInt: return FoldLong(static_cast<uint64_t>(std::get<int64_t>(value)));
    case TypeRoot::kFloat: return HashFloat(std::get<float>(value));
    case TypeRoot::kDouble: return HashDouble(std::get<double>(value));
    case TypeRoot::kDecimal: return HashDecimal(std::get<DecimalValue>(value).unscaled, type.scale());
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary: return HashBytes(std::get<std::string>(value));
    default: return static_cast<uint32_t>(std::get<int64_t>(value));
  }
}

// Adds one column to the running hashes of all rows.
void AddHiveColumn(const arrow::Array& array, const DataType& type, std::vector<uint32_t>* hashes) {
  auto add = [&](auto hash_at) {
    for (size_t i = 0; i < hashes->size(); ++i) {
      const auto row = static_cast<int64_t>(i);
      (*hashes)[i] = (*hashes)[i] * 31 + (array.IsNull(row) ? 0 : hash_at(row));
    }
  };
  switch (array.type_id()) {
    case arrow::Type::INT32: {
      const auto& values = static_cast<const arrow::Int32Array&>(array);
      return add([&](int64_t row) { return static_cast<uint32_t>(values.Value(row)); });
    }
    case arrow::Type::INT64: {
      const auto& values = static_cast<const arrow::Int64Array&>(array);
      return add([&](int64_t row) { return FoldLong(static_cast<uint64_t>(values.Value(row))); });
    }
    case arrow::Type::STRING:
    case arrow::Type::BINARY: {
      const auto& values = static_cast<const arrow::BinaryArray&>(array);
      return add([&](int64_t row) { return HashBytes(values.GetView(row)); });
    }
    default: return add([&](int64_t row) { return HashHiveValue(ValueAt(array, row, type), type); });
  }
}

int32_t DefaultBucket(int32_t hash, int32_t bucket_count) {
  return std::abs(hash % bucket_count);
}

int32_t HiveBucket(uint32_t hash, int32_t bucket_count) {
  return static_cast<int32_t>(hash & 0x7fffffffu) % bucket_count;
}

int32_t ModBucket(int64_t value, int32_t bucket_count) {
  return static_cast<int32_t>(FloorModulo<int64_t>(value, bucket_count));
}

}  // namespace

BucketFunction BucketFunctionOf(std::string_view name) {
  const std::string word = ToLower(name);
  if (word == "default") return BucketFunction::kDefault;
  if (word == "mod") return BucketFunction::kMod;
  if (word == "hive") return BucketFunction::kHive;
  throw InvalidArgument("The bucket function '{}' is unknown. Set 'bucket-function.type' to default, mod or hive",
                        name);
}

void CheckBucketKey(BucketFunction function, std::span<const DataType> types) {
  if (function == BucketFunction::kMod) {
    if (types.size() == 1 && (types[0].root() == TypeRoot::kInt || types[0].root() == TypeRoot::kBigInt)) return;
    throw InvalidArgument("The bucket function 'mod' takes one column of type INT or BIGINT as bucket key");
  }
  for (const DataType& type : types) {
    const bool usable = type.IsPrimitive() && !(function == BucketFunction::kHive && type.IsTimestamp());
    if (!usable) {
      throw InvalidArgument("The bucket function '{}' cannot take a column of type '{}' as bucket key",
                            function == BucketFunction::kHive ? "hive" : "default", type.ToString());
    }
  }
}

int32_t HiveHash(std::span<const Value> key, std::span<const DataType> types) {
  MICA_CHECK(key.size() == types.size());
  CheckBucketKey(BucketFunction::kHive, types);
  uint32_t hash = 0;
  for (size_t i = 0; i < key.size(); ++i) hash = hash * 31 + HashHiveValue(key[i], types[i]);
  return static_cast<int32_t>(hash);
}

int32_t BucketOf(BucketFunction function, std::span<const Value> key, std::span<const DataType> types,
                 int32_t bucket_count) {
  MICA_CHECK(bucket_count > 0);
  switch (function) {
    case BucketFunction::kMod:
      CheckBucketKey(function, types);
      return IsNull(key[0]) ? 0 : ModBucket(std::get<int64_t>(key[0]), bucket_count);
    case BucketFunction::kHive: return HiveBucket(static_cast<uint32_t>(HiveHash(key, types)), bucket_count);
    case BucketFunction::kDefault: break;
  }
  return DefaultBucket(BinaryRow::Of(key, types).Hash(), bucket_count);
}

std::vector<int32_t> BucketsOf(BucketFunction function, const arrow::RecordBatch& batch, std::span<const int> columns,
                               std::span<const DataType> types, int32_t bucket_count) {
  MICA_CHECK(bucket_count > 0 && columns.size() == types.size());
  CheckBucketKey(function, types);
  std::vector<int32_t> buckets(static_cast<size_t>(batch.num_rows()));
  switch (function) {
    case BucketFunction::kMod: {
      const arrow::Array& array = *batch.column(columns[0]);
      for (size_t i = 0; i < buckets.size(); ++i) {
        const auto row = static_cast<int64_t>(i);
        if (array.IsNull(row)) continue;
        const int64_t value = array.type_id() == arrow::Type::INT32
                                  ? static_cast<const arrow::Int32Array&>(array).Value(row)
                                  : static_cast<const arrow::Int64Array&>(array).Value(row);
        buckets[i] = ModBucket(value, bucket_count);
      }
      break;
    }
    case BucketFunction::kHive: {
      std::vector<uint32_t> hashes(buckets.size());
      for (size_t i = 0; i < columns.size(); ++i) AddHiveColumn(*batch.column(columns[i]), types[i], &hashes);
      for (size_t i = 0; i < buckets.size(); ++i) buckets[i] = HiveBucket(hashes[i], bucket_count);
      break;
    }
    case BucketFunction::kDefault:
      HashRows(batch, columns, types, &buckets);
      for (int32_t& bucket : buckets) bucket = DefaultBucket(bucket, bucket_count);
      break;
  }
  return buckets;
}

}  // namespace mica
