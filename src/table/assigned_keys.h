// What a writer assumed when it chose where keys go, checked against the state that a commit comes after (Engine 6,
// P-42).
#pragma once

#include <optional>
#include <vector>

#include "meta/manifest.h"
#include "meta/snapshot.h"
#include "table/commit_message.h"
#include "table/table.h"

namespace mica {

// Dynamic buckets: throws Conflict where `index`, the index files of the latest snapshot, has other HASH files than
// those that the messages name.
void CheckHashFiles(const Table& table, const std::vector<CommitMessage>& messages,
                    const std::vector<IndexManifestEntry>& index);
// Keys that may move between partitions: messages name the snapshot in which the places of keys were looked up. Throws
// Conflict where others have written since; compactions leave every key in its partition.
void CheckLocations(const Table& table, const std::vector<CommitMessage>& messages,
                    const std::optional<Snapshot>& latest);

}  // namespace mica
