// Ends the life of old snapshots (Engine 10.1; M-0602 to M-0607): what only they used is deleted, apart from what tags,
// branches and consumers hold. Ended at any moment, everything that is listed can be read and the next run goes on.
#pragma once

#include <cstdint>
#include <optional>

#include "base/executor.h"
#include "table/table.h"

namespace mica {

// Whether changelogs outlive snapshots (Engine 10.2): any of their limits is the longer one.
bool KeepsChangelogs(const TableOptions& options);

struct ExpireRequest {
  std::optional<int64_t> retain_max;         // snapshot.num-retained.max
  std::optional<int64_t> retain_min;         // snapshot.num-retained.min
  std::optional<int64_t> older_than_millis;  // now - snapshot.time-retained
  std::optional<int64_t> max_deletes;        // snapshot.expire.limit
};

// Which snapshots may go: [earliest, end). A snapshot goes when the one after it is older than the retained time: what
// was current within that time stays.
struct ExpireRange {
  int64_t earliest = 0;
  int64_t end = 0;
  bool empty() const { return end <= earliest; }
};
// Throws InvalidArgument when retain_max is below retain_min.
ExpireRange PlanExpiry(const Table& table, const ExpireRequest& request, int64_t now_millis);

// Whether the earliest snapshot may go by the table's options, seen without listing the snapshots: what a commit asks, so
// that it costs the same however many there are. True where that leaves it open: no hint names the earliest, or it stands
// before a hole.
bool ExpiryIsDue(const Table& table, int64_t now_millis);

// Returns how many snapshots are gone.
int64_t ExpireSnapshots(const Table& table, const ExpireRequest& request, int64_t now_millis, Executor& executor);

}  // namespace mica
