// Plans a batch scan (Engine 8): snapshot -> manifests -> files -> splits, pruned by partition, bucket, key range and
// statistics. Value statistics never prune below a merge.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/executor.h"
#include "predicate/predicate.h"
#include "table/live_files.h"
#include "table/split.h"
#include "table/table.h"

namespace mica {

// Which state of the table is read. At most one is set; none means the latest snapshot.
struct TimeTravel {
  std::optional<int64_t> snapshot_id;
  std::optional<std::string> tag;
  std::optional<int64_t> timestamp_millis;  // newest snapshot at or before
  std::optional<std::string> version;       // scan.version: tag name first, then digits (Engine 8.1)
  std::optional<int64_t> watermark;
  bool empty() const { return !snapshot_id && !tag && !timestamp_millis && !version && !watermark; }
};

// The scan.* options of a table as TimeTravel; throws InvalidArgument when more than one is set.
TimeTravel TimeTravelOf(const TableOptions& options);
// The options that ask for it.
Options OptionsOf(const TimeTravel& travel);

struct ResolvedSnapshot {
  std::optional<Snapshot> snapshot;                // nothing: the table has no snapshot yet
  std::shared_ptr<const TableSchema> schema;       // to read with: the snapshot's when travelling, else the table's
};
ResolvedSnapshot ResolveSnapshot(const Table& table, const TimeTravel& travel);

struct ScanRequest {
  std::optional<Snapshot> snapshot;   // already resolved (a pinned one)
  PredicatePtr predicate;             // on table columns; nullptr for all
  std::optional<int64_t> limit;       // rows needed when no predicate has to be applied above
  bool with_stats = true;             // keep statistics in the files of splits
  Executor* executor = nullptr;       // nullptr: the calling thread
};

struct ScanCounts {
  int64_t manifests = 0, manifests_kept = 0;
  // Without `_kept`: what partition and bucket left, before pruning by keys and statistics. TotalsOf has the snapshot's.
  int64_t files = 0, files_kept = 0;
  int64_t bytes = 0, bytes_kept = 0;
  int64_t partitions_kept = 0;
  // Of the files that were left, how many have a file index that was asked, and what it excluded.
  int64_t index_files = 0, index_files_skipped = 0, index_rows_skipped = 0;
  std::vector<int32_t> buckets;           // wanted buckets by the bucket key, empty: all
};

struct ScanPlan {
  std::vector<Split> splits;
  ScanCounts counts;
  // Exact number of rows when no split needs merging and nothing is left of the predicate.
  std::optional<int64_t> exact_row_count;
};

ScanPlan PlanScan(const Table& table, const ScanRequest& request);

}  // namespace mica
