#include "catalog/empty_catalog.h"

#include "base/error.h"

namespace mica {

EmptyCatalog::EmptyCatalog(std::string name, std::string way_out)
    : name_(std::move(name)), way_out_(std::move(way_out)) {}

void EmptyCatalog::Refuse(std::string_view what, const std::string& object) const {
  throw InvalidArgument("The {} '{}' cannot be in the catalog '{}', which holds nothing. {}", what, object, name_, way_out_);
}

std::vector<std::string> EmptyCatalog::ListDatabases() { return {std::string(kDefaultDatabase)}; }

bool EmptyCatalog::DatabaseExists(const std::string& database) { return database == kDefaultDatabase; }

void EmptyCatalog::CreateDatabase(const std::string& database, bool, const Options&) { Refuse("database", database); }

void EmptyCatalog::DropDatabase(const std::string& database, bool, bool) { Refuse("database", database); }

std::vector<std::string> EmptyCatalog::ListTables(const std::string&) { return {}; }

bool EmptyCatalog::TableExists(const TableName&) { return false; }

TablePtr EmptyCatalog::GetTable(const TableName& name) {
  throw NotFound("The table '{}' does not exist: the catalog '{}' holds nothing. {}", name.ToString(), name_, way_out_);
}

TablePtr EmptyCatalog::CreateTable(const TableName& name, const TableDefinition&, bool) {
  Refuse("table", name.ToString());
}

TablePtr EmptyCatalog::Replacement(const TableName& name, const TableDefinition&) { Refuse("table", name.ToString()); }

void EmptyCatalog::PublishReplacement(const Table& replacement) { Refuse("table", replacement.name().ToString()); }

void EmptyCatalog::DropTable(const TableName& name, bool) { Refuse("table", name.ToString()); }

void EmptyCatalog::RenameTable(const TableName& from, const TableName&) { Refuse("table", from.ToString()); }

void EmptyCatalog::AlterTable(const TableName& name, const std::vector<SchemaChange>&) {
  Refuse("table", name.ToString());
}

std::vector<std::string> EmptyCatalog::ListViews(const std::string&) { return {}; }

std::optional<View> EmptyCatalog::FindView(const TableName&) { return std::nullopt; }

void EmptyCatalog::CreateView(const TableName& name, const View&, bool, bool) { Refuse("view", name.ToString()); }

void EmptyCatalog::DropView(const TableName& name, bool) { Refuse("view", name.ToString()); }

}  // namespace mica
