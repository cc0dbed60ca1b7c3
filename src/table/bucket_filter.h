// The buckets that a predicate on all columns of the bucket key leaves (Engine 8.2).
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "predicate/predicate.h"
#include "table/table.h"
#include "types/bucket_function.h"

namespace mica {

// Thread safe.
class BucketFilter {
 public:
  // Of tables with fixed buckets; others have all buckets, as has a predicate that leaves too many values. nullptr for all
  // rows.
  BucketFilter(const Table& table, const PredicatePtr& predicate);

  bool active() const { return active_; }
  // Ascending; `total` is the count that the files of a partition have.
  std::vector<int32_t> Buckets(int32_t total) const;
  bool Keeps(int32_t bucket, int32_t total) const;

 private:
  bool active_ = false;
  BucketFunction function_{};
  std::vector<DataType> types_;
  std::vector<std::vector<Value>> rows_;
  mutable std::mutex mutex_;
  mutable std::map<int32_t, std::vector<int32_t>> cache_;
};

}  // namespace mica
