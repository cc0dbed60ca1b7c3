// Publishes snapshots (Engine 1). The only code that does.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "table/commit_message.h"
#include "table/table.h"

namespace mica {

// How a snapshot becomes visible; catalogs with locks or calls of their own implement it (Architecture, Catalogs).
class SnapshotPublisher {
 public:
  virtual ~SnapshotPublisher() = default;
  // True when this snapshot is now the one with its id; false when another one is. Throws OutcomeUnknown.
  virtual bool Publish(const Table& table, const Snapshot& snapshot) = 0;
};

// Creates snapshot-<id> atomically, reads it back, writes the LATEST hint.
std::shared_ptr<SnapshotPublisher> FileSystemPublisher();

struct CommitSettings {
  std::string commit_user;  // random when empty
  int64_t identifier = kBatchCommitIdentifier;
  std::optional<int64_t> watermark;
  std::map<std::string, std::string> properties;
  std::optional<std::string> operation;
  bool ignore_empty = false;  // true: no snapshot for nothing
  std::shared_ptr<SnapshotPublisher> publisher;  // FileSystemPublisher when null
  Clock clock;                                   // the system's when null
  Sleeper sleeper;
  Executor* executor = nullptr;
};

struct CommitResult {
  std::vector<int64_t> snapshot_ids;  // published ones, in order
  // Why the compactions of the messages were given up after their rows had been published; their files are deleted.
  std::optional<std::string> compaction_failure;
  int32_t attempts = 0;
};

// Which partitions an overwrite replaces: values by partition column, empty map = the whole table.
struct OverwriteScope {
  bool dynamic = false;  // exactly the partitions that the messages write to
  std::map<std::string, Value> partition;
};

class TableCommit {
 public:
  TableCommit(TablePtr table, CommitSettings settings);

  // APPEND (and COMPACT) snapshots. Throws Conflict; OutcomeUnknown when publishing may have happened. After any other
  // error nothing was published and the new manifests are gone; data files of messages stay (AbortMessages).
  // Once the rows are published, no failure of the compact part is thrown: see CommitResult::compaction_failure.
  CommitResult Commit(const std::vector<CommitMessage>& messages);
  // An OVERWRITE snapshot.
  CommitResult Overwrite(const OverwriteScope& scope, const std::vector<CommitMessage>& messages);
  // Overwrites without new files; partitions given as (possibly partial) specs, each must name known columns.
  CommitResult DropPartitions(const std::vector<std::map<std::string, Value>>& specs);
  CommitResult Truncate();

 private:
  struct Impl;
  TablePtr table_;
  CommitSettings settings_;
};

}  // namespace mica
