// Makes tables known to a metastore as they lie in the file system (M-1018).
#include "catalog/hive_catalog.h"
#include "catalog/hive_table.h"
#include "catalog/table_folder.h"

namespace mica {

void HiveCatalog::RepairTable(const TableName& name, Executor& executor) {
  RefuseBranch(name, "repair");
  auto known = Find(name);
  if (known && !IsPaimonTable(*known))
    throw InvalidArgument("'{}' is a table of Hive in the metastore, not of Paimon", name.ToString());
  const std::string location = known ? known->storage.location : NewTableLocation(name);
  SchemaStore schemas(FileSystemOf(location), PlainLocation(location));
  const std::optional<TableSchema> schema = schemas.Latest();
  if (!schema) throw NotFound("There is no table '{}' in '{}' to make known", name.ToString(), location);
  if (known) {
    HiveTable wanted = *known;
    UpdateHiveTable(&wanted, *schema, options_, {});
    const bool same = wanted.storage.columns == known->storage.columns &&
                      wanted.partition_keys == known->partition_keys && wanted.parameters == known->parameters;
    if (!same) WriteSchema(*std::move(known), *schema, {});
  } else {
    metastore_->CreateTable(NewHiveTable({.name = name,
                                          .location = location,
                                          .external = WantsExternal(schema->options, options_),
                                          .owner = metastore_->user(),
                                          .now_millis = clock_()},
                                         *schema, options_));
  }
  partitions_->Repair(*GetTable(name), executor);
}

void HiveCatalog::RepairDatabase(const std::string& database, Executor& executor) {
  if (!DatabaseExists(database)) CreateDatabase(database, /*ignore_if_exists=*/true, {});
  const std::string location = ParentPath(NewTableLocation({database, "t"}));
  const FileSystemPtr fs = FileSystemOf(location);
  for (const FileStatus& child : fs->List(PlainLocation(location))) {
    if (!child.is_directory) continue;
    const std::string name = BaseName(child.path);
    if (!SchemaStore(fs, JoinPath(PlainLocation(location), name)).Ids().empty())
      RepairTable({database, name}, executor);
  }
}

void HiveCatalog::RepairAll(Executor& executor) {
  constexpr std::string_view kSuffix = ".db";
  for (const FileStatus& child : fs_->List(PlainLocation(warehouse_))) {
    const std::string name = BaseName(child.path);
    if (child.is_directory && name.ends_with(kSuffix))
      RepairDatabase(name.substr(0, name.size() - kSuffix.size()), executor);
  }
}

}  // namespace mica
