// Branches that were deleted but whose files still have to be. The states of each are noted in the table's
// `snapshot/retired-branch-<name>-<n>` before its folder goes, until the files that only it had are gone.
#pragma once

#include "base/executor.h"
#include "history/lines.h"

namespace mica {

// Notes all states of a branch. One that cannot be read is left out, with a warning: its files stay for remove_orphan_files.
void NoteDeadBranch(const Table& table, Line& branch);

// Deletes the files of noted states that no state of any line needs, and the notes. A state that cannot be read protects
// everything. Returns how many files were deleted.
int64_t CleanDeadBranches(const Table& table, Executor& executor);

}  // namespace mica
