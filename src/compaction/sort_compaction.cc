#include "compaction/sort_compaction.h"

#include <algorithm>

#include <arrow/api.h>

#include "base/arrow.h"
#include "table/read.h"
#include "table/rolling_file.h"
#include "merge/row_sorter.h"
#include "merge/spill_folder.h"
#include "table/write.h"

namespace mica {

namespace {

CommitMessage SortBucket(const TablePtr& table, const BucketFiles& bucket, const std::vector<int>& columns,
                         const Clock& clock, int64_t memory_bytes) {
  const std::vector<DataField>& fields = table->schema().fields;
  RowSorter sorter(fields, columns, 0);
  SpillFolder spill{""};
  ReadRequest request;
  request.fields = fields;
  std::unique_ptr<BatchReader> rows = ReadSplit(*table, bucket.SplitOf(bucket.files), request);
  while (auto batch = rows->Next()) {
    sorter.Add(*batch);
    if (sorter.memory_bytes() > memory_bytes) sorter.SpillTo(spill.path());
  }
  RollingFile writer(table, bucket.partition, bucket.bucket, /*level=*/0, FileSource::kAppend, clock);
  sorter.Flush([&](const std::shared_ptr<arrow::RecordBatch>& batch) {
    writer.Write(Take(Take(batch->RemoveColumn(0))->RemoveColumn(0)));
  });
  FileChanges changes;
  changes.new_files = writer.Finish();
  changes.deleted_files = bucket.files;
  changes.deleted_index_files = bucket.deletion_index_files;
  CommitMessage message = bucket.MessageOf({});
  message.data = std::move(changes);
  return message;
}

std::vector<int> ColumnsOf(const TableSchema& schema, const std::vector<std::string>& order_by) {
  std::vector<int> columns;
  for (const std::string& name : order_by) {
    schema.Field(name);  // throws with the nearest name
    if (std::find(schema.partition_keys.begin(), schema.partition_keys.end(), name) != schema.partition_keys.end()) {
      throw InvalidArgument("Cannot sort by the partition column '{}': all rows of a partition have one value", name);
    }
    columns.push_back(FindField(schema.fields, name));
  }
  return columns;
}

}  // namespace

CompactReport SortTable(const TablePtr& table, const CompactRequest& request, const std::vector<std::string>& order_by,
                        const CommitSettings& given, int64_t memory_bytes) {
  CheckWritable(table->schema());
  if (BucketModeOf(table->schema()) != BucketMode::kUnaware) {
    throw Unsupported("Cannot sort table '{}': only append tables without buckets keep the order of a sort",
                      table->name().ToString());
  }
  if (order_by.empty()) throw InvalidArgument("A sorting compaction of table '{}' needs 'order_by'", table->name().ToString());
  std::vector<int> columns = ColumnsOf(table->schema(), order_by);
  CommitSettings settings = given;
  if (!settings.clock) settings.clock = SystemClock();
  settings.ignore_empty = true;
  Executor& executor = settings.executor ? *settings.executor : InlineExecutor();
  CompactReport report;
  std::optional<Snapshot> latest = table->snapshots().Latest();
  if (!latest) return report;
  std::vector<BucketFiles> buckets = LiveBuckets(*table, *latest, request, settings.clock, executor);
  std::vector<CommitMessage> messages(buckets.size());
  try {
    // One after another: each may use the whole memory.
    for (size_t i = 0; i < buckets.size(); ++i) {
      messages[i] = SortBucket(table, buckets[i], columns, settings.clock, memory_bytes);
      report.files_removed += static_cast<int64_t>(messages[i].data.deleted_files.size());
      report.files_added += static_cast<int64_t>(messages[i].data.new_files.size());
    }
    if (!messages.empty()) report.snapshot_ids = TableCommit(table, settings).Commit(messages).snapshot_ids;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kOutcomeUnknown) AbortMessages(*table, messages);
    throw;
  }
  return report;
}

}  // namespace mica
