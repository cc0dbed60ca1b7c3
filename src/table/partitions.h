// The partitions of a table at a snapshot, with what lies in each (M-1204, M-1205). Reads manifests only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/executor.h"
#include "table/table.h"
#include "types/value.h"

namespace mica {

using KeepPartition = std::function<bool(const std::vector<Value>& partition)>;

struct PartitionSummary {
  std::string partition;  // serialized BinaryRow
  int64_t row_count = 0;  // of the files: rows that a merge leaves out count too
  int64_t bytes = 0;
  int64_t file_count = 0;
  int64_t last_file_millis = 0;  // local wall clock, as files have it
};

// Only those whose columns have the given values; in no order.
std::vector<PartitionSummary> ListPartitions(const Table& table, const Snapshot& snapshot,
                                             const std::map<std::string, Value>& where, Executor& executor);

// "k=v/k2=v2", values not escaped; a DATE as a date, an instant as the function spells it, in UTC without one.
class PartitionPrinter {
 public:
  explicit PartitionPrinter(const Table& table, std::function<std::string(const Value&)> instant = {});
  std::string Text(const std::string& partition) const;

 private:
  std::vector<DataType> types_;
  std::vector<std::string> keys_;
  PartitionNaming naming_;
  std::function<std::string(const Value&)> instant_;
};

}  // namespace mica
