// Compacts files of append tables (Engine 7): which small files are put together, and the rewriting.
#pragma once

#include <optional>
#include <vector>

#include "base/clock.h"
#include "table/bucket_files.h"
#include "table/commit_message.h"
#include "table/table.h"

namespace mica {

struct AppendRules {
  int64_t target_bytes = 256 << 20;  // target-file-size
  int64_t small_bytes = 179 << 20;   // below: worth rewriting
  int64_t open_cost_bytes = 4 << 20; // source.split.open-file-cost
  int64_t min_file_count = 5;        // compaction.min.file-num
  bool rewrite_all = false;          // compaction.force-rewrite-all-files
  double delete_ratio = 0.2;         // compaction.delete-ratio-threshold: more deleted rows are worth rewriting too
};
AppendRules AppendRulesOf(const TableOptions& options);

// Tables without buckets: groups of small files of one partition, and of files with many deleted rows, each group to be
// rewritten into few.
std::vector<std::vector<DataFileMeta>> GroupSmallFiles(const BucketFiles& bucket, const AppendRules& rules);

// Tables with buckets keep the order of rows, so only neighbours by sequence number go together. What a writer compacts
// by itself; nothing when there are too few.
std::vector<DataFileMeta> PickNeighbours(std::vector<DataFileMeta> files, const AppendRules& rules);
// What a full compaction of a bucket rewrites; with `deletion_vectors` also a few files.
std::vector<DataFileMeta> PickAllNeighbours(const BucketFiles& bucket, const AppendRules& rules, bool deletion_vectors);

// Writes the rows of `files` of one bucket anew, in the order of sequence numbers. New files are deleted when this throws.
FileChanges RewriteAppendFiles(const TablePtr& table, const BucketFiles& bucket, std::vector<DataFileMeta> files,
                               const Clock& clock);

}  // namespace mica
