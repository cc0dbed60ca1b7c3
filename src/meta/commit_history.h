// What a user has committed before (Engine 1.10).
#pragma once

#include <optional>
#include <string>

#include "meta/snapshot.h"

namespace mica {

// The newest snapshot of the user, as far back as snapshots are kept.
std::optional<Snapshot> LastSnapshotOf(SnapshotStore& snapshots, const std::string& user);

// Whether the user has made the commit of this identifier already, or a later one: then a run is being repeated. Without a
// user of their own, or with kBatchCommitIdentifier, commits cannot be repeated.
bool IsCommitted(SnapshotStore& snapshots, const std::string& user, int64_t identifier);

}  // namespace mica
