// Merging of entries and of manifests (Format 4.4, Engine 1.6).
#include <algorithm>
#include <bit>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "meta/manifest.h"
#include "meta/manifest_writer.h"

namespace mica {

namespace {

bool SameIdentity(const ManifestEntry& a, const ManifestEntry& b) {
  return a.bucket == b.bucket && a.file.level == b.file.level && a.file.file_name == b.file.file_name &&
         a.partition == b.partition && a.file.extra_files == b.file.extra_files &&
         a.file.embedded_file_index == b.file.embedded_file_index && a.file.external_path == b.file.external_path;
}

// Positions of entries by identity: a flat table, since a plan puts every live file into one.
class EntryTable {
 public:
  explicit EntryTable(const std::vector<ManifestEntry>& entries)
      : entries_(entries), slots_(std::bit_ceil(entries.size() * 2 + 2)), mask_(slots_.size() - 1) {}

  // The position at which an entry of this identity is known, if any; else this one becomes known.
  uint32_t* FindOrInsert(uint32_t position) {
    const ManifestEntry& entry = entries_[position];
    // Names are unique but for upgrades, so hashing the name does.
    size_t hash = std::hash<std::string_view>()(entry.file.file_name);
    auto mark = static_cast<uint32_t>(hash >> 32);
    for (size_t i = hash & mask_;; i = (i + 1) & mask_) {
      Slot& slot = slots_[i];
      if (slot.position == kFree) {
        slot = {mark, position};
        return nullptr;
      }
      if (slot.mark == mark && SameIdentity(entries_[slot.position], entry)) return &slot.position;
    }
  }

 private:
  static constexpr uint32_t kFree = UINT32_MAX;
  struct Slot {
    uint32_t mark = 0;
    uint32_t position = kFree;
  };
  const std::vector<ManifestEntry>& entries_;
  std::vector<Slot> slots_;
  size_t mask_;
};

}  // namespace

std::vector<ManifestEntry> MergeEntries(std::vector<ManifestEntry> entries) {
  EntryTable table(entries);
  std::vector<bool> gone(entries.size());
  bool any_gone = false;
  for (uint32_t i = 0; i < entries.size(); ++i) {
    const ManifestEntry& entry = entries[i];
    uint32_t* known = table.FindOrInsert(i);
    if (!known) continue;
    bool known_live = !gone[*known];
    bool known_add = entries[*known].kind == FileKind::kAdd;
    if (entry.kind == FileKind::kAdd) {
      if (known_live) {
        throw Corrupt("The file '{}' of bucket '{}' is added although it is already {}", entry.file.file_name,
                      entry.bucket, known_add ? "there" : "deleted");
      }
      *known = i;
      continue;
    }
    any_gone = true;
    if (known_live && known_add) {
      gone[*known] = gone[i] = true;
    } else if (known_live) {
      gone[i] = true;  // a second DELETE says nothing new
    } else {
      *known = i;  // what it deletes was added and deleted before: it stays
    }
  }
  if (!any_gone) return entries;
  size_t kept = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (gone[i]) continue;
    if (kept != i) entries[kept] = std::move(entries[i]);
    ++kept;
  }
  entries.resize(kept);
  return entries;
}

namespace {

using Identities = std::unordered_set<std::string>;

bool MustChange(const ManifestFileMeta& manifest, const ManifestMergeOptions& options) {
  return manifest.deleted_count > 0 || manifest.file_size < options.target_bytes;
}

struct Deleted {
  Identities identities;
  std::vector<std::vector<Value>> partitions;  // distinct
};

Deleted CollectDeleted(ManifestStore& store, const std::vector<ManifestFileMeta>& manifests,
                       std::span<const DataType> types, Executor& executor) {
  std::vector<const ManifestFileMeta*> with_deletes;
  for (const ManifestFileMeta& manifest : manifests) {
    if (manifest.deleted_count > 0) with_deletes.push_back(&manifest);
  }
  std::vector<std::vector<std::pair<std::string, std::string>>> found(with_deletes.size());  // identity, partition
  executor.ForEach(with_deletes.size(), [&](size_t i) {
    ManifestFilter filter;
    filter.without_stats = true;
    store.Scan(with_deletes[i]->file_name, with_deletes[i]->file_size, filter, [&](ManifestEntry&& entry) {
      if (entry.kind == FileKind::kDelete) found[i].emplace_back(entry.Identity(), std::move(entry.partition));
    });
  });
  Deleted deleted;
  std::unordered_set<std::string> partitions;
  for (auto& list : found) {
    for (auto& [identity, partition] : list) {
      deleted.identities.insert(std::move(identity));
      if (partitions.insert(partition).second) {
        deleted.partitions.push_back(BinaryRow::Deserialize(partition).Values(types));
      }
    }
  }
  return deleted;
}

// Whether the manifest's partition statistics leave room for one of the partitions.
bool MayHold(const ManifestFileMeta& manifest, const std::vector<std::vector<Value>>& partitions,
             std::span<const DataType> types) {
  if (types.empty()) return !partitions.empty();
  BinaryRow min = BinaryRow::Deserialize(manifest.partition_stats.min_values);
  BinaryRow max = BinaryRow::Deserialize(manifest.partition_stats.max_values);
  const auto& null_counts = manifest.partition_stats.null_counts;
  auto arity = static_cast<int32_t>(types.size());
  if (min.arity() != arity || max.arity() != arity) return true;
  std::vector<Value> low = min.Values(types), high = max.Values(types);
  auto column_may_hold = [&](size_t i, const Value& value) {
    if (IsNull(value)) return !null_counts || i >= null_counts->size() || (*null_counts)[i].value_or(1) > 0;
    // Without bounds the values are all NULL or unknown; unknown is no reason to pass by.
    return IsNull(low[i]) || IsNull(high[i]) ||
           (CompareValues(value, low[i]) >= 0 && CompareValues(value, high[i]) <= 0);
  };
  return std::any_of(partitions.begin(), partitions.end(), [&](const std::vector<Value>& partition) {
    for (size_t i = 0; i < types.size(); ++i) {
      if (!column_may_hold(i, partition[i])) return false;
    }
    return true;
  });
}

// The live entries of one manifest, or nothing when none of them is deleted.
std::optional<std::vector<ManifestEntry>> LiveUnlessUntouched(ManifestStore& store, const ManifestFileMeta& manifest,
                                                              const Identities& deleted) {
  std::vector<ManifestEntry> live;
  bool touched = false;
  store.Scan(manifest.file_name, manifest.file_size, {}, [&](ManifestEntry&& entry) {
    if (entry.kind == FileKind::kAdd && !deleted.count(entry.Identity())) {
      live.push_back(std::move(entry));
    } else {
      touched = true;
    }
  });
  if (!touched) return std::nullopt;
  return live;
}

std::optional<std::vector<ManifestFileMeta>> TryFullMerge(ManifestStore& store,
                                                          const std::vector<ManifestFileMeta>& manifests,
                                                          const ManifestMergeOptions& options,
                                                          std::span<const DataType> types, Executor& executor) {
  int64_t bytes = 0;
  for (const ManifestFileMeta& manifest : manifests) {
    if (MustChange(manifest, options)) bytes += manifest.file_size;
  }
  if (bytes < options.full_threshold_bytes) return std::nullopt;

  Deleted deleted = CollectDeleted(store, manifests, types, executor);
  std::vector<ManifestFileMeta> result;
  std::vector<const ManifestFileMeta*> to_merge;
  for (const ManifestFileMeta& manifest : manifests) {
    if (MustChange(manifest, options) || MayHold(manifest, deleted.partitions, types)) {
      to_merge.push_back(&manifest);
    } else {
      result.push_back(manifest);
    }
  }
  if (to_merge.size() <= 1) return std::nullopt;

  ManifestWriter writer(store, types);
  for (const ManifestFileMeta* manifest : to_merge) {
    if (MustChange(*manifest, options)) {
      store.Scan(manifest->file_name, manifest->file_size, {}, [&](ManifestEntry&& entry) {
        if (entry.kind == FileKind::kAdd && !deleted.identities.count(entry.Identity())) writer.Append(entry);
      });
    } else if (auto live = LiveUnlessUntouched(store, *manifest, deleted.identities)) {
      for (const ManifestEntry& entry : *live) writer.Append(entry);
    } else {
      result.push_back(*manifest);
    }
  }
  for (ManifestFileMeta& manifest : writer.Finish()) result.push_back(std::move(manifest));
  return result;
}

// Adds a group of neighbours to the result, merged into new manifests unless it is only one.
void MergeGroup(ManifestStore& store, std::vector<ManifestFileMeta> group, std::span<const DataType> types,
                std::vector<ManifestFileMeta>* result) {
  if (group.size() == 1) {
    result->push_back(std::move(group[0]));
    return;
  }
  std::vector<ManifestEntry> entries;
  for (const ManifestFileMeta& manifest : group) {
    store.Scan(manifest.file_name, manifest.file_size, {},
               [&](ManifestEntry&& entry) { entries.push_back(std::move(entry)); });
  }
  ManifestWriter writer(store, types);
  for (const ManifestEntry& entry : MergeEntries(std::move(entries))) writer.Append(entry);
  for (ManifestFileMeta& manifest : writer.Finish()) result->push_back(std::move(manifest));
}

// How many of the first manifests each have more entries than all that follow together. Those stay as they are: what a
// commit rewrites would otherwise grow with the number of commits before it. Each is half of the one before, so they are
// few.
size_t LargerThanTheRest(const std::vector<ManifestFileMeta>& manifests) {
  auto entries = [](const ManifestFileMeta& manifest) { return manifest.added_count + manifest.deleted_count; };
  int64_t rest = 0;
  for (const ManifestFileMeta& manifest : manifests) rest += entries(manifest);
  size_t count = 0;
  for (; count < manifests.size(); ++count) {
    rest -= entries(manifests[count]);
    if (entries(manifests[count]) <= rest) break;
  }
  return count;
}

std::vector<ManifestFileMeta> MinorMerge(ManifestStore& store, std::vector<ManifestFileMeta> manifests,
                                         const ManifestMergeOptions& options, std::span<const DataType> types) {
  std::vector<ManifestFileMeta> result;
  std::vector<ManifestFileMeta> group;
  int64_t bytes = 0;
  for (ManifestFileMeta& manifest : manifests) {
    bytes += manifest.file_size;
    group.push_back(std::move(manifest));
    if (bytes < options.target_bytes) continue;
    MergeGroup(store, std::exchange(group, {}), types, &result);
    bytes = 0;
  }
  if (static_cast<int64_t>(group.size()) < options.min_count) {
    std::move(group.begin(), group.end(), std::back_inserter(result));
    return result;
  }
  auto merged = group.begin() + static_cast<std::ptrdiff_t>(LargerThanTheRest(group));
  std::move(group.begin(), merged, std::back_inserter(result));
  MergeGroup(store, {std::make_move_iterator(merged), std::make_move_iterator(group.end())}, types, &result);
  return result;
}

}  // namespace

std::vector<ManifestFileMeta> MergeManifests(ManifestStore& store, std::vector<ManifestFileMeta> manifests,
                                             const ManifestMergeOptions& options,
                                             std::span<const DataType> partition_types, Executor& executor) {
  if (auto full = TryFullMerge(store, manifests, options, partition_types, executor)) return *std::move(full);
  return MinorMerge(store, std::move(manifests), options, partition_types);
}

}  // namespace mica
