// The buckets of tables with `bucket` = -2 (Engine 6): each partition has its own number of them, from its first real
// bucket on.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "table/row_router.h"
#include "table/table.h"

namespace mica {

inline constexpr int32_t kPostponeBucket = -2;

class PostponeBuckets {
 public:
  // Reads the numbers that partitions have in `snapshot`; new ones get `postpone.default-bucket-num` (1).
  PostponeBuckets(const Table& table, const std::optional<Snapshot>& snapshot, Executor& executor);

  int32_t TotalOf(const std::string& partition) const;
  // One bucket a row.
  std::vector<int32_t> BucketsOf(const arrow::RecordBatch& batch);

 private:
  int32_t default_total_;
  std::map<std::string, int32_t, std::less<>> totals_;
  PartitionNumbers partitions_;
  BucketFunction function_;
  std::vector<int> key_columns_;
  std::vector<DataType> key_types_;
};

// The writer whose postponed file it is: what its name begins with (Format 8.6).
std::string PostponeWriterOf(const std::string& file_name);

}  // namespace mica
