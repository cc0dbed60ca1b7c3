// Compaction of a whole table or of what a writer wrote (Engine 2.4, 2.5, 7; M-0425, M-1011). Works bucket by bucket and
// publishes one COMPACT snapshot.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "table/bucket_files.h"
#include "table/commit.h"

namespace mica {

struct CompactRequest : BucketSelection {
  bool full = true;  // compact_strategy: everything into one run a bucket, or what the rules pick
};

struct CompactReport {
  std::vector<int64_t> snapshot_ids;  // empty: nothing to do
  int64_t files_removed = 0;
  int64_t files_added = 0;
};

// A compaction that lost its files to another commit is planned anew, a few times; then Conflict is thrown. Its files are
// deleted, rows are never touched. Option 'write-only' does not matter here.
CompactReport CompactTable(const TablePtr& table, const CompactRequest& request, const CommitSettings& settings);

// Adds to the messages of a writer, before they are committed, the compactions that the table's rules ask for (nothing
// with 'write-only'). `ignore_existing`: the messages replace the files of their partitions.
void CompactWritten(const TablePtr& table, bool ignore_existing, const CommitSettings& settings,
                    std::vector<CommitMessage>* messages);

// What a statement does with what it wrote: compacts, commits (`overwrite`: replaces that scope) and, where the compaction
// was given up for another commit and rows would stay unseen (Engine 5), compacts again. When this throws anything but
// OutcomeUnknown, `messages` are the caller's to abort.
CommitResult CommitWritten(const TablePtr& table, const std::optional<OverwriteScope>& overwrite,
                           const CommitSettings& settings, std::vector<CommitMessage>* messages);

}  // namespace mica
