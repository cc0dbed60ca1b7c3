// Buckets of tables with `bucket` = -1 (Engine 6): the hash of each key has a bucket for ever, which index files of the
// type HASH remember. For one writer.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "index/hash_index.h"
#include "table/commit_message.h"
#include "table/row_router.h"
#include "table/table.h"

namespace mica {

class DynamicBuckets {
 public:
  // `starts_anew`: an overwrite, for which what is there does not count.
  DynamicBuckets(TablePtr table, bool starts_anew);

  // Reads which index files there are; the first call counts.
  void Load(const std::optional<Snapshot>& base);
  // One bucket for each row of the batch, of partition numbers[row].
  std::vector<int32_t> BucketsOf(const arrow::RecordBatch& batch, const std::vector<uint32_t>& numbers,
                                 const PartitionNumbers& partitions);
  // Gives the message of a partition and bucket.
  using MessageOf = std::function<CommitMessage&(const std::string& partition, int32_t bucket)>;
  // Adds new index files to messages and notes in all `messages` what their buckets were chosen from.
  void Finish(std::vector<CommitMessage>* messages, const MessageOf& message_of);

 private:
  std::vector<BucketHashes> LoadHashes(std::string_view partition);
  void NoteBase(CommitMessage& message);

  TablePtr table_;
  bool starts_anew_;
  bool loaded_ = false;
  std::vector<int> key_columns_;
  std::vector<DataType> key_types_;
  std::optional<DynamicBucketAssigner> assigner_;
  std::map<std::string, std::vector<IndexManifestEntry>> files_;  // of each partition
  // The same as they were before this commit's own.
  std::map<std::string, std::vector<IndexManifestEntry>> base_files_;
  IndexFileNamer names_;
};

}  // namespace mica
