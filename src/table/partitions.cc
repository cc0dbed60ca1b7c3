#include "table/partitions.h"

#include <unordered_map>

#include "table/live_files.h"

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
  std::vector<PartitionCount> counts = CountLiveFiles(table.manifests(), snapshot, filter, executor);
  std::vector<PartitionSummary> partitions;
  partitions.reserve(counts.size());  // the keys look into it
  std::unordered_map<std::string_view, size_t> known;
  known.reserve(counts.size());
  for (PartitionCount& count : counts) {
    auto place = known.find(count.partition);
    if (place == known.end()) {
      partitions.emplace_back().partition = std::move(count.partition);
      place = known.emplace(partitions.back().partition, partitions.size() - 1).first;
    }
    PartitionSummary& summary = partitions[place->second];
    summary.row_count += count.rows;
    summary.bytes += count.bytes;
    summary.file_count += count.files;
    summary.last_file_millis = std::max(summary.last_file_millis, count.last_file_millis);
  }
  return partitions;
}

PartitionPrinter::PartitionPrinter(const Table& table, std::function<std::string(const Value&)> instant)
    : types_(table.partition_types()),
      keys_(table.schema().partition_keys),
      naming_(table.options().partition_naming()),
      instant_(std::move(instant)) {
  // A DATE is shown as a date in any case: that is what a spec can be given as.
  naming_.legacy_name = false;
}

std::string PartitionPrinter::Text(const std::string& partition) const {
  std::vector<Value> values = BinaryRow::Deserialize(partition).Values(types_);
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    const bool is_instant = instant_ && types_[i].root() == TypeRoot::kTimestampLtz && !IsNull(values[i]);
    text += (i > 0 ? "/" : "") + keys_[i] + "=";
    text += is_instant ? instant_(values[i]) : PartitionValueText(values[i], types_[i], naming_);
  }
  return text;
}

}  // namespace mica
