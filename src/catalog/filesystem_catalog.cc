#include "catalog/filesystem_catalog.h"

#include "base/log.h"
#include "base/text.h"
#include "catalog/schema_change.h"
#include "catalog/table_folder.h"
#include "meta/branch.h"

namespace mica {

namespace {

constexpr std::string_view kDatabaseSuffix = ".db";

}  // namespace

FileSystemCatalog::FileSystemCatalog(FileSystemPtr fs, std::string warehouse, Options options, Clock clock)
    : fs_(std::move(fs)), warehouse_(std::move(warehouse)), options_(std::move(options)), clock_(std::move(clock)) {
  while (warehouse_.size() > 1 && warehouse_.ends_with('/')) warehouse_.pop_back();
}

std::string FileSystemCatalog::DatabasePath(const std::string& database) const {
  return JoinPath(warehouse_, database + std::string(kDatabaseSuffix));
}

std::string FileSystemCatalog::TablePath(const TableName& name) const {
  return JoinPath(DatabasePath(name.database), SplitBranch(name.table).table);
}

std::vector<std::string> FileSystemCatalog::ListDatabases() {
  std::vector<std::string> names{std::string(kDefaultDatabase)};
  for (const FileStatus& child : fs_->List(warehouse_)) {
    std::string name = BaseName(child.path);
    if (!child.is_directory || !name.ends_with(kDatabaseSuffix)) continue;
    name.resize(name.size() - kDatabaseSuffix.size());
    if (name != kDefaultDatabase && !name.empty()) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool FileSystemCatalog::DatabaseExists(const std::string& database) {
  if (database == kDefaultDatabase) return true;
  if (database.empty() || database.find('/') != std::string::npos) return false;
  auto status = fs_->Stat(DatabasePath(database));
  return status && status->is_directory;
}

void FileSystemCatalog::RequireDatabase(const std::string& database) {
  if (DatabaseExists(database)) return;
  throw NotFound("The database '{}' does not exist in '{}'{}", database, warehouse_, DidYouMean(database, ListDatabases()));
}

void FileSystemCatalog::CreateDatabase(const std::string& database, bool ignore_if_exists, const Options& properties) {
  CheckObjectName("database", database);
  if (properties.contains("location")) {
    throw Unsupported("The filesystem catalog decides where a database lies: leave out LOCATION, or use a Hive catalog");
  }
  if (DatabaseExists(database)) {
    if (ignore_if_exists) return;
    throw AlreadyExists("The database '{}' exists already", database);
  }
  if (!properties.empty()) {
    Log(LogLevel::kWarning, fmt::format("The filesystem catalog does not keep properties of the database '{}'", database));
  }
  fs_->CreateFolder(DatabasePath(database));
}

void FileSystemCatalog::DropDatabase(const std::string& database, bool ignore_if_missing, bool cascade) {
  if (!DatabaseExists(database)) {
    if (ignore_if_missing) return;
    RequireDatabase(database);
  }
  if (database == kDefaultDatabase) throw InvalidArgument("The database 'default' cannot be dropped");
  std::vector<std::string> tables = ListTables(database);
  if (!tables.empty() && !cascade) {
    throw InvalidArgument("Cannot drop the database '{}': it holds {} tables, '{}' among them. Add CASCADE to drop them too",
                          database, tables.size(), tables.front());
  }
  std::vector<std::string> views = ListViews(database);
  if (!views.empty() && !cascade) {
    throw InvalidArgument("Cannot drop the database '{}': it holds {} views, '{}' among them. Add CASCADE to drop them too",
                          database, views.size(), views.front());
  }
  for (const std::string& table : tables) DropTable({database, table}, true);
  fs_->DeleteFolder(DatabasePath(database));
}

std::vector<std::string> FileSystemCatalog::ListTables(const std::string& database) {
  RequireDatabase(database);
  std::vector<std::string> names;
  for (const FileStatus& child : fs_->List(DatabasePath(database))) {
    if (!child.is_directory) continue;
    if (HasSchema(child.path)) names.push_back(BaseName(child.path));
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool FileSystemCatalog::TableExists(const TableName& name) {
  if (name.table.empty() || name.table.find('/') != std::string::npos || name.database.find('/') != std::string::npos) {
    return false;
  }
  if (std::string branch = SplitBranch(name.table).branch; !branch.empty()) return BranchExists(*fs_, TablePath(name), branch);
  return HasSchema(TablePath(name));
}

// Nearly every table still has its first schema; only when not is the folder listed.
bool FileSystemCatalog::HasSchema(const std::string& root) {
  return fs_->Exists(JoinPath(root, "schema/schema-0")) || !SchemaStore(fs_, root).Ids().empty();
}

void FileSystemCatalog::ThrowNoTable(const TableName& name) {
  RequireDatabase(name.database);
  if (FindView(name)) throw NotFound("'{}' is a view, not a table", name.ToString());
  throw NotFound("The table '{}' does not exist{}", name.ToString(), DidYouMean(name.table, ListTables(name.database)));
}

TablePtr FileSystemCatalog::GetTable(const TableName& name) {
  if (TableName main{name.database, SplitBranch(name.table).table}; !TableExists(main)) ThrowNoTable(main);
  return Table::Open(fs_, name, TablePath(name));
}

TableDefinition FileSystemCatalog::WithDefaults(const TableDefinition& definition) const {
  TableDefinition result = WithTableDefaults(definition, options_);
  if (result.options.contains("path")) {
    throw Unsupported("The filesystem catalog decides where a table lies: leave out LOCATION or the option 'path'");
  }
  return result;
}

TablePtr FileSystemCatalog::Replacement(const TableName& name, const TableDefinition& definition) {
  return ReplacementOf(*GetTable(name), WithDefaults(definition), clock_);
}

void FileSystemCatalog::PublishReplacement(const Table& replacement) { PublishReplacementSchema(replacement); }

TablePtr FileSystemCatalog::CreateTable(const TableName& name, const TableDefinition& definition, bool ignore_if_exists) {
  CheckObjectName("table", name.table);
  RefuseBranch(name, "create");
  CheckNewName("table", name);
  RequireDatabase(name.database);
  if (TableExists(name)) {
    if (ignore_if_exists) return nullptr;
    throw AlreadyExists("The table '{}' exists already", name.ToString());
  }
  RefuseViewName(name);
  TableSchema schema = FirstSchema(WithDefaults(definition));
  schema.time_millis = clock_();
  std::string root = TablePath(name);
  CheckBranches(schema, fs_, root);
  if (!SchemaStore(fs_, root).Publish(schema)) {
    if (ignore_if_exists) return nullptr;
    throw AlreadyExists("The table '{}' exists already", name.ToString());
  }
  return Table::Open(fs_, name, root);
}

void FileSystemCatalog::DropTable(const TableName& name, bool ignore_if_missing) {
  RefuseBranch(name, "drop");
  if (!TableExists(name)) {
    if (ignore_if_missing) return;
    ThrowNoTable(name);
  }
  fs_->DeleteFolder(TablePath(name));
}

void FileSystemCatalog::RenameTable(const TableName& from, const TableName& to) {
  CheckObjectName("table", to.table);
  RefuseBranch(from, "rename");
  GetTable(from);
  RequireDatabase(to.database);
  if (TableExists(to) || fs_->Exists(TablePath(to))) throw AlreadyExists("The table '{}' exists already", to.ToString());
  RefuseViewName(to);
  fs_->CreateFolder(DatabasePath(to.database));
  fs_->Rename(TablePath(from), TablePath(to));
}

void FileSystemCatalog::AlterTable(const TableName& name, const std::vector<SchemaChange>& changes) {
  ChangeSchema(GetTable(name), changes, clock_);
}

FileViews FileSystemCatalog::Views(const std::string& database) const { return FileViews(fs_, DatabasePath(database)); }

void FileSystemCatalog::RefuseViewName(const TableName& name) {
  if (FindView(name)) throw AlreadyExists("A view '{}' exists already", name.ToString());
}

std::vector<std::string> FileSystemCatalog::ListViews(const std::string& database) {
  RequireDatabase(database);
  return Views(database).Names();
}

std::optional<View> FileSystemCatalog::FindView(const TableName& name) {
  if (name.table.empty() || name.table.find('/') != std::string::npos || !DatabaseExists(name.database)) return std::nullopt;
  return Views(name.database).Find(name.table);
}

void FileSystemCatalog::CreateView(const TableName& name, const View& view, bool ignore_if_exists, bool replace) {
  CheckNewName("view", name);
  RequireDatabase(name.database);
  if (TableExists(name)) throw AlreadyExists("A table '{}' exists already", name.ToString());
  if (Views(name.database).Save(name.table, view, replace) || ignore_if_exists) return;
  throw AlreadyExists("The view '{}' exists already. Use CREATE OR REPLACE VIEW to replace it", name.ToString());
}

void FileSystemCatalog::DropView(const TableName& name, bool ignore_if_missing) {
  if (DatabaseExists(name.database) && name.table.find('/') == std::string::npos && Views(name.database).Remove(name.table)) return;
  if (ignore_if_missing) return;
  RequireDatabase(name.database);
  if (TableExists(name)) throw NotFound("'{}' is a table, not a view", name.ToString());
  throw NotFound("The view '{}' does not exist{}", name.ToString(), DidYouMean(name.table, ListViews(name.database)));
}

}  // namespace mica
