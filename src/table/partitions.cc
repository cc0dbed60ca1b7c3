#include "table/partitions.h"

#include <unordered_map>

#include "table/scan.h"

namespace mica {

std::vector<PartitionSummary> ListPartitions(const Table& table, const Snapshot& snapshot,
                                             const std::map<std::string, Value>& where, Executor& executor) {
  std::vector<DataField> fields = table.schema().PartitionFields();
  std::vector<DataType> types = table.partition_types();
  std::vector<std::pair<size_t, Value>> wanted;
  for (const auto& [column, value] : where) wanted.emplace_back(static_cast<size_t>(FindField(fields, column)), value);
  ManifestFilter filter;
  filter.without_stats = true;
  if (!wanted.empty()) {
    filter.keep = [&](std::string_view partition, int32_t, int32_t) {
      std::vector<Value> values = BinaryRow::Deserialize(partition).Values(types);
      return std::all_of(wanted.begin(), wanted.end(), [&](const auto& want) { return values[want.first] == want.second; });
    };
  }
  std::unordered_map<std::string, size_t> known;
  std::vector<PartitionSummary> partitions;
  for (ManifestEntry& entry : LiveEntries(table.manifests(), snapshot, filter, nullptr, executor)) {
    auto [place, is_new] = known.try_emplace(entry.partition, partitions.size());
    if (is_new) partitions.emplace_back().partition = std::move(entry.partition);
    PartitionSummary& summary = partitions[place->second];
    summary.row_count += entry.file.row_count;
    summary.bytes += entry.file.file_size;
    ++summary.file_count;
    summary.last_file_millis = std::max(summary.last_file_millis, entry.file.creation_time_millis.value_or(0));
  }
  return partitions;
}

PartitionPrinter::PartitionPrinter(const Table& table)
    : types_(table.partition_types()), keys_(table.schema().partition_keys), naming_(table.options().partition_naming()) {
  // A DATE is shown as a date in any case: that is what a spec can be given as.
  naming_.legacy_name = false;
}

std::string PartitionPrinter::Text(const std::string& partition) const {
  std::vector<Value> values = BinaryRow::Deserialize(partition).Values(types_);
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    text += (i > 0 ? "/" : "") + keys_[i] + "=" + PartitionValueText(values[i], types_[i], naming_);
  }
  return text;
}

}  // namespace mica
