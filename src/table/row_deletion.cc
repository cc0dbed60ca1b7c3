#include "table/row_deletion.h"

#include <arrow/record_batch.h>

#include "table/file_reader.h"
#include "table/write.h"

namespace mica {

namespace {

std::vector<int64_t> Positions(const RowMarks::FileRows& rows) {
  std::vector<int64_t> positions;
  positions.reserve(static_cast<size_t>(rows.deleted_count));
  for (size_t i = 0; i < rows.deleted.size(); ++i) {
    if (rows.deleted[i]) positions.push_back(static_cast<int64_t>(i));
  }
  return positions;
}

}  // namespace

RowDeletion::RowDeletion(TablePtr table, const Snapshot& snapshot, const RowMarks& marks, const PathOf& path_of,
                         Executor& executor)
    : table_(std::move(table)) {
  const bool with_vectors = table_->options().Bool("deletion-vectors.enabled", false);
  size_t wanted = 0, found = 0;
  for (const auto& [path, rows] : marks.files()) wanted += rows.deleted_count > 0 ? 1 : 0;
  if (wanted == 0) return;
  for (BucketFiles& bucket : LiveBuckets(*table_, snapshot, {}, SystemClock(), executor)) {
    Touched touched;
    for (const DataFileMeta& file : bucket.files) {
      auto marked = marks.files().find(path_of(bucket, file));
      if (marked == marks.files().end() || marked->second.deleted_count == 0) continue;
      ++found;
      DeletionVector before({});
      auto known = bucket.deletions.find(file.file_name);
      if (known != bucket.deletions.end()) before = *ReadDeletions(*table_, known->second);
      auto deleted = std::make_shared<const DeletionVector>(before.With(Positions(marked->second)));
      const bool empty = deleted->cardinality() >= file.row_count;
      if (with_vectors && !empty) {
        touched.vectors.emplace(file.file_name, std::move(deleted));
        continue;
      }
      touched.dropped.push_back(file);
      if (!empty) rewritten_.push_back({touched_.size(), file, std::move(deleted)});
    }
    if (touched.dropped.empty() && touched.vectors.empty()) continue;
    touched.bucket = std::move(bucket);
    touched_.push_back(std::move(touched));
  }
  if (found != wanted) {
    throw Internal("{} of {} files with changed rows are not in snapshot {} of table '{}'", wanted - found, wanted,
                   snapshot.id, table_->name().ToString());
  }
}

void RowDeletion::ReadKept(size_t i,
                           const std::function<void(const std::shared_ptr<arrow::RecordBatch>&)>& sink) const {
  const Rewritten& rewritten = rewritten_[i];
  const BucketFiles& bucket = touched_[rewritten.touched].bucket;
  FileReadRequest request;
  request.partition = bucket.partition;
  request.bucket = bucket.bucket;
  request.fields = table_->schema().fields;
  request.deletions = rewritten.deleted;
  auto reader = ReadTableFile(*table_, rewritten.file, request);
  while (auto batch = reader->Next()) sink(batch);
}

std::vector<CommitMessage> RowDeletion::TakeMessages() {
  std::vector<CommitMessage> messages;
  try {
    for (Touched& touched : touched_) {
      CommitMessage& message = messages.emplace_back(touched.bucket.MessageOf({}));
      std::set<std::string> gone;
      for (const DataFileMeta& file : touched.dropped) gone.insert(file.file_name);
      message.data.deleted_files = std::move(touched.dropped);
      ReplaceVectors(*table_, touched.bucket, gone, std::move(touched.vectors), &message.data);
    }
  } catch (...) {
    AbortMessages(*table_, messages);
    throw;
  }
  return messages;
}

}  // namespace mica
