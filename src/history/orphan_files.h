// Files that nothing refers to (Engine 10.5; M-1016): left over by writers that ended, by rollbacks and by other engines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/executor.h"
#include "table/table.h"

namespace mica {

struct OrphanFile {
  std::string path;
  int64_t bytes = 0;
};

// The files of a table that were last written before `older_than_millis` and that no snapshot, tag or long-lived changelog of
// main or of a branch refers to, by path. Younger ones may be of a writer that has not committed yet. Whatever cannot be read
// ends the search with an error: then nothing is known to be an orphan.
std::vector<OrphanFile> FindOrphanFiles(const Table& table, int64_t older_than_millis, Executor& executor);

// Finds them and, unless it is a dry run, deletes them. Returns what it found.
std::vector<OrphanFile> RemoveOrphanFiles(const Table& table, int64_t older_than_millis, bool dry_run, Executor& executor);

// Removes from the latest snapshot the entries of data files that are gone, unless it is a dry run; their paths. Their rows
// are lost already (M-1017).
struct CommitSettings;
std::vector<std::string> RemoveMissingFiles(const std::shared_ptr<const Table>& table, bool dry_run,
                                            const CommitSettings& settings, Executor& executor);

}  // namespace mica
