// The live files of a bucket with their deletion vectors: what a compaction works on.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "meta/snapshot.h"
#include "table/commit_message.h"
#include "table/deletions.h"
#include "table/split.h"
#include "table/table.h"

namespace mica {

struct BucketFiles {
  std::string partition;  // serialized BinaryRow
  int32_t bucket = 0;
  int32_t total_buckets = -1;
  std::vector<DataFileMeta> files;
  std::map<std::string, DeletionFile> deletions;         // by data file
  std::vector<IndexManifestEntry> deletion_index_files;  // which hold them

  void AddDeletions(const SnapshotDeletions& snapshot);
  // A split of some of the files.
  Split SplitOf(std::vector<DataFileMeta> some) const;
  CommitMessage MessageOf(FileChanges compact) const;
};

// The index files that go and come when the data files `gone` leave an append table's bucket and `vectors` replace those of
// their data files: index files hold vectors of several, and the others move on.
void ReplaceVectors(const Table& table, const BucketFiles& bucket, const std::set<std::string>& gone,
                    std::map<std::string, std::shared_ptr<const DeletionVector>> vectors, FileChanges* changes);

// Which partitions and buckets a compaction is about.
struct BucketSelection {
  std::function<bool(const std::vector<Value>& partition)> keep_partition;  // absent: all
  std::vector<std::pair<int32_t, int32_t>> buckets;                         // first and last of each range; empty: all
  std::function<bool(std::string_view partition, int32_t bucket)> keep_bucket;  // of serialized partitions; absent: all
  std::optional<int64_t> idle_millis;  // partition_idle_time: only partitions without a new file for so long
};

// By partition and bucket. Buckets below zero hold no rows that are read.
std::vector<BucketFiles> LiveBuckets(const Table& table, const Snapshot& snapshot, const BucketSelection& selection,
                                     const Clock& clock, Executor& executor);

}  // namespace mica
