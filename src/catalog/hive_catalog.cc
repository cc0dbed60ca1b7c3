#include "catalog/hive_catalog.h"

#include <algorithm>

#include "base/text.h"
#include "catalog/hive_lock.h"
#include "catalog/hive_table.h"
#include "catalog/schema_change.h"
#include "catalog/table_folder.h"
#include "hive/hive_site.h"
#include "io/file_systems.h"
#include "meta/branch.h"

namespace mica {

namespace {

std::string WithoutSlash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

TableName MainOf(const TableName& name) {
  return {name.database, SplitBranch(name.table).table};
}

// An external table that exists must be the one that is asked for.
void RequireSameColumns(const TableName& name, const TableSchema& asked, const TableSchema& found,
                        const std::string& location) {
  bool same = asked.partition_keys == found.partition_keys && asked.primary_keys == found.primary_keys &&
              asked.fields.size() == found.fields.size();
  for (size_t i = 0; same && i < asked.fields.size(); ++i) {
    // As texts, which have no field ids: those of columns that were changed are others than those of new ones.
    same = asked.fields[i].name == found.fields[i].name &&
           asked.fields[i].type.ToString() == found.fields[i].type.ToString();
  }
  if (same) return;
  throw InvalidArgument(
      "Cannot create the external table '{}': '{}' holds a table with other columns or keys. Give the same ones",
      name.ToString(), location);
}

// What a creation left whose call to the metastore came to nothing: the same table, in which nothing has been written.
bool IsLeftBehind(const TableSchema& asked, const TableSchema& found, const FileSystemPtr& fs, const std::string& root) {
  TableSchema same = found;
  same.time_millis = asked.time_millis;
  return same.ToJson() == asked.ToJson() && SnapshotStore(fs, root).Ids().empty();
}

std::vector<std::string> RemovedOptions(const std::vector<SchemaChange>& changes) {
  std::vector<std::string> keys;
  for (const SchemaChange& change : changes) {
    if (const auto* removed = std::get_if<RemoveOption>(&change)) keys.push_back(removed->key);
  }
  return keys;
}

void SetProperties(const Options& properties, HiveDatabase* database) {
  for (const auto& [key, value] : properties) {
    if (key == "comment") {
      database->description = value;
    } else if (key == "location") {
      database->location = value;
    } else if (key == "owner") {
      database->owner = value;
    } else {
      database->parameters[key] = value;
    }
  }
}

}  // namespace

HiveCatalog::HiveCatalog(std::shared_ptr<HiveMetastore> metastore, FileSystemPtr fs, std::string warehouse,
                         Options options, Clock clock, Sleeper sleeper)
    : metastore_(std::move(metastore)),
      fs_(std::move(fs)),
      warehouse_(WithoutSlash(std::move(warehouse))),
      options_(std::move(options)),
      clock_(std::move(clock)),
      sleeper_(std::move(sleeper)) {
  const std::string scheme = SchemeOf(warehouse_);
  partitions_ = std::make_shared<MetastorePartitions>(metastore_, clock_);
  publisher_ = HivePublisher(
      metastore_, ReadHiveLockSettings(options_, !scheme.empty() && scheme != "file", clock_, sleeper_), partitions_);
}

std::shared_ptr<Catalog> OpenHiveCatalog(const Options& given) {
  if (given.contains("metastore.client.class")) {
    throw Unsupported(
        "The option 'metastore.client.class' is not supported: Mica speaks to the metastore itself, not through a class of "
        "Java");
  }
  const Options options = WithHiveSite(given);
  auto metastore = std::make_shared<HiveMetastore>(ReadHiveMetastoreSettings(options));
  std::string warehouse;
  for (const char* key : {"hive.metastore.warehouse.dir", "warehouse"}) {
    if (auto found = options.find(key); found != options.end()) warehouse = found->second;
  }
  if (warehouse.empty()) warehouse = metastore->ConfigValue("hive.metastore.warehouse.dir", "");
  if (warehouse.empty()) {
    throw InvalidArgument(
        "The catalog needs the option 'warehouse': the folder that holds the tables. The metastore does not tell");
  }
  return std::make_shared<HiveCatalog>(std::move(metastore), OpenFileSystem(warehouse, options), warehouse, options);
}

// ---- where things lie ----

std::string HiveCatalog::PlainLocation(const std::string& location) {
  // The metastore writes local paths as file:/a, file:///a.
  if (SchemeOf(location) != "file") return WithoutSlash(location);
  const size_t start = location.find_first_not_of('/', location.find(':') + 1);
  return WithoutSlash("/" + (start == std::string::npos ? "" : location.substr(start)));
}

FileSystemPtr HiveCatalog::FileSystemOf(const std::string& location) {
  auto scheme = [](const std::string& path) { return SchemeOf(path) == "file" ? std::string() : SchemeOf(path); };
  return scheme(location) == scheme(warehouse_) ? fs_ : OpenFileSystem(location, options_);
}

std::string HiveCatalog::NewTableLocation(const TableName& name) {
  const HiveDatabase database = RequireDatabase(name.database);
  return JoinPath(
      database.location.empty() ? JoinPath(warehouse_, name.database + ".db") : WithoutSlash(database.location),
      name.table);
}

void HiveCatalog::CheckCase(std::string_view what, const std::string& name) const {
  if (ToLower(name) == name || IsTrue(options_, "case-sensitive")) return;
  throw InvalidArgument("'{}' cannot be the name of a {} in a Hive catalog: upper-case letters would be lost. Use '{}'",
                        name, what, ToLower(name));
}

void HiveCatalog::CheckColumnCase(const std::vector<DataField>& fields) const {
  for (const DataField& field : fields) CheckCase("column", field.name);
}

template <typename Function>
auto HiveCatalog::Locked(const TableName& name, const Function& function) {
  const std::string scheme = SchemeOf(warehouse_);
  const HiveLockSettings settings =
      ReadHiveLockSettings(options_, !scheme.empty() && scheme != "file", clock_, sleeper_);
  if (!settings.enabled) return function();
  HeldHiveLock lock(*metastore_, name, settings);
  return function();
}

// ---- databases ----

std::vector<std::string> HiveCatalog::ListDatabases() {
  std::vector<std::string> names = metastore_->DatabaseNames();
  std::sort(names.begin(), names.end());
  return names;
}

bool HiveCatalog::DatabaseExists(const std::string& database) {
  return !database.empty() && metastore_->FindDatabase(database).has_value();
}

HiveDatabase HiveCatalog::RequireDatabase(const std::string& database) {
  if (!database.empty()) {
    if (auto found = metastore_->FindDatabase(database)) return *std::move(found);
  }
  throw NotFound("The database '{}' does not exist in the metastore{}", database,
                 DidYouMean(database, ListDatabases()));
}

void HiveCatalog::CreateDatabase(const std::string& name, bool ignore_if_exists, const Options& properties) {
  CheckObjectName("database", name);
  CheckCase("database", name);
  HiveDatabase database;
  database.name = name;
  database.location = JoinPath(warehouse_, name + ".db");
  SetProperties(properties, &database);
  try {
    metastore_->CreateDatabase(database);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kAlreadyExists) throw;
    if (!ignore_if_exists) throw AlreadyExists("The database '{}' exists already", name);
  }
}

void HiveCatalog::AlterDatabase(const std::string& name, const Options& properties) {
  HiveDatabase database = RequireDatabase(name);
  SetProperties(properties, &database);
  metastore_->AlterDatabase(database);
}

void HiveCatalog::DropDatabase(const std::string& name, bool ignore_if_missing, bool cascade) {
  if (!DatabaseExists(name)) {
    if (ignore_if_missing) return;
    RequireDatabase(name);
  }
  if (name == kDefaultDatabase) throw InvalidArgument("The database 'default' cannot be dropped");
  const std::vector<std::string> all = metastore_->TableNames(name);
  const std::vector<std::string> tables = ListTables(name);
  const std::vector<std::string> views = ListViews(name);
  for (const auto& [names, what] : {std::pair(&tables, "tables"), std::pair(&views, "views")}) {
    if (names->empty() || cascade) continue;
    throw InvalidArgument(
        "Cannot drop the database '{}': it holds {} {}, '{}' among them. Add CASCADE to drop them too", name,
        names->size(), what, names->front());
  }
  if (all.size() > tables.size() + views.size()) {
    throw InvalidArgument("Cannot drop the database '{}': it holds {} tables of Hive, which only Hive drops", name,
                          all.size() - tables.size() - views.size());
  }
  for (const std::string& table : tables) DropTable({name, table}, true);
  for (const std::string& view : views) DropView({name, view}, true);
  // The metastore deletes what it takes for the place of the database.
  const std::string elsewhere = IsTrue(options_, "location-in-properties") ? RequireDatabase(name).location : "";
  metastore_->DropDatabase(name, /*delete_data=*/true);
  if (!elsewhere.empty()) FileSystemOf(elsewhere)->DeleteFolder(PlainLocation(elsewhere));
}

// ---- tables ----

std::optional<HiveTable> HiveCatalog::Find(const TableName& name) {
  if (name.table.empty() || name.database.empty()) return std::nullopt;
  return metastore_->FindTable(name.database, name.table);
}

HiveTable HiveCatalog::Describe(const TableName& name) {
  if (auto found = Find(name)) return *std::move(found);
  RequireDatabase(name.database);
  throw NotFound("The table '{}' does not exist{}", name.ToString(),
                 DidYouMean(name.table, metastore_->TableNames(name.database)));
}

std::vector<std::string> HiveCatalog::ListTables(const std::string& database) {
  return TablesThat(database, IsPaimonTable);
}

std::vector<std::string> HiveCatalog::ListAllTables(const std::string& database, bool of_hive_only) {
  return TablesThat(database, [&](const HiveTable& table) {
    return !IsView(table) && !(of_hive_only && IsPaimonTable(table));
  });
}

std::vector<std::string> HiveCatalog::TablesThat(const std::string& database,
                                                 const std::function<bool(const HiveTable&)>& wanted) {
  RequireDatabase(database);
  std::vector<std::string> names;
  metastore_->ForEachTable(database, metastore_->TableNames(database), [&](const std::vector<HiveTable>& tables) {
    for (const HiveTable& table : tables) {
      if (wanted(table)) names.push_back(table.name);
    }
  });
  std::sort(names.begin(), names.end());
  return names;
}

bool HiveCatalog::TableExists(const TableName& name) {
  const BranchedName parts = SplitBranch(name.table);
  auto found = Find({name.database, parts.table});
  // A table of Hive has its name, and GetTable says what to do with it.
  if (!found || IsView(*found)) return false;
  const std::string& location = found->storage.location;
  return parts.branch.empty() || BranchExists(*FileSystemOf(location), PlainLocation(location), parts.branch);
}

TablePtr HiveCatalog::Open(const TableName& name, const HiveTable& table) {
  const FileSystemPtr fs = FileSystemOf(table.storage.location);
  const std::string root = PlainLocation(table.storage.location);
  TablePtr opened = Table::Open(fs, name, root);
  if (!opened->schema().options.contains("metastore.tag-to-partition")) return opened;
  return Table::Open(WithTagPartitions(fs, root, MainOf(name), partitions_), name, root);
}

TablePtr HiveCatalog::GetTable(const TableName& name) {
  const HiveTable table = Describe(MainOf(name));
  if (IsView(table)) throw NotFound("'{}' is a view, not a table", name.ToString());
  if (!IsPaimonTable(table)) {
    throw Unsupported(
        "'{}' is a table of Hive ('{}'), not of Paimon. The procedure migrate_table turns it into one, clone copies it",
        name.ToString(), table.storage.input_format);
  }
  return Open(name, table);
}

TablePtr HiveCatalog::CreateTable(const TableName& name, const TableDefinition& given, bool ignore_if_exists) {
  RefuseBranch(name, "create");
  CheckNewName("table", name);
  CheckCase("table", name.table);
  CheckColumnCase(given.fields);
  const TableDefinition definition = WithTableDefaults(given, options_);
  if (auto found = Find(name)) {
    if (ignore_if_exists && IsPaimonTable(*found)) return nullptr;
    throw AlreadyExists("{} '{}' exists already{}", IsView(*found) ? "A view" : "The table", name.ToString(),
                        IsView(*found) || IsPaimonTable(*found) ? "" : ", as a table of Hive");
  }
  const bool external = WantsExternal(definition.options, options_);
  auto path = definition.options.find("path");
  const std::string location = path != definition.options.end() ? WithoutSlash(path->second) : NewTableLocation(name);
  const FileSystemPtr fs = FileSystemOf(location);
  const std::string root = PlainLocation(location);
  SchemaStore schemas(fs, root);
  std::optional<TableSchema> before = schemas.Latest();
  // Without columns the table has those of the one that lies there.
  const bool inherits = definition.fields.empty();
  if (inherits && !before) {
    throw InvalidArgument("Cannot create the table '{}' without columns: '{}' holds no table", name.ToString(),
                          location);
  }
  TableSchema schema = inherits ? *before : FirstSchema(definition);
  schema.time_millis = clock_();
  HiveTable table = NewHiveTable(
      {.name = name, .location = location, .external = external, .owner = metastore_->user(), .now_millis = clock_()},
      schema, options_);
  CheckBranches(schema, fs, root);
  if (before && !external && !IsLeftBehind(schema, *before, fs, root)) {
    throw AlreadyExists(
        "Cannot create the table '{}': there is one in '{}' already, which the metastore does not know. The procedure "
        "repair makes it known",
        name.ToString(), location);
  }
  if (before && external) {
    RequireSameColumns(name, schema, *before, location);
    table = NewHiveTable(
        {.name = name, .location = location, .external = true, .owner = metastore_->user(), .now_millis = clock_()},
        *before, options_);
  } else if (!before && !Locked(name, [&] { return schemas.Publish(schema); })) {
    throw Conflict("Cannot create the table '{}': somebody else is creating one in '{}'. Try again", name.ToString(),
                   location);
  }
  try {
    metastore_->CreateTable(table);
  } catch (const Error& error) {
    if (!external && error.kind() != ErrorKind::kOutcomeUnknown) fs->DeleteFolder(root);
    if (error.kind() != ErrorKind::kAlreadyExists) throw;
    if (ignore_if_exists) return nullptr;
    throw AlreadyExists("The table '{}' exists already", name.ToString());
  }
  return Open(name, table);
}

TablePtr HiveCatalog::Replacement(const TableName& name, const TableDefinition& given) {
  const TableDefinition definition = WithTableDefaults(given, options_);
  CheckColumnCase(definition.fields);
  if (definition.options.contains("path")) {
    throw Unsupported("A table that is replaced stays where it lies: leave out LOCATION or the option 'path'");
  }
  return ReplacementOf(*GetTable(name), definition, clock_);
}

void HiveCatalog::PublishReplacement(const Table& replacement) {
  HiveTable table = Describe(MainOf(replacement.name()));
  Locked(MainOf(replacement.name()), [&] { PublishReplacementSchema(replacement); });
  WriteSchema(std::move(table), replacement.schema(), {});
}

void HiveCatalog::DropTable(const TableName& name, bool ignore_if_missing) {
  RefuseBranch(name, "drop");
  auto found = Find(name);
  if (!found && ignore_if_missing) return;
  if (!found || !IsPaimonTable(*found)) GetTable(name);  // says what it is
  const bool external = IsExternalTable(*found);
  metastore_->DropTable(name.database, name.table, !external);
  if (external) return;
  // The metastore deletes in the background or not at all.
  const std::string& location = found->storage.location;
  FileSystemOf(location)->DeleteFolder(PlainLocation(location));
}

void HiveCatalog::RenameTable(const TableName& from, const TableName& to) {
  CheckNewName("table", to);
  CheckCase("table", to.table);
  RefuseBranch(from, "rename");
  RequireDatabase(to.database);
  HiveTable table = Describe(from);
  if (!IsPaimonTable(table)) GetTable(from);
  if (Find(to)) throw AlreadyExists("The table '{}' exists already", to.ToString());
  const std::string old_location = table.storage.location;
  table.database = to.database;
  table.name = to.table;
  metastore_->AlterTable(from.database, from.table, table, /*cascade=*/false);
  if (IsExternalTable(table)) return;
  // Some metastores move the folder, others only say where it should be.
  table = Describe(to);
  const std::string new_location =
      table.storage.location == old_location ? NewTableLocation(to) : table.storage.location;
  const FileSystemPtr fs = FileSystemOf(old_location);
  const std::string old_root = PlainLocation(old_location), new_root = PlainLocation(new_location);
  if (old_root != new_root && !SchemaStore(fs, old_root).Ids().empty()) fs->Rename(old_root, new_root);
  if (table.storage.location == new_location) return;
  table.storage.location = new_location;
  metastore_->AlterTable(to.database, to.table, table, /*cascade=*/false);
}

void HiveCatalog::WriteSchema(HiveTable table, const TableSchema& schema,
                              const std::vector<std::string>& removed_options) {
  const std::vector<HiveColumn> keys = table.partition_keys;
  UpdateHiveTable(&table, schema, options_, removed_options);
  if (table.partition_keys == keys) return metastore_->AlterTable(table.database, table.name, table, /*cascade=*/true);
  metastore_->DropTable(table.database, table.name, /*delete_data=*/false);
  metastore_->CreateTable(table);
  partitions_->Repair(*Open({table.database, table.name}, table), InlineExecutor());
}

void HiveCatalog::AlterTable(const TableName& name, const std::vector<SchemaChange>& changes) {
  const TablePtr table = GetTable(name);
  for (const SchemaChange& change : changes) {
    if (const auto* added = std::get_if<AddColumn>(&change)) CheckCase("column", added->path.back());
    if (const auto* renamed = std::get_if<RenameColumn>(&change)) CheckCase("column", renamed->new_name);
  }
  const TableName main = MainOf(name);
  // What the metastore would refuse is found out before anything is written.
  HasMetastorePartitions(ApplyChanges(table->schema(), changes, table->snapshots().LatestId().has_value()));
  const TablePtr next = Locked(main, [&] { return ChangeSchema(table, changes, clock_); });
  // Only the main branch shows in the metastore.
  if (next == table || main.table != name.table) return;
  try {
    WriteSchema(Describe(main), next->schema(), RemovedOptions(changes));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kOutcomeUnknown)
      next->file_system().DeleteFile(next->schemas().PathOf(next->schema().id));
    throw;
  }
}

}  // namespace mica
