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

const DataFileMeta& FileAt(std::span<const DataFileMeta> files, size_t i) {
  return files[i];
}
const DataFileMeta& FileAt(std::span<const DataFilePtr> files, size_t i) {
  return *files[i];
}

template <typename Files>
std::vector<Section> PartitionAny(Files files, std::span<const DataType> key_types) {
  std::vector<std::vector<Value>> mins, maxs;
  for (size_t i = 0; i < files.size(); ++i) {
    const DataFileMeta& file = FileAt(files, i);
    mins.push_back(KeyOf(file.min_key, key_types, file.file_name));
    maxs.push_back(KeyOf(file.max_key, key_types, file.file_name));
  }
  return PartitionIntervals(
      files.size(), [&](size_t i) -> const auto& { return mins[i]; }, [&](size_t i) -> const auto& { return maxs[i]; },
      LessKey);
}

}  // namespace

std::vector<Section> PartitionFiles(std::span<const DataFileMeta> files, std::span<const DataType> key_types) {
  return PartitionAny(files, key_types);
}

std::vector<Section> PartitionFiles(std::span<const DataFilePtr> files, std::span<const DataType> key_types) {
  return PartitionAny(files, key_types);
}

}  // namespace mica
