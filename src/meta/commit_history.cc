#include "meta/commit_history.h"

#include "base/error.h"

namespace mica {

std::optional<Snapshot> LastSnapshotOf(SnapshotStore& snapshots, const std::string& user) {
  const std::vector<int64_t> ids = snapshots.Ids();
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    try {
      Snapshot snapshot = snapshots.Get(*id);
      if (snapshot.commit_user == user) return snapshot;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kNotFound) throw;  // expired meanwhile
    }
  }
  return std::nullopt;
}

bool IsCommitted(SnapshotStore& snapshots, const std::string& user, int64_t identifier) {
  if (user.empty() || identifier == kBatchCommitIdentifier) return false;
  const std::optional<Snapshot> last = LastSnapshotOf(snapshots, user);
  return last && identifier <= last->commit_identifier;
}

}  // namespace mica
