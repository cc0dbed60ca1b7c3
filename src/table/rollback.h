// Brings a table back to an older state (Engine 10.6; decision Q-01): as a new snapshot that has the content of the
// target, or by deleting all that is later.
#pragma once

#include <cstdint>
#include <string>

#include "base/executor.h"
#include "table/commit.h"
#include "table/table.h"

namespace mica {

struct RollbackTarget {
  Snapshot snapshot;
  bool tagged_by_user = false;  // the caller named a tag, which then holds the files
};

struct RollbackResult {
  int64_t previous_id = 0;
  int64_t target_id = 0;
  int64_t current_id = 0;
};

// Commits an OVERWRITE snapshot with the target's files; nothing is deleted. What it brings back had been removed by
// snapshots that still have to expire, so a tag on the target holds those files, made here unless the caller's does.
// Throws NotFound naming a file of the target that is gone; Conflict.
RollbackResult RollbackAsLatest(TablePtr table, const RollbackTarget& target, CommitSettings settings);

// Deletes every snapshot, long-lived changelog and tag that is later than the target. Their data files stay, for
// remove_orphan_files. Ended in between, a second run finishes.
RollbackResult RollbackDeletingLater(const Table& table, const RollbackTarget& target);

// The prefix of the tags that RollbackAsLatest makes, and of its commit user.
inline constexpr std::string_view kRollbackPrefix = "rollback-to-as-latest-";

// Whether a snapshot that is still there was made by a rollback to a state older than it and at or before the tag's.
bool HoldsForRollback(const Table& table, int64_t tagged_snapshot_id);
// A tag of RollbackAsLatest's own on the snapshot.
void CreateRollbackTag(const Table& table, int64_t snapshot_id);
// Removes tags of RollbackAsLatest's own that hold nothing for a rollback any more.
void DropObsoleteRollbackTags(const Table& table, Executor& executor);

}  // namespace mica
