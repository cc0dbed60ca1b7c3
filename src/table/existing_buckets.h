// What a table holds already in the buckets that a writer adds to: the numbers that new rows come after (Format 9.1) and
// the counts of buckets that they have to fit (Engine 6).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/executor.h"
#include "table/row_router.h"
#include "table/table.h"

namespace mica {

class ExistingBuckets {
 public:
  explicit ExistingBuckets(TablePtr table) : table_(std::move(table)) {}

  // To be called before anything is asked about new partitions. The first call reads the manifests that can have files of
  // these partitions; a later one that brings others reads all, once. Each reads the snapshot that is the latest then.
  void Cover(const PartitionNumbers& partitions, Executor& executor);
  // -1: no files. `partition` is serialized.
  int64_t MaxSequence(const std::string& partition, int32_t bucket) const;
  // 0: not known.
  int32_t TotalBuckets(const std::string& partition) const;

 private:
  void Load(const std::set<std::string>* partitions, Executor& executor);

  TablePtr table_;
  size_t covered_ = 0;  // of the partitions' numbers
  bool all_ = false;
  std::map<std::pair<std::string, int32_t>, int64_t> max_sequence_;
  std::map<std::string, int32_t> total_buckets_;
};

}  // namespace mica
