#include "merge/interval_partition.h"

#include <string>

#include "base/error.h"
#include "types/binary_row.h"

namespace mica {
namespace {

std::vector<Value> KeyOf(const std::string& serialized, std::span<const DataType> types, const std::string& file) {
  try {
    return BinaryRow::Deserialize(serialized).Values(types);
  } catch (Error& error) {
    error.Add("key range of file '" + file + "'");
    throw;
  }
}

bool LessKey(const std::vector<Value>& a, const std::vector<Value>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    const auto order = CompareValues(a[i], b[i]);
    if (order != 0) return order < 0;
  }
  return false;
}

}  // namespace

std::vector<Section> PartitionFiles(std::span<const DataFileMeta> files, std::span<const DataType> key_types) {
  std::vector<std::vector<Value>> mins, maxs;
  for (const DataFileMeta& file : files) {
    mins.push_back(KeyOf(file.min_key, key_types, file.file_name));
    maxs.push_back(KeyOf(file.max_key, key_types, file.file_name));
  }
  return PartitionIntervals(
      files.size(), [&](size_t i) -> const auto& { return mins[i]; }, [&](size_t i) -> const auto& { return maxs[i]; },
      LessKey);
}

}  // namespace mica
