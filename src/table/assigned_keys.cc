#include "table/assigned_keys.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/error.h"
#include "index/hash_index.h"

namespace mica {

namespace {

bool IsCompaction(const Table& table, const Snapshot& latest, int64_t id) {
  if (id == latest.id) return latest.commit_kind == CommitKind::kCompact;
  try {
    return table.snapshots().Get(id).commit_kind == CommitKind::kCompact;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kNotFound) throw;
    return false;  // expired meanwhile: nobody knows
  }
}

}  // namespace

void CheckHashFiles(const Table& table, const std::vector<CommitMessage>& messages,
                    const std::vector<IndexManifestEntry>& index) {
  // A writer that prepared several times for this commit comes after files of its own.
  std::map<std::string, int32_t> own;  // the bucket by name
  for (const CommitMessage& message : messages) {
    for (const IndexManifestEntry& entry : message.data.new_index_files) {
      if (entry.index_type == kHashIndexType) own.emplace(entry.file_name, entry.bucket);
    }
  }
  for (const CommitMessage& message : messages) {
    if (!message.base_hash_files) continue;
    std::vector<std::string> base;
    std::set<int32_t> own_buckets;
    for (const std::string& name : *message.base_hash_files) {
      auto found = own.find(name);
      if (found == own.end()) {
        base.push_back(name);
      } else {
        own_buckets.insert(found->second);
      }
    }
    std::vector<std::string> now;
    for (const IndexManifestEntry& entry : index) {
      bool same = entry.index_type == kHashIndexType && entry.partition == message.partition;
      if (same && !own_buckets.contains(entry.bucket)) now.push_back(entry.file_name);
    }
    std::sort(now.begin(), now.end());
    std::sort(base.begin(), base.end());
    if (now != base) {
      throw Conflict(
          "Cannot commit to table '{}': another writer assigned keys to dynamic buckets meanwhile. Write the rows "
          "again, with one writer at a time or a fixed 'bucket'",
          table.name().ToString());
    }
  }
}

void CheckLocations(const Table& table, const std::vector<CommitMessage>& messages,
                    const std::optional<Snapshot>& latest) {
  const auto located = std::find_if(messages.begin(), messages.end(),
                                    [](const CommitMessage& message) { return message.located_in.has_value(); });
  if (located == messages.end() || !latest) return;
  for (int64_t id = *located->located_in + 1; id <= latest->id; ++id) {
    if (IsCompaction(table, *latest, id)) continue;
    throw Conflict(
        "Cannot commit to table '{}': another writer may have moved keys between partitions in snapshot '{}'. "
        "Write the rows again, with one writer at a time",
        table.name().ToString(), id);
  }
}

}  // namespace mica
