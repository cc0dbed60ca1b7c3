// A client of a Hive metastore (M-0102, M-0819): what Paimon asks of it, as plain values. One call is one round trip.
// Several servers are taken in the order they are given, the next one when one cannot be reached. Thread safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "hive/thrift_value.h"

namespace mica {

using HiveParameters = std::map<std::string, std::string>;

// Whether the parameter is there and says true, in any case.
bool IsTrue(const HiveParameters& parameters, const std::string& key);

struct HiveColumn {
  std::string name;
  std::string type;  // in Hive's words: "decimal(10,2)"
  std::optional<std::string> comment;
  bool operator==(const HiveColumn&) const = default;
};

// Where and how the rows of a table or partition lie. `rest` is the struct as it came, with what nobody here knows.
struct HiveStorage {
  std::vector<HiveColumn> columns;  // without those of the partitions
  std::string location;
  std::string input_format;
  std::string output_format;
  std::string serde;
  HiveParameters serde_parameters;
  ThriftValue rest;
};

struct HiveDatabase {
  std::string name;
  std::string description;
  std::string location;
  std::string owner;
  HiveParameters parameters;
  ThriftValue rest;
};

struct HiveTable {
  std::string database;
  std::string name;
  std::string owner;
  int32_t create_seconds = 0;
  std::string type;  // MANAGED_TABLE, EXTERNAL_TABLE, VIRTUAL_VIEW, ...
  HiveStorage storage;
  std::vector<HiveColumn> partition_keys;
  HiveParameters parameters;
  std::string view_text;
  ThriftValue rest;
};

struct HivePartition {
  std::string database;
  std::string table;
  std::vector<std::string> values;  // in the order of the table's partition keys
  int32_t create_seconds = 0;
  int32_t access_seconds = 0;
  HiveStorage storage;
  HiveParameters parameters;
  ThriftValue rest;
};

struct HiveLock {
  enum class State { kAcquired = 1, kWaiting = 2, kAborted = 3, kNotAcquired = 4 };
  int64_t id = 0;
  State state = State::kNotAcquired;
};

struct HiveServer {
  std::string host;
  uint16_t port = 9083;
};

struct HiveMetastoreSettings {
  std::vector<HiveServer> servers;
  std::chrono::milliseconds connect_timeout{20'000};
  std::chrono::milliseconds answer_timeout{600'000};
  int connect_rounds = 3;  // how often all servers are tried
  std::chrono::milliseconds round_delay{1'000};
  int batch = 300;  // tables or partitions in one answer
  bool location_in_properties = false;  // where Hive itself need not reach the storage
  Sleeper sleeper;  // the system's when null
};

// "thrift://a:9083,thrift://b" of the catalog option `uri`, location-in-properties, and the options hive.metastore.* of
// the catalog. Throws InvalidArgument or Unsupported naming the option.
HiveMetastoreSettings ReadHiveMetastoreSettings(const std::map<std::string, std::string>& options);

class HiveMetastore {
 public:
  explicit HiveMetastore(HiveMetastoreSettings settings);
  ~HiveMetastore();

  // All calls throw: IoError when no server can be reached, or when it failed; PermissionDenied; InvalidArgument for
  // what it refuses; OutcomeUnknown when a change was sent and no answer came. NotFound and AlreadyExists where they
  // can be meant.

  std::vector<std::string> DatabaseNames();
  std::optional<HiveDatabase> FindDatabase(const std::string& name);
  void CreateDatabase(const HiveDatabase& database);
  void AlterDatabase(const HiveDatabase& database);
  void DropDatabase(const std::string& name, bool delete_data);

  std::vector<std::string> TableNames(const std::string& database);
  std::vector<std::string> TableNames(const std::string& database, const std::string& type);
  std::optional<HiveTable> FindTable(const std::string& database, const std::string& name);
  // Those that exist, `batch` of them in one answer; calls `take` with each answer, so that memory stays bounded.
  void ForEachTable(const std::string& database, const std::vector<std::string>& names,
                    const std::function<void(std::vector<HiveTable>)>& take);
  void CreateTable(const HiveTable& table);
  // Changes the table `name`; a new name in `table` renames it. `cascade`: columns of its partitions too.
  void AlterTable(const std::string& database, const std::string& name, const HiveTable& table, bool cascade);
  void DropTable(const std::string& database, const std::string& name, bool delete_data);
  // Names of the columns of a primary key that was declared; empty on a metastore that knows no such thing.
  std::vector<std::string> PrimaryKey(const std::string& database, const std::string& table);

  // "dt=1/hr=2" of every partition, escaped as in paths.
  std::vector<std::string> PartitionNames(const std::string& database, const std::string& table);
  void ForEachPartition(const std::string& database, const std::string& table,
                        const std::function<void(std::vector<HivePartition>)>& take);
  std::optional<HivePartition> FindPartition(const std::string& database, const std::string& table,
                                             const std::vector<std::string>& values);
  // Those that exist already stay as they are.
  void AddPartitions(const std::string& database, const std::string& table,
                     const std::vector<HivePartition>& partitions);
  void AlterPartition(const HivePartition& partition);
  // False when there was none. Its files stay.
  bool DropPartition(const std::string& database, const std::string& table, const std::vector<std::string>& values);
  // Tells the metastore that a partition is complete (its event LOAD_DONE).
  void MarkPartitionDone(const std::string& database, const std::string& table, const HiveParameters& values);

  std::string ConfigValue(const std::string& name, const std::string& fallback);

  // An exclusive lock on a table: asked for, looked at again while it waits, given back.
  HiveLock Lock(const std::string& database, const std::string& table);
  HiveLock CheckLock(int64_t id);
  void Unlock(int64_t id);

  const std::string& user() const;  // in whose name it is asked
  int64_t call_count() const;       // round trips so far, for tests

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mica
