// Ends the life of long-lived changelogs (Engine 10.2): the changes of snapshots that have expired, kept as
// `changelog/changelog-<id>` while the options changelog.num-retained.* and changelog.time-retained say so. Consumers keep
// theirs. Ended at any moment, what is listed can be read and the next run goes on.
#pragma once

#include <cstdint>
#include <optional>

#include "base/executor.h"
#include "table/table.h"

namespace mica {

struct ChangelogExpiryRequest {
  std::optional<int64_t> retain_max;         // changelog.num-retained.max
  std::optional<int64_t> retain_min;         // changelog.num-retained.min
  std::optional<int64_t> older_than_millis;  // now - changelog.time-retained
  std::optional<int64_t> max_deletes;        // snapshot.expire.limit
  bool all = false;                          // every one, whatever the rest says
};
// Returns how many are gone. Throws InvalidArgument when the limits contradict each other.
int64_t ExpireChangelogs(const Table& table, const ChangelogExpiryRequest& request, int64_t now_millis, Executor& executor);

}  // namespace mica
