#include "clone/row_copy.h"

#include <algorithm>
#include <mutex>
#include <unordered_set>

#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/arrow.h"
#include "clone/row_copy_mark.h"
#include "compaction/compact.h"
#include "table/read.h"
#include "table/scan.h"
#include "table/write.h"
#include "types/arrow_types.h"

namespace mica {

namespace {

constexpr int64_t kWriteBytes = 256 << 20;

// Columns of the source as columns of the target.
class ColumnsByName {
 public:
  ColumnsByName(const TableSchema& source, const TableSchema& target) : schema_(ToArrowSchema(target.fields)) {
    for (const DataField& field : target.fields) {
      const int at = FindField(source.fields, field.name);
      positions_.push_back(at < 0 ? -1 : static_cast<int>(read_.size()));
      if (at >= 0) read_.push_back(source.fields[static_cast<size_t>(at)]);
    }
  }

  const std::vector<DataField>& read() const { return read_; }

  std::shared_ptr<arrow::RecordBatch> Of(const arrow::RecordBatch& batch) const {
    arrow::ArrayVector columns;
    for (size_t i = 0; i < positions_.size(); ++i) {
      columns.push_back(positions_[i] >= 0 ? batch.column(positions_[i])
                                           : Take(arrow::MakeArrayOfNull(schema_->field(static_cast<int>(i))->type(),
                                                                         batch.num_rows())));
    }
    return arrow::RecordBatch::Make(schema_, batch.num_rows(), std::move(columns));
  }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<DataField> read_;
  std::vector<int> positions_;  // in `read`, or -1
};

// Writers of one statement: each thread has its own where rows have no order, otherwise they share one.
class Writers {
 public:
  Writers(TablePtr table, Executor& executor) : table_(std::move(table)) {
    settings_.ignore_existing = true;
    settings_.memory = std::make_shared<WriteMemory>(kWriteBytes);
    parallel_ = BucketModeOf(table_->schema()) == BucketMode::kUnaware;
    if (!parallel_) settings_.executor = &executor;
  }

  void Write(const Split& split, const Table& source, const ColumnsByName& columns) {
    ReadRequest request;
    request.fields = columns.read();
    auto rows = ReadSplit(source, split, request);
    std::unique_ptr<TableWrite> own = parallel_ ? TakeIdle() : nullptr;
    while (auto batch = rows->Next()) {
      auto converted = columns.Of(*batch);
      if (parallel_) {
        own->Write(converted);
        continue;
      }
      std::lock_guard lock(mutex_);
      if (idle_.empty()) idle_.push_back(TableWrite::Create(table_, settings_));
      idle_.front()->Write(converted);
    }
    std::lock_guard lock(mutex_);
    if (own) idle_.push_back(std::move(own));
  }

  // Adds to `messages` as far as it gets.
  void Finish(std::vector<CommitMessage>* messages, int64_t* rows) {
    for (const auto& writer : idle_) {
      *rows += writer->rows_written();
      for (CommitMessage& message : writer->PrepareCommit()) messages->push_back(std::move(message));
    }
  }

 private:
  std::unique_ptr<TableWrite> TakeIdle() {
    std::lock_guard lock(mutex_);
    if (idle_.empty()) return TableWrite::Create(table_, settings_);
    auto writer = std::move(idle_.back());
    idle_.pop_back();
    return writer;
  }

  TablePtr table_;
  WriteSettings settings_;
  bool parallel_ = false;
  std::mutex mutex_;
  std::vector<std::unique_ptr<TableWrite>> idle_;
};

}  // namespace

RowCopyResult CopyRows(const Table& source, const SourceFiles& files, const TablePtr& target, const CopyRequest& request) {
  RowCopyResult result;
  if (files.entries.empty()) return result;
  Executor& executor = request.executor();
  std::unordered_set<std::string_view> partitions;
  for (const ManifestEntry& entry : files.entries) partitions.insert(entry.partition);
  ScanRequest scan;
  scan.snapshot = files.snapshot;
  scan.with_stats = false;
  scan.executor = &executor;
  std::vector<Split> splits = PlanScan(source, scan).splits;
  std::erase_if(splits, [&](const Split& split) { return !partitions.contains(split.partition); });

  CopyProgress progress;
  for (const Split& split : splits) {
    progress.files += static_cast<int64_t>(split.files.size());
    progress.bytes += split.bytes();
  }
  const ColumnsByName columns(source.schema(), target->schema());
  RowCopyMark mark(target, executor);
  Writers writers(mark.table(), executor);
  std::mutex mutex;
  executor.ForEach(splits.size(), [&](size_t i) {
    writers.Write(splits[i], source, columns);
    std::lock_guard lock(mutex);
    progress.files_done += static_cast<int64_t>(splits[i].files.size());
    progress.bytes_done += splits[i].bytes();
    if (request.on_progress) request.on_progress(progress);
  });
  std::vector<CommitMessage> messages;
  OverwriteScope scope;
  scope.dynamic = !target->schema().partition_keys.empty() && target->options().Bool("dynamic-partition-overwrite", true);
  try {
    writers.Finish(&messages, &result.rows);
    const CommitResult committed = CommitWritten(target, scope, request.commit, &messages);
    if (!committed.snapshot_ids.empty()) result.snapshot_id = committed.snapshot_ids.back();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kOutcomeUnknown) {
      mark.Keep();
    } else {
      AbortMessages(*target, messages);
    }
    throw;
  }
  return result;
}

}  // namespace mica
