// What a clone makes of its target: which files stay because an earlier run brought them, which come, and which go with
// their partition.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "clone/copied_file_names.h"
#include "table/restore.h"
#include "table/table.h"

namespace mica {

class TargetReplacement {
 public:
  // `partitions`: those that get rows, serialized; the others stay, unless the table has no partitions or
  // 'dynamic-partition-overwrite' = 'false'. `base`: the target's latest snapshot.
  TargetReplacement(const Table& target, const std::optional<Snapshot>& base,
                    std::unordered_set<std::string> partitions, Executor& executor);

  const CopiedFileNames& names() const { return names_; }
  // The live file that bears this mark and passes the test; nullptr when there is none.
  const ManifestEntry* FindLive(const std::string& mark,
                                const std::function<bool(const ManifestEntry& live)>& right) const;
  const IndexManifestEntry* FindLiveIndex(const std::string& mark,
                                          const std::function<bool(const IndexManifestEntry& live)>& right) const;
  void Keep(const ManifestEntry& live) { replacement_.staying.insert(live.Identity()); }
  void KeepIndex(const std::string& name) { replacement_.staying_index.insert(name); }
  // What comes into a bucket.
  CommitMessage& MessageFor(const std::string& partition, int32_t bucket, int32_t total_buckets);

  // Publishes it, as ReplaceFiles does. The snapshot's id; nothing when there is nothing to change.
  std::optional<int64_t> Commit(const TablePtr& target, CommitSettings settings) const;

 private:
  CopiedFileNames names_;
  FileReplacement replacement_;
  std::unordered_multimap<std::string, ManifestEntry> live_;  // of the target, by mark
  std::unordered_multimap<std::string, IndexManifestEntry> live_index_;
  std::map<std::tuple<std::string, int32_t, int32_t>, size_t> messages_;  // places in the replacement's
};

}  // namespace mica
