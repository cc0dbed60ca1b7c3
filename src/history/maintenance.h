// What follows a commit (Engine 10; M-0602, M-0617, M-0620): automatic tags are made, and tags, partitions, consumers and
// snapshots expire as the table's options say. Tables with 'write-only' leave that to others.
#pragma once

#include "base/clock.h"
#include "base/executor.h"
#include "table/commit.h"

namespace mica {

// The rows are committed: nothing is thrown, failures are logged and the next commit tries again.
void MaintainAfterCommit(const TablePtr& table, const CommitSettings& settings, Executor& executor) noexcept;

}  // namespace mica
