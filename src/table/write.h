// Writes rows into new data files of a table (Engine 2, 6, 7): routes batches by partition and bucket, buffers and sorts
// primary-key rows, rolls at the target size. Nothing is visible before the messages are committed.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/executor.h"
#include "table/commit_message.h"
#include "table/table.h"

namespace mica {

// What the writers of one statement may hold together, each on a thread of its own. A writer that finds it used up frees
// its largest buckets first.
class WriteMemory {
 public:
  explicit WriteMemory(int64_t limit) : limit_(limit) {}
  int64_t limit() const { return limit_; }
  int64_t used() const { return used_.load(std::memory_order_relaxed); }
  void Add(int64_t bytes) { used_.fetch_add(bytes, std::memory_order_relaxed); }

 private:
  int64_t limit_;
  std::atomic<int64_t> used_{0};
};

struct WriteSettings {
  std::string commit_user;              // random when empty
  int64_t memory_bytes = 256 << 20;     // for all buckets together; the largest buffer is flushed or spilled first
  std::shared_ptr<WriteMemory> memory;  // shared with other writers; nullptr: `memory_bytes` are this writer's own
  std::string spill_folder;             // empty: the system's temporary folder
  bool ignore_existing = false;         // overwrite: sequence numbers start anew and old bucket counts do not matter
  Executor* executor = nullptr;
};

class TableWrite {
 public:
  // Throws Unsupported when the table's options need what Mica cannot do (CheckWritable).
  static std::unique_ptr<TableWrite> Create(TablePtr table, WriteSettings settings);
  virtual ~TableWrite() = default;  // files not handed out by PrepareCommit are deleted

  // Columns are the table's columns in order, in their Arrow form (types/arrow_types.h); checks NOT NULL (P-23) and
  // lengths. For primary-key tables a last column "_VALUE_KIND" (int8: 0 +I, 1 -U, 2 +U, 3 -D) may follow.
  // Not thread safe.
  virtual void Write(const std::shared_ptr<arrow::RecordBatch>& batch) = 0;
  // Flushes everything and gives what to commit; the writer can go on with the next commit afterwards.
  virtual std::vector<CommitMessage> PrepareCommit() = 0;
  virtual int64_t rows_written() const = 0;
};

// Deletes the new files that messages name (a ROLLBACK, a failed statement). Never after OutcomeUnknown.
void AbortMessages(const Table& table, const std::vector<CommitMessage>& messages);

}  // namespace mica
