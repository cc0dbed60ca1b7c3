// Decides which sorted runs of a bucket are compacted into which level (Engine 2.4). Knows sizes and levels only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "merge/levels.h"
#include "meta/table_options.h"

namespace mica {

struct CompactionRules {
  int32_t num_levels = 6;                // num-levels
  int64_t trigger = 5;                   // num-sorted-run.compaction-trigger
  int64_t max_size_amplification = 200;  // compaction.max-size-amplification-percent
  int64_t size_ratio = 1;                // compaction.size-ratio, with the off-peak share of this hour
  std::optional<int64_t> optimization_interval_millis;  // compaction.optimization-interval
  std::optional<int64_t> total_size_threshold;          // compaction.total-size-threshold
  std::optional<int64_t> incremental_size_threshold;    // compaction.incremental-size-threshold
  bool force_up_level_0 = false;  // compaction.force-up-level-0, or a table that needs lookups
  // Whether anything can be picked from this many sorted runs, so that others need not be looked at.
  bool MayPick(int64_t run_count) const;
};

// `local_hour` (0 to 23) chooses the off-peak ratio. Throws InvalidArgument naming the option that cannot be read.
CompactionRules CompactionRulesOf(const TableOptions& options, int32_t local_hour);

struct CompactionUnit {
  int32_t output_level = 0;
  std::vector<DataFileMeta> files;
  // Every file is written anew for itself (deletion vectors, expired rows), none is kept.
  bool rewrite_each = false;
};

// What a writer compacts by itself; nothing when no rule holds. `millis_since_full`: since the last full compaction,
// absent for never.
std::optional<CompactionUnit> PickCompaction(const Levels& levels, const CompactionRules& rules,
                                             std::optional<int64_t> millis_since_full);

// Everything into the highest level; nothing when it is there already. Files there for which `must_rewrite` holds are
// written anew.
std::optional<CompactionUnit> PickFullCompaction(const Levels& levels,
                                                 const std::function<bool(const DataFileMeta&)>& must_rewrite);

}  // namespace mica
