// A table as loaded from a catalog: where it lies, the schema it was opened with, and the stores of its metadata. The
// value is immutable and shared; dynamic options give a new one. Thread safe.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "io/file_system.h"
#include "meta/manifest.h"
#include "meta/paths.h"
#include "meta/snapshot.h"
#include "meta/table_options.h"
#include "meta/table_schema.h"

namespace mica {

struct TableName {
  std::string database;
  std::string table;  // without $branch_x or $system suffix
  std::string ToString() const { return database + "." + table; }
  auto operator<=>(const TableName&) const = default;
};

class Table {
 public:
  // `root` is the table folder. Throws NotFound when it has no schema.
  static std::shared_ptr<const Table> Open(FileSystemPtr fs, TableName name, std::string root);

  const TableName& name() const { return name_; }
  const std::string& root() const { return root_; }
  const TableSchema& schema() const { return *schema_; }
  std::shared_ptr<const TableSchema> schema_ptr() const { return schema_; }
  const TableOptions& options() const { return options_; }
  FileSystem& file_system() const { return *fs_; }
  FileSystemPtr file_system_ptr() const { return fs_; }
  SchemaStore& schemas() const { return *schemas_; }
  SnapshotStore& snapshots() const { return *snapshots_; }
  const TablePaths& paths() const { return *paths_; }
  // Shared by readers; writers and committers make their own, since names carry one uuid a writer.
  ManifestStore& manifests() const { return *manifests_; }
  std::unique_ptr<ManifestStore> NewManifestStore() const;

  // Dynamic options over the stored ones (scan.snapshot-id, write-buffer-size, ...). Immutable options are refused.
  std::shared_ptr<const Table> WithOptions(const Options& dynamic) const;
  // The same table read under another schema version (time travel).
  std::shared_ptr<const Table> WithSchema(std::shared_ptr<const TableSchema> schema) const;
  // Opens the newest schema again.
  std::shared_ptr<const Table> Reload() const { return Open(fs_, name_, root_); }

  std::vector<DataType> partition_types() const;

 private:
  Table() = default;
  void Derive();

  FileSystemPtr fs_;
  TableName name_;
  std::string root_;
  std::shared_ptr<const TableSchema> schema_;
  TableOptions options_{Options{}};
  std::shared_ptr<SchemaStore> schemas_;
  std::shared_ptr<SnapshotStore> snapshots_;
  std::shared_ptr<TablePaths> paths_;
  std::shared_ptr<ManifestStore> manifests_;
};

using TablePtr = std::shared_ptr<const Table>;

}  // namespace mica
