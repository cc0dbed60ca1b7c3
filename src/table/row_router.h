// Sends rows to partitions and buckets: gives each row of a batch the number of its target, the same number for the same
// partition and bucket over all batches (Engine 6). Columnar: a dictionary a partition column, no row objects.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <arrow/type_fwd.h>

#include "index/hash_index.h"
#include "table/table.h"
#include "types/bucket_function.h"

namespace mica {

// Numbers the distinct partitions of batches, densely from 0.
class PartitionNumbers {
 public:
  explicit PartitionNumbers(const TableSchema& schema);
  // One number a row.
  void Number(const arrow::RecordBatch& batch, std::vector<uint32_t>* numbers);
  // Serialized BinaryRow of a number.
  const std::string& partition(uint32_t number) const { return partitions_[number]; }
  size_t count() const { return partitions_.size(); }

 private:
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Dictionary = std::unordered_map<std::string, uint32_t, TextHash, std::equal_to<>>;

  std::vector<int> columns_;
  std::vector<DataType> types_;
  std::vector<Dictionary> dictionaries_;
  // (number so far, value of the next column) -> number, a map a column after the first.
  std::vector<std::unordered_map<uint64_t, uint32_t>> pairs_;
  std::unordered_map<uint32_t, uint32_t> dense_;
  std::vector<std::string> partitions_;
};

struct RoutedBatch {
  std::shared_ptr<arrow::RecordBatch> batch;  // rows grouped by target
  struct Part {
    uint32_t target;
    int64_t begin, end;
  };
  std::vector<Part> parts;
};

// Groups the rows of a batch by a number each, keeping their order within a number.
RoutedBatch GroupRows(const std::shared_ptr<arrow::RecordBatch>& batch, const std::vector<uint32_t>& targets,
                      uint32_t target_count);

}  // namespace mica
