#include "catalog/hive_lock.h"

#include <algorithm>

#include "base/log.h"
#include "base/text.h"

namespace mica {

namespace {

constexpr int64_t kFirstSleepMillis = 100;

std::chrono::milliseconds Duration(const Options& options, const char* key, std::chrono::milliseconds fallback) {
  auto found = options.find(key);
  return found == options.end() ? fallback
                                : std::chrono::duration_cast<std::chrono::milliseconds>(ParseDuration(found->second));
}

class HivePublisherClass final : public SnapshotPublisher {
 public:
  HivePublisherClass(std::shared_ptr<HiveMetastore> metastore, HiveLockSettings settings,
                     std::shared_ptr<const MetastorePartitions> partitions)
      : metastore_(std::move(metastore)), settings_(std::move(settings)), partitions_(std::move(partitions)) {}

  bool Publish(const Table& table, const Snapshot& snapshot) override {
    if (!PublishOnly(table, snapshot)) return false;
    try {
      partitions_->AfterCommit(table, snapshot);
    } catch (const Error& error) {
      // The rows are there all the same.
      Log(LogLevel::kWarning,
          fmt::format("The metastore was not told of the partitions of snapshot {} of '{}': {}. CALL sys.repair('{}') "
                      "mends that",
                      snapshot.id, table.name().ToString(), error.what(), table.name().ToString()));
    }
    return true;
  }

 private:
  bool PublishOnly(const Table& table, const Snapshot& snapshot) {
    if (!settings_.enabled) return FileSystemPublisher()->Publish(table, snapshot);
    HeldHiveLock lock(*metastore_, table.name(), settings_);
    FileSystem& fs = table.file_system();
    if (fs.CanCreateAtomically(nullptr)) return FileSystemPublisher()->Publish(table, snapshot);
    const std::string path = table.snapshots().PathOf(snapshot.id);
    if (fs.Exists(path)) return false;
    fs.ReplaceAtomically(path, snapshot.ToJson());
    return true;
  }

  std::shared_ptr<HiveMetastore> metastore_;
  HiveLockSettings settings_;
  std::shared_ptr<const MetastorePartitions> partitions_;
};

}  // namespace

HiveLockSettings ReadHiveLockSettings(const Options& options, bool object_store, Clock clock, Sleeper sleeper) {
  if (auto type = options.find("lock.type"); type != options.end() && !EqualsIgnoreCase(type->second, "hive")) {
    throw Unsupported("'lock.type' = '{}' is not supported: a Hive catalog locks in its metastore ('hive')",
                      type->second);
  }
  HiveLockSettings settings;
  auto enabled = options.find("lock.enabled");
  settings.enabled = enabled == options.end() ? object_store : EqualsIgnoreCase(enabled->second, "true");
  settings.longest_sleep = Duration(options, "lock-check-max-sleep", settings.longest_sleep);
  settings.longest_wait = Duration(options, "lock-acquire-timeout", settings.longest_wait);
  settings.clock = std::move(clock);
  settings.sleeper = std::move(sleeper);
  return settings;
}

HeldHiveLock::HeldHiveLock(HiveMetastore& metastore, const TableName& name, const HiveLockSettings& settings)
    : metastore_(metastore) {
  const int64_t start = settings.clock();
  HiveLock lock = metastore_.Lock(name.database, name.table);
  id_ = lock.id;
  try {
    int64_t sleep = kFirstSleepMillis;
    while (lock.state == HiveLock::State::kWaiting && settings.clock() - start < settings.longest_wait.count()) {
      settings.sleeper(std::min(sleep, settings.longest_sleep.count()));
      sleep *= 2;
      lock = metastore_.CheckLock(id_);
    }
    if (lock.state == HiveLock::State::kAcquired) return;
    throw Conflict(
        "The lock of the table '{}' could not be had within {} s: somebody else holds it. 'lock-acquire-timeout' sets "
        "how long to wait",
        name.ToString(), (settings.clock() - start) / 1000);
  } catch (...) {
    metastore_.Unlock(id_);
    throw;
  }
}

HeldHiveLock::~HeldHiveLock() {
  try {
    metastore_.Unlock(id_);
  } catch (const Error& error) {
    Log(LogLevel::kWarning,
        fmt::format("The lock {} could not be given back and ends by itself later: {}", id_, error.what()));
  }
}

std::shared_ptr<SnapshotPublisher> HivePublisher(std::shared_ptr<HiveMetastore> metastore, HiveLockSettings settings,
                                                 std::shared_ptr<const MetastorePartitions> partitions) {
  return std::make_shared<HivePublisherClass>(std::move(metastore), std::move(settings), std::move(partitions));
}

}  // namespace mica
