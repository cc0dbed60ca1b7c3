// Which bucket a row belongs to (Format 7.2, option `bucket-function.type`): `default` by the hash of the bucket key's
// BinaryRow, `mod` by one integer, `hive` as Hive's bucketed tables do it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "types/data_type.h"
#include "types/value.h"

namespace mica {

enum class BucketFunction : uint8_t { kDefault, kMod, kHive };

// Throws InvalidArgument for an unknown name.
BucketFunction BucketFunctionOf(std::string_view name);

// Throws InvalidArgument when the function cannot take a key of these types; call it once, when a table is opened.
void CheckBucketKey(BucketFunction function, std::span<const DataType> types);

// The bucket of one key, 0..bucket_count-1.
int32_t BucketOf(BucketFunction function, std::span<const Value> key, std::span<const DataType> types,
                 int32_t bucket_count);

// The buckets of all rows of a batch, whose columns have the Arrow form of the types.
std::vector<int32_t> BucketsOf(BucketFunction function, const arrow::RecordBatch& batch, std::span<const int> columns,
                               std::span<const DataType> types, int32_t bucket_count);

// Hash of the `hive` function before the bucket is taken from it.
int32_t HiveHash(std::span<const Value> key, std::span<const DataType> types);

}  // namespace mica
