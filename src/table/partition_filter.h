// Which partitions a predicate leaves, and which manifests can have files of them (Engine 8.2; P-70).
#pragma once

#include <atomic>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "meta/manifest.h"
#include "predicate/predicate.h"
#include "table/table.h"

namespace mica {

// Thread safe.
class PartitionFilter {
 public:
  // What the predicate says of partition columns; nullptr for all partitions.
  PartitionFilter(const Table& table, const PredicatePtr& predicate);

  bool active() const { return predicate_ != nullptr && !fields_.empty(); }
  bool KeepsManifest(const ManifestFileMeta& manifest) const;
  // As a function; the filter has to outlive it.
  std::function<bool(const ManifestFileMeta&)> OfManifests() const;
  // `partition` is a serialized BinaryRow. Quick where partitions follow each other.
  bool Keeps(std::string_view partition) const;

 private:
  std::vector<DataField> fields_;
  std::vector<DataType> types_;
  PredicatePtr predicate_;
  static inline std::atomic<uint64_t> ids_{0};
  uint64_t id_ = ++ids_;
};

// True for these partitions (serialized), and perhaps for others that mix their values: a help to leave manifests out.
PredicatePtr AmongPartitions(const Table& table, const std::set<std::string>& partitions);

}  // namespace mica
