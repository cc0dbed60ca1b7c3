// CREATE TABLE in all its forms, REPLACE TABLE and DROP TABLE (M-0302 to M-0311).
#include "base/log.h"
#include "base/text.h"
#include "catalog/hive_catalog.h"
#include "engine/duck_types.h"
#include "meta/option_list.h"
#include "sql/attached_catalog.h"
#include "sql/column_default.h"
#include "sql/errors.h"
#include "sql/followed_table.h"
#include "sql/session.h"
#include "sql/system_name.h"
#include "types/column_default.h"

namespace mica::sql {

namespace {

std::vector<std::string> SplitNames(const std::string& text) {
  std::vector<std::string> names = mica::SplitList(text, ',');
  std::erase_if(names, [](const std::string& name) { return name.empty(); });
  return names;
}

// A list that may stand in a clause or in an option, not in both.
std::vector<std::string> ClauseOrOption(std::vector<std::string> clause, Options& options, const std::string& key,
                                        std::string_view what) {
  auto option = options.find(key);
  if (option == options.end()) return clause;
  if (!clause.empty()) throw InvalidArgument("{} is given twice: in the statement and as the option '{}'", what, key);
  std::vector<std::string> names = SplitNames(option->second);
  options.erase(option);
  return names;
}

// SQL does not tell names apart by case.
void RefuseSameNames(const std::vector<DataField>& fields) {
  std::map<std::string, std::string> seen;
  for (const DataField& field : fields) {
    auto [known, added] = seen.emplace(ToLower(field.name), field.name);
    if (!added && known->second != field.name) {
      throw InvalidArgument("The columns '{}' and '{}' differ by case only, which SQL does not tell apart", known->second, field.name);
    }
  }
}

// Keys, comment and options of the table, columns as they are; what the statement says itself wins.
TableDefinition DefinitionLike(const TableSchema& schema, const dialect::CreateTable& create) {
  TableDefinition definition;
  definition.fields = schema.fields;
  definition.partition_keys = schema.partition_keys;
  definition.primary_keys = schema.primary_keys;
  definition.comment = create.comment ? create.comment : schema.comment;
  definition.options = schema.options;
  for (const char* own : {"path", "owner", "external", "is-managed-location"}) definition.options.erase(own);
  for (const auto& [key, value] : create.options) {
    if (key == "primary-key" || key == "partition") {
      throw Unsupported("CREATE TABLE LIKE takes its keys from the other table: leave out the option '{}'", key);
    }
    definition.options[key] = value;
  }
  return definition;
}

}  // namespace

std::string Session::DefaultText(const dialect::Expression& expression, const DataField& field) {
  if (expression.literal) {
    if (expression.literal->kind == dialect::Literal::Kind::kNull) return "null";
    CheckDefault(field.name, expression.literal->text, field.type);
    return expression.literal->text;
  }
  // Rows of a table could not be meant.
  const std::string query = "SELECT (" + expression.sql + ")";
  auto result = connection_->Query(query);
  if (result->HasError()) {
    throw InvalidArgument("The default of the column '{}' is no constant: {}", field.name,
                          FromDuck(result->GetErrorObject(), query).message());
  }
  return sql::DefaultText(*connection_->context, result->GetValue(0, 0), field);
}

TableDefinition Session::DefinitionOf(const dialect::CreateTable& create) {
  TableDefinition definition;
  definition.options = create.options;
  definition.comment = create.comment;
  definition.primary_keys = ClauseOrOption(create.primary_key, definition.options, "primary-key", "The primary key");
  definition.partition_keys = ClauseOrOption(create.partition_keys, definition.options, "partition", "Partitioning");
  auto comment = definition.options.find("comment");
  if (comment != definition.options.end()) {
    if (!definition.comment) definition.comment = comment->second;
    definition.options.erase(comment);
  }
  for (const dialect::Column& column : create.columns) {
    DataField field;
    field.name = column.name;
    field.type = column.type;
    field.description = column.comment;
    if (column.default_value) field.default_value = DefaultText(*column.default_value, field);
    definition.fields.push_back(std::move(field));
  }
  return definition;
}

// Columns of the query, found before anything is created.
void Session::TakeColumns(const dialect::QueryText& query, TableDefinition* definition) {
  if (!definition->fields.empty()) {
    throw InvalidArgument("CREATE TABLE ... AS takes its columns from the query: leave the column list out");
  }
  RefuseFollowing(*connection_, query.sql);
  auto prepared = connection_->Prepare(RunUpToLast(query.sql));
  if (prepared->HasError()) throw FromDuck(prepared->error, query.sql);
  const auto& names = prepared->GetNames();
  const auto& types = prepared->GetTypes();
  for (size_t i = 0; i < names.size(); ++i) {
    DataField field;
    field.name = names[i];
    field.type = FromDuckType(types[i], names[i]);
    definition->fields.push_back(std::move(field));
  }
}

Session::ResultPtr Session::Execute(const dialect::CreateTable& create) {
  RefuseInTransaction("CREATE TABLE");
  TableAddress address = Resolve(create.name);
  const TableName& name = address.name;
  if (create.provider && !EqualsIgnoreCase(*create.provider, "paimon")) {
    throw Unsupported("CREATE TABLE ... USING {} is not supported: tables are of Paimon's format", *create.provider);
  }
  if (name.table.find('$') != std::string::npos) throw InvalidArgument("A table cannot be named '{}': '$' is reserved", name.table);
  DatabaseAddress{address.catalog_name, address.catalog, name.database}.Require();
  bool exists = address.Exists();
  if (create.replace && !exists) {
    throw NotFound("The table '{}' does not exist. Use CREATE OR REPLACE TABLE to make it", name.ToString());
  }
  bool replaces = exists && (create.replace || create.or_replace);
  if (exists && !replaces) {
    if (create.if_not_exists) return NoResult();
    throw AlreadyExists("The table '{}' exists already", name.ToString());
  }
  const bool has_places = dynamic_cast<HiveCatalog*>(address.catalog.get()) != nullptr;
  if ((create.location || create.external) && !has_places) {
    throw Unsupported("The filesystem catalog '{}' keeps its tables in the warehouse: leave out {}. A Hive catalog takes it",
                      address.catalog_name, create.location ? "LOCATION" : "EXTERNAL");
  }
  TableDefinition definition = create.like ? DefinitionLike(Resolve(*create.like).Open()->schema(), create) : DefinitionOf(create);
  if (create.query) TakeColumns(*create.query, &definition);
  if (create.location) {
    const auto [path, added] = definition.options.emplace("path", *create.location);
    if (!added && path->second != *create.location) {
      throw InvalidArgument("The table '{}' has two places: LOCATION '{}' and the option 'path' = '{}'", name.ToString(),
                            *create.location, path->second);
    }
  }
  const bool placed = definition.options.contains("path");
  if (create.external && !placed) throw InvalidArgument("An EXTERNAL table needs its LOCATION");
  RefuseSameNames(definition.fields);
  WarnOfSlips(create.options);
  auto type = definition.options.find("type");
  if (type != definition.options.end() && !EqualsIgnoreCase(type->second, "table")) {
    throw Unsupported("Cannot create the table '{}' with 'type' = '{}': only ordinary tables are supported", name.ToString(),
                      type->second);
  }
  if (definition.fields.empty() && !(placed && has_places)) {
    throw InvalidArgument("The table '{}' needs at least one column", name.ToString());
  }
  if (replaces) return ReplaceTable(create, address, definition);
  // M-0115
  if (TableOptions(address.catalog->options()).Bool("strict-layout", false) && name.database == kDefaultDatabase) {
    Log(LogLevel::kWarning, fmt::format("The table '{}' lies in the database '{}', where other engines may not find it",
                                        name.table, kDefaultDatabase));
  }
  address.catalog->CreateTable(name, definition, create.if_not_exists);
  if (!create.query) return NoResult();
  try {
    return RunText(fmt::format("INSERT INTO {} {}", address.Sql(), create.query->sql), false);
  } catch (const Error& error) {
    // After an unknown outcome the rows may be there.
    if (error.kind() != ErrorKind::kOutcomeUnknown) address.catalog->DropTable(name, true);
    throw;
  }
}

// The query still reads the old table, which stays as it is until the commit.
Session::ResultPtr Session::ReplaceTable(const dialect::CreateTable& create, const TableAddress& address,
                                         const TableDefinition& definition) {
  TablePtr table = address.Open();
  TablePtr replacement = address.catalog->Replacement(address.name, definition);
  if (!create.query) {
    if (table->snapshots().LatestId()) TableCommit(table, NewCommitSettings(*address.catalog)).Truncate();
    address.catalog->PublishReplacement(*replacement);
    return NoResult();
  }
  WriteRequest request;
  request.overwrite = true;
  request.dynamic_partitions = false;
  request.replacement = replacement;
  state_->write_request = std::move(request);
  TableAddress target = address;
  target.name.table += kReplacementSuffix;
  return RunText(fmt::format("INSERT INTO {} {}", target.Sql(), create.query->sql), false);
}

Session::ResultPtr Session::Execute(const dialect::DropTable& drop) {
  RefuseInTransaction("DROP TABLE");
  TableAddress address = Resolve(drop.name);
  RefuseSystemTable(address);
  address.catalog->DropTable(address.name, drop.if_exists);
  return NoResult();
}

}  // namespace mica::sql
