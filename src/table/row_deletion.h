// Deletes rows of an append table (Engine 5; M-0413, M-0414): the files that hold them are written anew without them, or,
// with `deletion-vectors.enabled`, get vectors. Files without any row left are dropped.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/executor.h"
#include "table/bucket_files.h"
#include "table/commit_message.h"
#include "table/row_marks.h"
#include "table/table.h"

namespace mica {

class RowDeletion {
 public:
  // Under which name `marks` know a file.
  using PathOf = std::function<std::string(const BucketFiles& bucket, const DataFileMeta& file)>;

  // `marks` are rows of the snapshot's files.
  RowDeletion(TablePtr table, const Snapshot& snapshot, const RowMarks& marks, const PathOf& path_of, Executor& executor);

  // Files to be written anew.
  size_t rewritten_count() const { return rewritten_.size(); }
  // The rows that stay of one of them, to be written by the caller. Thread safe.
  void ReadKept(size_t i, const std::function<void(const std::shared_ptr<arrow::RecordBatch>&)>& sink) const;

  // Files and vectors that come and go, without the rewritten rows; called once. Index files are deleted when this throws.
  std::vector<CommitMessage> TakeMessages();

 private:
  using Vector = std::shared_ptr<const DeletionVector>;
  struct Touched {
    BucketFiles bucket;
    std::vector<DataFileMeta> dropped;
    std::map<std::string, Vector> vectors;  // new ones, by data file
  };
  struct Rewritten {
    size_t touched = 0;
    DataFileMeta file;
    Vector deleted;
  };

  TablePtr table_;
  std::vector<Touched> touched_;
  std::vector<Rewritten> rewritten_;
};

}  // namespace mica
