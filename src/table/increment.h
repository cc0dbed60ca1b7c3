// Incremental queries (Engine 8.5; M-0512 to M-0516): what changed between two states of a table, by the options
// incremental-between, incremental-between-timestamp, incremental-to-auto-tag and incremental-between-scan-mode.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/executor.h"
#include "format/batch_reader.h"
#include "table/row_changes.h"
#include "table/table.h"

namespace mica {

// Whether the options ask for an increment instead of a state.
bool IsIncremental(const TableOptions& options);

// As CheckReadable, for readers that know these options.
void CheckChangesReadable(TableSchema schema);

struct Increment {
  // Between two states of which one may be nothing.
  struct Between {
    std::optional<Snapshot> before;
    Snapshot after;
  };
  std::optional<Between> difference;
  // Otherwise: the files that these commits added, or those of their changelogs.
  std::vector<Snapshot> commits;
  bool changelogs = false;
};
// Throws InvalidArgument for ranges that are out of order or outside of the history, NotFound for tags.
Increment IncrementOf(const Table& table);

// What is read of an increment, bucket by bucket.
struct IncrementPlan {
  std::vector<Split> splits;            // every row of their files, with its kind
  std::vector<Difference> differences;  // by key
};
IncrementPlan PlanIncrement(const Table& table, const Increment& increment, Executor& executor);

// The files that a commit added, or those of its changelog: one split a bucket.
std::vector<Split> CommitSplits(const Table& table, const Snapshot& commit, bool changelog);

// As row_changes.h says, in the order of the commits within a bucket. Throws Unsupported for differences across bucket counts.
std::unique_ptr<BatchReader> ReadIncrement(TablePtr table, const std::vector<DataField>& fields);

}  // namespace mica
