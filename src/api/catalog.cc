#include "mica/catalog.h"

#include "api/border.h"
#include "api/state.h"
#include "dialect/type_parser.h"

namespace mica::api {

namespace {

mica::TableDefinition DefinitionOf(const TableDefinition& given) {
  mica::TableDefinition definition;
  for (const Column& column : given.columns) {
    DataField field{.name = column.name};
    try {
      field.type = dialect::ParseType(column.type, dialect::Dialect::kFlink);
    } catch (mica::Error& error) {
      error.Add("column '" + column.name + "'");
      throw;
    }
    if (!column.comment.empty()) field.description = column.comment;
    definition.fields.push_back(std::move(field));
  }
  definition.partition_keys = given.partition_keys;
  definition.primary_keys = given.primary_keys;
  definition.options = given.options;
  if (!given.comment.empty()) definition.comment = given.comment;
  return definition;
}

}  // namespace

Catalog Catalog::Open(const std::map<std::string, std::string>& options) {
  return AtBorder([&] { return Catalog(std::make_shared<State>(State{OpenCatalog(options)})); });
}

std::vector<std::string> Catalog::ListDatabases() const {
  return AtBorder([&] { return state_->catalog->ListDatabases(); });
}

void Catalog::CreateDatabase(const std::string& database, bool ignore_if_exists) const {
  AtBorder([&] { state_->catalog->CreateDatabase(database, ignore_if_exists, {}); });
}

std::vector<std::string> Catalog::ListTables(const std::string& database) const {
  return AtBorder([&] { return state_->catalog->ListTables(database); });
}

Table Catalog::GetTable(const std::string& database, const std::string& table) const {
  return AtBorder([&] {
    return Table(
        std::make_shared<Table::State>(Table::State{state_->catalog, state_->catalog->GetTable({database, table})}));
  });
}

Table Catalog::CreateTable(const std::string& database, const std::string& table,
                           const TableDefinition& definition) const {
  return AtBorder([&] {
    auto created = state_->catalog->CreateTable({database, table}, DefinitionOf(definition), false);
    return Table(std::make_shared<Table::State>(Table::State{state_->catalog, std::move(created)}));
  });
}

void Catalog::DropTable(const std::string& database, const std::string& table) const {
  AtBorder([&] { state_->catalog->DropTable({database, table}, false); });
}

}  // namespace mica::api
