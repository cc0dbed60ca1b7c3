// The live files of a snapshot: its base and delta manifests decoded in parallel, filtered while they are decoded, and
// freed of what was deleted (Format 4.4). The common ground of scans, commits and $files.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/executor.h"
#include "meta/manifest.h"
#include "meta/snapshot.h"

namespace mica {

// Which files to keep. The functions are called from several threads at once.
struct LiveFilter {
  std::function<bool(const ManifestFileMeta&)> keep_manifest;  // null: all
  ManifestFilter entries;                                      // by partition and bucket, before the file is decoded
  std::function<bool(const ManifestEntry&)> keep_file;         // null: all
};

// What was met on the way.
struct LiveCounts {
  int64_t manifests = 0, manifests_kept = 0;
  int64_t files = 0, bytes = 0;  // live files that `entries` left, before `keep_file`
};

// In the order of the manifests. `keep_manifest` may be null.
std::vector<ManifestEntry> LiveEntries(ManifestStore& store, const Snapshot& snapshot, const ManifestFilter& filter,
                                       const std::function<bool(const ManifestFileMeta&)>& keep_manifest,
                                       Executor& executor);

// Live files that follow each other in one partition; a partition can come again.
struct PartitionCount {
  std::string partition;
  int64_t files = 0, rows = 0, bytes = 0;
  int64_t last_file_millis = 0;
};
std::vector<PartitionCount> CountLiveFiles(ManifestStore& store, const Snapshot& snapshot, const ManifestFilter& filter,
                                           Executor& executor);

// A live file of a plan, small: the rest of its entry is shared.
struct LiveFile {
  DataFilePtr file;
  const std::string* partition;
  int32_t bucket;
  int32_t total_buckets;
};

// Keeps one text a partition. Thread safe.
class PartitionTexts {
 public:
  const std::string* Intern(std::string_view partition);

 private:
  std::mutex mutex_;
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, const std::string*> known_;
};

// As LiveEntries; `partitions` must outlive the files.
std::vector<LiveFile> LiveFilesOf(ManifestStore& store, const Snapshot& snapshot, const LiveFilter& filter,
                                  Executor& executor, PartitionTexts* partitions, LiveCounts* counts = nullptr);

// Number and bytes of all live files of a snapshot; reads all its manifests, but little of each entry.
struct SnapshotTotals {
  int64_t files = 0, bytes = 0;
};
SnapshotTotals TotalsOf(ManifestStore& store, const Snapshot& snapshot, Executor& executor);

}  // namespace mica
