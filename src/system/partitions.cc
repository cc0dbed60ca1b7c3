#include "table/partitions.h"

#include <algorithm>

#include "system/row_batch.h"
#include "system/row_text.h"
#include "system/state_tables.h"
#include "table/scan.h"

namespace mica {

namespace {

Value TimeOrNull(int64_t wall_millis) { return wall_millis > 0 ? Timestamp3(wall_millis) : Value(); }

}  // namespace

// M-0713.
std::vector<DataField> PartitionsFields(const Table&) {
  DataType text = DataType::String(), number = DataType::BigInt(), time = DataType::Timestamp(3);
  return {Nullable("partition", text), NotNull("record_count", number), NotNull("file_size_in_bytes", number),
          NotNull("file_count", number), Nullable("last_update_time", time), Nullable("created_at", time),
          Nullable("created_by", text), Nullable("updated_by", text), Nullable("options", text)};
}

std::unique_ptr<BatchReader> ReadPartitions(TablePtr table) {
  RowBatch rows(PartitionsFields(*table));
  auto snapshot = ResolveSnapshot(*table, TimeTravelOf(table->options())).snapshot;
  if (!snapshot) return OneBatch(std::move(rows));
  PartitionPrinter printer(*table);
  ThreadExecutor executor;
  std::vector<std::pair<std::string, PartitionSummary>> partitions;
  for (PartitionSummary& partition : ListPartitions(*table, *snapshot, {}, executor)) {
    partitions.emplace_back(printer.Text(partition.partition), std::move(partition));
  }
  std::sort(partitions.begin(), partitions.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [text, partition] : partitions) {
    rows.Add({text, partition.row_count, partition.bytes, partition.file_count, TimeOrNull(partition.last_file_millis), Value(),
              Value(), Value(), Value()});
  }
  return OneBatch(std::move(rows));
}

// M-0714.
std::vector<DataField> BucketsFields(const Table&) {
  DataType number = DataType::BigInt();
  return {Nullable("partition", DataType::String()), NotNull("bucket", DataType::Int()), NotNull("record_count", number),
          NotNull("file_size_in_bytes", number), NotNull("file_count", number),
          Nullable("last_update_time", DataType::Timestamp(3))};
}

std::unique_ptr<BatchReader> ReadBuckets(TablePtr table) {
  RowBatch rows(BucketsFields(*table));
  auto snapshot = ResolveSnapshot(*table, TimeTravelOf(table->options())).snapshot;
  if (!snapshot) return OneBatch(std::move(rows));
  ThreadExecutor executor;
  ManifestFilter filter;
  filter.without_stats = true;
  std::map<std::pair<std::string, int32_t>, PartitionSummary> buckets;
  std::vector<DataField> fields = table->schema().PartitionFields();
  for (const ManifestEntry& entry : LiveEntries(table->manifests(), *snapshot, filter, nullptr, executor)) {
    PartitionSummary& bucket = buckets[{RowText(entry.partition, fields, '{', '}'), entry.bucket}];
    bucket.row_count += entry.file.row_count;
    bucket.bytes += entry.file.file_size;
    ++bucket.file_count;
    bucket.last_file_millis = std::max(bucket.last_file_millis, entry.file.creation_time_millis.value_or(0));
  }
  for (const auto& [place, bucket] : buckets) {
    rows.Add({place.first, static_cast<int64_t>(place.second), bucket.row_count, bucket.bytes, bucket.file_count,
              TimeOrNull(bucket.last_file_millis)});
  }
  return OneBatch(std::move(rows));
}

}  // namespace mica
