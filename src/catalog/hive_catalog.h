// The catalog that is a Hive metastore (metastore=hive; M-0102): it knows the names, where tables lie, and their
// properties; the tables themselves are Paimon's folders. Made by Mica or by Paimon for Java, they are the same.
//
// Options: uri (thrift://host:port, several with commas), warehouse (the metastore's own when missing), table.type
// (managed or external), sync-all-properties, case-sensitive, lock.enabled, lock-check-max-sleep, lock-acquire-timeout,
// and the hive.metastore.* of ReadHiveMetastoreSettings.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "catalog/catalog.h"
#include "catalog/metastore_partitions.h"
#include "hive/hive_metastore.h"

namespace mica {

class HiveCatalog final : public Catalog {
 public:
  HiveCatalog(std::shared_ptr<HiveMetastore> metastore, FileSystemPtr fs, std::string warehouse, Options options,
              Clock clock = SystemClock(), Sleeper sleeper = SystemSleeper());

  std::vector<std::string> ListDatabases() override;
  bool DatabaseExists(const std::string& database) override;
  void CreateDatabase(const std::string& database, bool ignore_if_exists, const Options& properties) override;
  // Sets properties, "comment", "owner" and "location" among them.
  void AlterDatabase(const std::string& database, const Options& properties);
  // Throws InvalidArgument when tables of Hive are left, which only Hive drops.
  void DropDatabase(const std::string& database, bool ignore_if_missing, bool cascade) override;
  std::vector<std::string> ListTables(const std::string& database) override;
  bool TableExists(const TableName& name) override;
  TablePtr GetTable(const TableName& name) override;
  // With the option `path`, or table.type=external, the table is external: dropping it leaves the files.
  TablePtr CreateTable(const TableName& name, const TableDefinition& definition, bool ignore_if_exists) override;
  TablePtr Replacement(const TableName& name, const TableDefinition& definition) override;
  void PublishReplacement(const Table& replacement) override;
  void DropTable(const TableName& name, bool ignore_if_missing) override;
  void RenameTable(const TableName& from, const TableName& to) override;
  void AlterTable(const TableName& name, const std::vector<SchemaChange>& changes) override;
  std::vector<std::string> ListViews(const std::string& database) override;
  // `t$hive` is how Hive shows a table with metastore.tag-to-partition: every partition that the metastore knows, its
  // column last.
  std::optional<View> FindView(const TableName& name) override;
  void CreateView(const TableName& name, const View& view, bool ignore_if_exists, bool replace) override;
  void DropView(const TableName& name, bool ignore_if_missing) override;
  std::shared_ptr<SnapshotPublisher> publisher() override { return publisher_; }
  const Options& options() const override { return options_; }

  // ---- for what moves tables in and out ----
  HiveMetastore& metastore() { return *metastore_; }
  const MetastorePartitions& partitions() const { return *partitions_; }
  // Any table or view of the metastore, Paimon's or not. Throws NotFound with the nearest name.
  HiveTable Describe(const TableName& name);
  // Tables of Hive and, unless told otherwise, of Paimon, without views; ascending. Throws NotFound.
  std::vector<std::string> ListAllTables(const std::string& database, bool of_hive_only);
  // Where a managed table of that name would be made. Throws NotFound for an unknown database.
  std::string NewTableLocation(const TableName& name);
  // The storage that this location is in, and the location as its paths are written there.
  FileSystemPtr FileSystemOf(const std::string& location);
  static std::string PlainLocation(const std::string& location);

  // ---- repair (M-1018): what lies in the file system is made known to the metastore ----
  // Throws NotFound when no table lies where it would, InvalidArgument when the name is a table of Hive.
  void RepairTable(const TableName& name, Executor& executor);
  void RepairDatabase(const std::string& database, Executor& executor);
  void RepairAll(Executor& executor);

 private:
  HiveDatabase RequireDatabase(const std::string& database);
  // Upper-case letters would be lost in the metastore. Throws InvalidArgument unless case-sensitive=true.
  void CheckCase(std::string_view what, const std::string& name) const;
  void CheckColumnCase(const std::vector<DataField>& fields) const;
  std::optional<HiveTable> Find(const TableName& name);
  std::vector<std::string> TablesThat(const std::string& database, const std::function<bool(const HiveTable&)>& wanted);
  TablePtr Open(const TableName& name, const HiveTable& table);
  // Also where the partition columns change, which a metastore cannot do: the entry is made anew.
  void WriteSchema(HiveTable table, const TableSchema& schema, const std::vector<std::string>& removed_options);
  std::optional<View> TagPartitionsView(const TableName& name);
  template <typename Function>
  auto Locked(const TableName& name, const Function& function);

  std::shared_ptr<HiveMetastore> metastore_;
  FileSystemPtr fs_;
  std::string warehouse_;
  Options options_;
  Clock clock_;
  Sleeper sleeper_;
  std::shared_ptr<const MetastorePartitions> partitions_;
  std::shared_ptr<SnapshotPublisher> publisher_;
};

std::shared_ptr<Catalog> OpenHiveCatalog(const Options& options);

}  // namespace mica
