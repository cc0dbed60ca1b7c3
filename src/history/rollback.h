// Brings a table back to an older state (Engine 10.6; decision Q-01): as a new snapshot that has the content of the
// target, or by deleting all that is later.
#pragma once

#include <cstdint>

#include "base/executor.h"
#include "table/commit.h"
#include "table/table.h"

namespace mica {

struct RollbackResult {
  int64_t previous_id = 0;
  int64_t target_id = 0;
  int64_t current_id = 0;
};

// Commits an OVERWRITE snapshot with the content of the target; nothing is deleted. Files that the latest snapshot no
// longer has come back as copies: every engine takes a file for one that is added once and removed once, and would
// delete it, when the snapshot that removed it or a tag expires, under the feet of the one that brought it back.
// Throws NotFound naming a file of the target that is gone; Conflict.
RollbackResult RollbackAsLatest(TablePtr table, const Snapshot& target, CommitSettings settings);

// Deletes every snapshot, long-lived changelog and tag that is later than the target. Their data files stay, for
// remove_orphan_files. Ended in between, a second run finishes.
RollbackResult RollbackDeletingLater(const Table& table, const Snapshot& target);

}  // namespace mica
