#include "table/existing_buckets.h"

#include <algorithm>

#include "table/live_files.h"
#include "table/partition_filter.h"

namespace mica {

void ExistingBuckets::Cover(const PartitionNumbers& partitions, Executor& executor) {
  if (all_ || partitions.count() == covered_) return;
  if (covered_ == 0) {
    std::set<std::string> wanted;
    for (size_t i = 0; i < partitions.count(); ++i) wanted.insert(partitions.partition(static_cast<uint32_t>(i)));
    Load(&wanted, executor);
  } else {
    Load(nullptr, executor);
    all_ = true;
  }
  covered_ = partitions.count();
}

int64_t ExistingBuckets::MaxSequence(const std::string& partition, int32_t bucket) const {
  auto known = max_sequence_.find({partition, bucket});
  return known == max_sequence_.end() ? -1 : known->second;
}

int32_t ExistingBuckets::TotalBuckets(const std::string& partition) const {
  auto known = total_buckets_.find(partition);
  return known == total_buckets_.end() ? 0 : known->second;
}

void ExistingBuckets::Load(const std::set<std::string>* partitions, Executor& executor) {
  const auto latest = table_->snapshots().Latest();
  if (!latest) return;
  ManifestFilter filter;
  filter.without_stats = true;
  std::function<bool(const ManifestFileMeta&)> keep_manifest;
  std::optional<PartitionFilter> among;
  if (partitions != nullptr) {
    filter.keep = [&](std::string_view partition, int32_t, int32_t) {
      return partitions->contains(std::string(partition));
    };
    among.emplace(*table_, AmongPartitions(*table_, *partitions));
    keep_manifest = among->OfManifests();
  }
  for (const ManifestEntry& entry : LiveEntries(table_->manifests(), *latest, filter, keep_manifest, executor)) {
    int64_t& largest = max_sequence_.try_emplace({entry.partition, entry.bucket}, -1).first->second;
    largest = std::max(largest, entry.file.max_sequence_number);
    if (entry.total_buckets > 0) total_buckets_[entry.partition] = entry.total_buckets;
  }
}

}  // namespace mica
