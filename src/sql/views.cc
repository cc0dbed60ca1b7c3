#include "sql/views.h"

#include <duckdb/catalog/catalog_entry/view_catalog_entry.hpp>
#include <duckdb/parser/parsed_data/create_view_info.hpp>
#include <duckdb/parser/parser.hpp>
#include <duckdb/parser/statement/select_statement.hpp>

#include "base/text.h"
#include "dialect/query_rewriter.h"
#include "engine/duck_types.h"
#include "sql/errors.h"
#include "sql/session.h"

namespace mica::sql {

namespace {

dialect::Dialect DialectNamed(const std::string& name) {
  return name == "flink" ? dialect::Dialect::kFlink : dialect::Dialect::kSpark;
}

// The one query of the text.
duckdb::unique_ptr<duckdb::SelectStatement> ParseQuery(const std::string& sql) {
  duckdb::Parser parser;
  try {
    parser.ParseQuery(sql);
  } catch (const std::exception& error) {
    throw FromDuck(duckdb::ErrorData(error), sql);
  }
  if (parser.statements.size() != 1 || parser.statements[0]->type != duckdb::StatementType::SELECT_STATEMENT) {
    throw InvalidArgument("A view needs one query");
  }
  return duckdb::unique_ptr_cast<duckdb::SQLStatement, duckdb::SelectStatement>(std::move(parser.statements[0]));
}

std::string ColumnList(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "(" : ", ") + dialect::QuoteName(name);
  return text.empty() ? text : text + ")";
}

}  // namespace

std::unique_ptr<duckdb::CatalogEntry> MakeViewEntry(duckdb::Catalog& catalog, duckdb::SchemaCatalogEntry& schema,
                                                    const std::string& name, const View& view, const std::string& dialect) {
  duckdb::CreateViewInfo info;
  info.catalog = catalog.GetName();
  info.schema = schema.name;
  info.view_name = name;
  info.sql = view.QueryFor(dialect);
  for (const DataField& field : view.fields) info.aliases.push_back(field.name);
  try {
    info.query = ParseQuery(dialect::RewriteQuery(info.sql, DialectNamed(view.DialectOf(dialect))));
  } catch (const Error& error) {
    throw InvalidArgument("Cannot read the query of the view '{}': {}", name, error.message());
  }
  return std::make_unique<duckdb::ViewCatalogEntry>(catalog, schema, info);
}

std::string CreateViewText(const std::string& database, const std::string& name, const View& view, const std::string& dialect) {
  std::string text = fmt::format("CREATE VIEW {}.{}", dialect::BackQuoted(database), dialect::BackQuoted(name));
  for (size_t i = 0; i < view.fields.size(); ++i) {
    const DataField& field = view.fields[i];
    text += (i == 0 ? " (\n  " : ",\n  ") + dialect::BackQuoted(field.name);
    if (field.description) text += " COMMENT " + dialect::QuoteText(*field.description);
  }
  text += view.fields.empty() ? "\n" : ")\n";
  if (view.comment) text += "COMMENT " + dialect::QuoteText(*view.comment) + "\n";
  size_t shown = 0;
  for (const auto& [key, value] : view.options) {
    text += fmt::format("{}{} = {}", shown++ == 0 ? "TBLPROPERTIES (\n  " : ",\n  ", dialect::QuoteText(key),
                        dialect::QuoteText(Masked(key, value)));
  }
  if (shown > 0) text += ")\n";
  return text + "AS " + view.QueryFor(dialect);
}

std::optional<std::vector<DataField>> FieldsOfQuery(duckdb::Connection& connection, const std::string& sql) {
  auto prepared = connection.Prepare(sql);
  if (prepared->HasError()) return std::nullopt;
  const auto& names = prepared->GetNames();
  const auto& types = prepared->GetTypes();
  std::vector<DataField> fields;
  for (size_t i = 0; i < names.size(); ++i) {
    DataField field;
    field.id = static_cast<int32_t>(i);
    field.name = names[i];
    field.type = FromDuckType(types[i], field.name);
    fields.push_back(std::move(field));
  }
  return fields;
}

// What the query gives, in the order of its columns; nothing when a table that it names is not there (yet).
std::vector<DataField> Session::FieldsOfView(const dialect::CreateView& create, const DatabaseAddress& address) {
  SetSearchPath(address.catalog_name, address.database);
  auto known = FieldsOfQuery(*connection_, create.query.sql);
  ApplySearchPath();
  std::vector<DataField> fields = known.value_or(std::vector<DataField>());
  if (!known) {
    // Columns that are named keep their names; types are found when the view is read.
    for (const std::string& name : create.columns) fields.push_back({static_cast<int32_t>(fields.size()), name, DataType::String()});
  } else if (!create.columns.empty()) {
    if (create.columns.size() != fields.size()) {
      throw InvalidArgument("The view '{}' names {} columns, but its query gives {}", create.name.parts.back(),
                            create.columns.size(), fields.size());
    }
    for (size_t i = 0; i < fields.size(); ++i) fields[i].name = create.columns[i];
  }
  for (size_t i = 0; i < fields.size() && i < create.column_comments.size(); ++i) fields[i].description = create.column_comments[i];
  return fields;
}

Session::ResultPtr Session::Execute(const dialect::CreateView& create) {
  if (create.or_replace && create.if_not_exists) throw InvalidArgument("CREATE OR REPLACE VIEW does not fit IF NOT EXISTS");
  if (create.temporary) {
    if (create.name.parts.size() > 1) {
      throw InvalidArgument("A temporary view has no database: '{}'", Join(create.name.parts, "."));
    }
    std::string sql = create.or_replace ? "CREATE OR REPLACE TEMP VIEW " : "CREATE TEMP VIEW ";
    if (create.if_not_exists) sql += "IF NOT EXISTS ";
    return RunText(sql + dialect::QuoteName(create.name.parts.back()) + " " + ColumnList(create.columns) + " AS " + create.query.sql,
                   false);
  }
  RefuseInTransaction("CREATE VIEW");
  TableAddress address = Resolve(create.name);
  ParseQuery(create.query.sql);
  View view;
  view.fields = FieldsOfView(create, {address.catalog_name, address.catalog, address.name.database});
  view.query = create.query.source;
  view.dialects[state_->dialect] = create.query.source;
  view.comment = create.comment;
  view.options = create.properties;
  address.catalog->CreateView(address.name, view, create.if_not_exists, create.or_replace);
  return NoResult();
}

Session::ResultPtr Session::Execute(const dialect::DropView& drop) {
  if (drop.temporary || (drop.name.parts.size() == 1 && IsTemporaryView(drop.name.parts[0]))) {
    return RunText(std::string("DROP VIEW ") + (drop.if_exists ? "IF EXISTS " : "") + "temp.main." +
                       dialect::QuoteName(drop.name.parts.back()), false);
  }
  RefuseInTransaction("DROP VIEW");
  TableAddress address = Resolve(drop.name);
  address.catalog->DropView(address.name, drop.if_exists);
  return NoResult();
}

Session::ResultPtr Session::CreateViewOf(const TableAddress& address) {
  auto view = address.catalog->FindView(address.name);
  if (!view) {
    throw NotFound("The view '{}' does not exist{}", address.ToString(),
                   DidYouMean(address.name.table, address.catalog->ListViews(address.name.database)));
  }
  std::string text = CreateViewText(address.name.database, address.name.table, *view, state_->dialect);
  return Texts({state_->dialect == "flink" ? "result" : "createtab_stmt"}, {TextRow{text}}, true);
}

std::optional<KnownView> FindKnownView(duckdb::Connection& connection, const std::optional<TableAddress>& address,
                                       const std::string& name) {
  KnownView known;
  known.temporary = !address;
  if (address) {
    auto view = address->catalog->FindView(address->name);
    if (!view) return std::nullopt;
    known.view = *std::move(view);
  }
  // Those of a view that was made before its tables are known now, perhaps.
  if (known.view.fields.empty()) {
    std::string from = address ? address->Sql() : "temp.main." + dialect::QuoteName(name);
    known.view.fields = FieldsOfQuery(connection, "SELECT * FROM " + from).value_or(std::vector<DataField>());
  }
  return known;
}

std::vector<std::pair<std::string, std::string>> ViewInformation(const KnownView& known, const std::string& name,
                                                                 const std::string& dialect) {
  if (known.temporary) return {{"Name", name}, {"Type", "TEMPORARY VIEW"}};
  std::string properties;
  for (const auto& [key, value] : known.view.options) {
    properties += (properties.empty() ? "" : ",") + key + "=" + Masked(key, value);
  }
  return {{"Name", name},
          {"Type", "VIEW"},
          {"Comment", known.view.comment.value_or("")},
          {"View Text", known.view.QueryFor(dialect)},
          {"Table Properties", "[" + properties + "]"}};
}

std::vector<std::string> Session::TemporaryViews() {
  // Not from duckdb_views(), which would list every catalog.
  std::vector<std::string> names;
  auto& context = *connection_->context;
  context.RunFunctionInTransaction([&] {
    auto& schema = duckdb::Catalog::GetSchema(context, TEMP_CATALOG, DEFAULT_SCHEMA);
    schema.Scan(context, duckdb::CatalogType::VIEW_ENTRY, [&](duckdb::CatalogEntry& entry) {
      if (entry.type == duckdb::CatalogType::VIEW_ENTRY && !entry.internal) names.push_back(entry.name);
    });
  });
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<KnownView> Session::ViewNamed(const dialect::Name& name) {
  const bool temporary = name.parts.size() == 1 && IsTemporaryView(name.parts[0]);
  return FindKnownView(*connection_, temporary ? std::nullopt : std::optional(Resolve(name)), name.parts.back());
}

bool Session::IsTemporaryView(const std::string& name) {
  for (const std::string& known : TemporaryViews()) {
    if (EqualsIgnoreCase(known, name)) return true;
  }
  return false;
}

}  // namespace mica::sql
