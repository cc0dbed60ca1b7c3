// Snapshots that nobody can reach any more but whose files still have to be deleted: expired ones, and those of deleted
// tags (Engine 10.1, 10.3; M-0605, M-0616). Each is kept as `snapshot/retired-<id>` until its files are gone, so a
// process that ends in between loses nothing: what is listed can be read at every moment, and the next one goes on.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/executor.h"
#include "meta/snapshot.h"
#include "table/table.h"

namespace mica {

class RetiredSnapshots {
 public:
  RetiredSnapshots(const Table& table, Executor& executor) : table_(table), executor_(executor) {}

  // Notes that the files of a snapshot are to be deleted. The caller then takes away what makes it reachable: its
  // snapshot file, or its tag.
  void Add(const Snapshot& snapshot);

  // Deletes the files that retired snapshots used and that no snapshot, tag, branch or long-lived changelog needs, and
  // forgets the retired. A state that cannot be read protects everything: its files are left. Returns how many files
  // were deleted.
  int64_t Clean();

 private:
  using Retired = std::map<int64_t, Snapshot>;

  Retired List();
  std::string PathOf(int64_t id) const;

  const Table& table_;
  Executor& executor_;
};

// Notes the first snapshot in `snapshot/EARLIEST`. Failures are logged: a hint may be stale.
void WriteEarliestHint(const Table& table, int64_t id);

}  // namespace mica
