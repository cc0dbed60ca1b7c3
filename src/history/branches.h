// Makes, renames, deletes and fast-forwards branches (Engine 10.7; M-0635 to M-0641; ). A branch begins with a state
// of the line it is made from, and an anchor, a tag that both lines have, says to every engine that the files of this state
// are needed: see RefuseAnchor in tags.h. Ended at any moment, everything that is listed can be read, and a second run
// finishes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/executor.h"
#include "table/commit.h"
#include "table/table.h"

namespace mica {

struct BranchRequest {
  std::string name;
  // Where it begins; at most one is given. Without: the latest snapshot, or empty when there is none.
  std::optional<std::string> tag;
  std::optional<int64_t> snapshot_id;  // may be one that only a tag holds
  bool empty = false;                  // columns and options only
  bool ignore_if_exists = false;
};
// Throws AlreadyExists, NotFound, InvalidArgument for a name that cannot be one. Anchors with the tag that is given, or with
// the new tag `branch-<name>` where none is given or it expires.
void CreateBranch(const Table& table, const BranchRequest& request);

// Deletes branches, and the files that only they have. All are looked at before the first goes. Throws NotFound, and
// InvalidArgument for main, for the line that the table is opened at, and for a branch that an option names.
void DeleteBranches(const Table& table, const std::vector<std::string>& names, Executor& executor);

// Throws as DeleteBranches, and AlreadyExists.
void RenameBranch(const Table& table, const std::string& from, const std::string& to);

// The line of the table takes over the history of a branch: what it did itself since the branch began is dropped, with its
// tags, and its data files are left for remove_orphan_files. The branch begins anew with the latest snapshot. Throws
// InvalidArgument when a tag stands in the way, Conflict when somebody committed meanwhile.
void FastForward(const Table& table, const std::string& branch, Executor& executor);

// Gives a line the files that only another one has, as one commit without copying; the number of files. Both are append tables
// with the same columns that still have their whole history, of appends only: otherwise InvalidArgument says why not. Each
// line gets a tag `merge-<other>`, which keeps engines that look at one line only from deleting what both have (M-0641, Q-20).
int64_t MergeBranch(const TablePtr& source, const TablePtr& target, const CommitSettings& settings, Executor& executor);
// The tag of a line that shares files with a line merged into it, or that it was merged into.
std::string MergeTagOf(const std::string& other);

}  // namespace mica
