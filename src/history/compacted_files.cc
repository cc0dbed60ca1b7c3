#include "history/compacted_files.h"

#include <map>
#include <string>
#include <utility>

#include "table/creation_time.h"
#include "table/deletions.h"
#include "table/live_files.h"

namespace mica {

int32_t TopLevel(const TableOptions& options) {
  int64_t level_count = options.Integer("num-levels", options.Integer("num-sorted-run.compaction-trigger", 5) + 1);
  return static_cast<int32_t>(level_count) - 1;
}

std::vector<Split> SplitsFromLevel(const Table& table, const Snapshot& snapshot, int32_t lowest, Executor& executor) {
  ManifestFilter filter;
  filter.keep = [](std::string_view, int32_t bucket, int32_t) { return bucket >= 0; };
  const std::optional<int64_t> oldest = OldestFileMillis(table);
  std::map<std::pair<std::string, int32_t>, Split> buckets;
  for (ManifestEntry& entry : LiveEntries(table.manifests(), snapshot, filter, nullptr, executor)) {
    if (entry.file.level < lowest) continue;
    if (oldest && entry.file.creation_time_millis.value_or(INT64_MAX) < *oldest) continue;
    Split& split = buckets[{entry.partition, entry.bucket}];
    split.snapshot_id = snapshot.id;
    split.partition = entry.partition;
    split.bucket = entry.bucket;
    split.total_buckets = entry.total_buckets;
    split.raw_convertible = false;
    split.files.push_back(std::move(entry.file));
  }
  SnapshotDeletions deletions(table, snapshot);
  std::vector<Split> splits;
  for (auto& [bucket, split] : buckets) {
    if (!deletions.empty()) split.deletions = deletions.Of(split);
    splits.push_back(std::move(split));
  }
  return splits;
}

}  // namespace mica
