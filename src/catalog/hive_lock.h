// The metastore's lock on a table (lock.enabled): held while a snapshot or schema is published, by Paimon for Java too.
#pragma once

#include <chrono>
#include <memory>

#include "base/clock.h"
#include "catalog/catalog.h"
#include "catalog/metastore_partitions.h"
#include "hive/hive_metastore.h"

namespace mica {

struct HiveLockSettings {
  bool enabled = false;
  std::chrono::milliseconds longest_sleep{8'000};  // between two looks
  std::chrono::milliseconds longest_wait{8 * 60'000};
  Clock clock;
  Sleeper sleeper;
};

// lock.enabled (by default on object stores only), lock-check-max-sleep, lock-acquire-timeout. Throws Unsupported for
// another lock.type than 'hive'.
HiveLockSettings ReadHiveLockSettings(const Options& options, bool object_store, Clock clock, Sleeper sleeper);

// Held from here to the end of its life. Throws Conflict when it cannot be had in time.
class HeldHiveLock {
 public:
  HeldHiveLock(HiveMetastore& metastore, const TableName& name, const HiveLockSettings& settings);
  ~HeldHiveLock();
  HeldHiveLock(const HeldHiveLock&) = delete;
  HeldHiveLock& operator=(const HeldHiveLock&) = delete;

 private:
  HiveMetastore& metastore_;
  int64_t id_ = 0;
};

// Publishes as FileSystemPublisher does, under the lock when there is one, and then tells the metastore of new
// partitions. Under a lock a storage without exclusive creation will do.
std::shared_ptr<SnapshotPublisher> HivePublisher(std::shared_ptr<HiveMetastore> metastore, HiveLockSettings settings,
                                                 std::shared_ptr<const MetastorePartitions> partitions);

}  // namespace mica
