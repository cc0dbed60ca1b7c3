// SHOW and DESCRIBE, and the texts that describe tables.
#include <algorithm>
#include <set>

#include "base/escape.h"
#include "base/text.h"
#include "catalog/hive_catalog.h"
#include "dialect/function_list.h"
#include "dialect/type_name.h"
#include "meta/branch.h"
#include "procedures/registry.h"
#include "sql/attached_catalog.h"
#include "sql/metastore_entry.h"
#include "sql/partition_literal.h"
#include "sql/session.h"
#include "sql/views.h"
#include "table/partitions.h"
#include "table/table_statistics.h"
#include "types/partition_path.h"

namespace mica::sql {

namespace {

std::vector<std::string> Matching(std::vector<std::string> names, const std::optional<std::string>& pattern) {
  if (pattern) std::erase_if(names, [&](const std::string& name) { return !LikeMatches(*pattern, name); });
  return names;
}

std::string TableInformation(const Table& table, const std::string& catalog, bool external) {
  const TableSchema& schema = table.schema();
  std::string text =
      fmt::format("Catalog: {}\nNamespace: {}\nTable: {}\nType: {}\nProvider: paimon\nLocation: {}\n", catalog,
                  table.name().database, table.name().table, external ? "EXTERNAL" : "MANAGED", table.root());
  if (schema.comment) text += "Comment: " + *schema.comment + "\n";
  if (!schema.partition_keys.empty()) text += "Partition Columns: [" + Join(schema.partition_keys, ", ") + "]\n";
  return text;
}

// One partition, all of whose columns are given.
std::string PartitionInformation(duckdb::ClientContext& context, const Table& table,
                                 const std::map<std::string, Value>& spec) {
  for (const std::string& key : table.schema().partition_keys) {
    if (!spec.contains(key))
      throw InvalidArgument("The partition of '{}' needs a value for '{}' too", table.name().ToString(), key);
  }
  auto snapshot = table.snapshots().Latest();
  std::vector<PartitionSummary> found;
  if (snapshot) found = ListPartitions(table, *snapshot, spec, InlineExecutor());
  std::string values;
  for (const std::string& key : table.schema().partition_keys) {
    const Value& value = spec.at(key);
    const DataType& type = table.schema().Field(key).type;
    values += (values.empty() ? "" : ", ") + key + "=";
    values += IsNull(value)                            ? "null"
              : type.root() == TypeRoot::kTimestampLtz ? InstantText(context, value)
                                                       : ValueToString(value, type);
  }
  if (found.empty()) throw NotFound("The table '{}' has no partition [{}]", table.name().ToString(), values);
  const PartitionSummary& partition = found.front();
  return fmt::format(
      "Partition Values: [{}]\nPartition Parameters: {{recordCount={}, fileSizeInBytes={}, fileCount={}, "
      "lastFileCreationTime={}}}\nPartition Statistics: {} rows, {} bytes\n",
      values, partition.row_count, partition.bytes, partition.file_count, partition.last_file_millis,
      partition.row_count, partition.bytes);
}

// The options, and what stands beside them in the schema.
Options PropertiesOf(const TableSchema& schema) {
  Options options = schema.options;
  if (schema.has_primary_key()) options["primary-key"] = Join(schema.primary_keys, ",");
  if (schema.comment) options["comment"] = *schema.comment;
  return options;
}

std::string CreateCatalogText(const std::string& name, const Options& options) {
  std::string text = "CREATE CATALOG " + dialect::BackQuoted(name) + " WITH (\n  'type' = 'paimon'";
  for (const auto& [key, value] : options) {
    if (key == "type") continue;
    text += ",\n  " + dialect::QuoteText(key) + " = " + dialect::QuoteText(Masked(key, value));
  }
  return text + "\n)";
}

}  // namespace

std::string Masked(const std::string& key, const std::string& value) {
  std::string lower = ToLower(key);
  for (const char* word : {"secret", "password", "token", "access-key", "accesskey"}) {
    if (lower.find(word) != std::string::npos) return "******";
  }
  return value;
}

// Spark's SHOW ... LIKE: * is any text, | separates alternatives; % and _ are SQL's.
bool LikeMatches(std::string_view pattern, std::string_view text) {
  size_t bar = pattern.find('|');
  if (bar != std::string_view::npos)
    return LikeMatches(pattern.substr(0, bar), text) || LikeMatches(pattern.substr(bar + 1), text);
  size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '*' || pattern[p] == '%')) {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && (pattern[p] == text[t] || pattern[p] == '_' ||
                                      std::tolower(static_cast<unsigned char>(pattern[p])) ==
                                          std::tolower(static_cast<unsigned char>(text[t])))) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && (pattern[p] == '*' || pattern[p] == '%')) ++p;
  return p == pattern.size();
}

std::string CreateDatabaseText(const std::string& name, Options properties, bool flink) {
  std::string text = "CREATE DATABASE " + BackQuoted(name);
  properties.erase("owner");  // It is whoever runs the statement.
  if (auto comment = properties.extract("comment")) text += "\nCOMMENT " + dialect::QuoteText(comment.mapped());
  // Flink's form has no clause for it.
  auto location = flink ? Options::node_type() : properties.extract("location");
  if (location) text += "\nLOCATION " + dialect::QuoteText(location.mapped());
  if (properties.empty()) return text;
  text += flink ? "\nWITH (" : "\nWITH DBPROPERTIES (";
  std::string_view comma;
  for (const auto& [key, value] : properties) {
    text += fmt::format("{}{} = {}", comma, dialect::QuoteText(key), dialect::QuoteText(Masked(key, value)));
    comma = ", ";
  }
  return text + ")";
}

std::string CreateTableText(const Table& table, const std::string& dialect, bool external) {
  const TableSchema& schema = table.schema();
  bool flink = dialect == "flink";
  auto list = [&](const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + BackQuoted(name);
    return text;
  };
  std::string text =
      fmt::format("CREATE TABLE {}.{} (\n", BackQuoted(table.name().database), BackQuoted(table.name().table));
  for (size_t i = 0; i < schema.fields.size(); ++i) {
    const DataField& field = schema.fields[i];
    // Precise types: the names that Spark shows leave out the precision of timestamps.
    text += "  " + BackQuoted(field.name) + " " + field.type.WithNullable(true).ToString();
    if (!field.type.nullable()) text += " NOT NULL";
    if (field.default_value) text += " DEFAULT " + dialect::QuoteText(*field.default_value);
    if (field.description) text += " COMMENT " + dialect::QuoteText(*field.description);
    if (i + 1 < schema.fields.size() || (flink && schema.has_primary_key())) text += ",";
    text += "\n";
  }
  if (flink && schema.has_primary_key()) text += "  PRIMARY KEY (" + list(schema.primary_keys) + ") NOT ENFORCED\n";
  text += ")";
  if (!flink) text += " USING paimon";
  text += "\n";
  if (schema.comment) text += "COMMENT " + dialect::QuoteText(*schema.comment) + "\n";
  if (!schema.partition_keys.empty()) text += "PARTITIONED BY (" + list(schema.partition_keys) + ")\n";
  if (external && !flink) text += "LOCATION " + dialect::QuoteText(table.root()) + "\n";
  Options options = schema.options;
  if (external && flink) options["path"] = table.root();
  if (!flink && schema.has_primary_key()) options["primary-key"] = Join(schema.primary_keys, ",");
  if (!options.empty()) {
    text += flink ? "WITH (\n" : "TBLPROPERTIES (\n";
    size_t i = 0;
    for (const auto& [key, value] : options) {
      text += "  " + dialect::QuoteText(key) + " = " + dialect::QuoteText(Masked(key, value)) +
              (++i < options.size() ? ",\n" : "\n");
    }
    text += ")\n";
  }
  text.pop_back();
  return text;
}

Session::ResultPtr Session::Execute(const dialect::Show& show) {
  using What = dialect::Show::What;
  bool flink = state_->dialect == "flink";
  auto database = [&] {
    DatabaseAddress address = show.name ? ResolveDatabase(*show.name) : CurrentDatabase();
    address.Require();
    return address;
  };
  auto table = [&] { return Resolve(*show.name).Open(); };
  std::vector<TextRow> rows;
  switch (show.what) {
    case What::kCatalogs:
      for (const std::string& name : Matching(state_->catalogs.Names(), show.pattern)) rows.push_back(TextRow{name});
      return Texts({flink ? "catalog name" : "catalog"}, rows);
    case What::kDatabases:
      for (const std::string& name : Matching(state_->catalog->ListDatabases(), show.pattern))
        rows.push_back(TextRow{name});
      return Texts({flink ? "database name" : "namespace"}, rows);
    case What::kTables: {
      auto [catalog_name, catalog, in] = database();
      for (const std::string& name : Matching(catalog->ListTables(in), show.pattern)) {
        if (flink) {
          rows.push_back(TextRow{name});
        } else {
          rows.push_back(TextRow{in, name, "false"});
        }
      }
      if (flink) return Texts({"table name"}, rows);
      return Texts({"namespace", "tableName", "isTemporary"}, rows);
    }
    case What::kTableExtended: {
      auto [catalog_name, catalog, in] = database();
      std::vector<std::string> names = Matching(catalog->ListTables(in), show.pattern);
      if (!show.partition.empty() && names.empty()) {
        throw NotFound("The table '{}.{}' does not exist{}", in, *show.pattern,
                       DidYouMean(*show.pattern, catalog->ListTables(in)));
      }
      for (const std::string& name : names) {
        TablePtr item = catalog->GetTable(TableName{in, name});
        std::string information;
        if (show.partition.empty()) {
          information = TableInformation(*item, catalog_name, IsExternal({catalog_name, catalog, {in, name}}));
        } else {
          const auto spec = InUtc(*connection_->context, show.partition, item->schema());
          information = PartitionInformation(*connection_->context, *item, PartitionValues(*item, spec));
        }
        rows.push_back(TextRow{in, name, "false", information});
      }
      return Texts({"namespace", "tableName", "isTemporary", "information"}, rows);
    }
    case What::kViews: {
      auto [catalog_name, catalog, in] = database();
      for (const std::string& name : Matching(catalog->ListViews(in), show.pattern)) {
        rows.push_back(flink ? TextRow{name} : TextRow{in, name, "false"});
      }
      for (const std::string& name : Matching(TemporaryViews(), show.pattern)) {
        rows.push_back(flink ? TextRow{name} : TextRow{"", name, "true"});
      }
      if (flink) return Texts({"view name"}, rows);
      return Texts({"namespace", "viewName", "isTemporary"}, rows);
    }
    case What::kColumns: {
      if (auto view = ViewNamed(*show.name)) {
        for (const DataField& field : view->view.fields) rows.push_back(TextRow{field.name});
        return Texts({"col_name"}, rows);
      }
      TablePtr item = table();
      for (const DataField& field : item->schema().fields) rows.push_back(TextRow{field.name});
      return Texts({"col_name"}, rows);
    }
    case What::kPartitions: {
      TablePtr item = table();
      if (item->schema().partition_keys.empty() && item->schema().options.contains("metastore.tag-to-partition")) {
        // A table whose tags are partitions to Hive.
        if (auto* hive = dynamic_cast<HiveCatalog*>(Resolve(*show.name).catalog.get())) {
          for (std::string& name : hive->partitions().Names(*item)) rows.push_back(TextRow{std::move(name)});
          return Texts({flink ? "partition name" : "partition"}, rows);
        }
      }
      if (item->schema().partition_keys.empty()) {
        throw InvalidArgument("The table '{}' has no partitions", item->name().ToString());
      }
      std::map<std::string, Value> where;
      if (!show.partition.empty()) {
        where = PartitionValues(*item, InUtc(*connection_->context, show.partition, item->schema()));
      }
      if (auto snapshot = item->snapshots().Latest()) {
        duckdb::ClientContext& context = *connection_->context;
        PartitionPrinter printer(*item, [&context](const Value& instant) { return InstantText(context, instant); });
        ThreadExecutor executor(threads_.value_or(0));
        std::vector<std::string> texts;
        for (const PartitionSummary& partition : ListPartitions(*item, *snapshot, where, executor)) {
          texts.push_back(printer.Text(partition.partition));
        }
        std::sort(texts.begin(), texts.end());
        rows.reserve(texts.size());
        for (std::string& text : texts) rows.push_back(TextRow{std::move(text)});
      }
      return Texts({flink ? "partition name" : "partition"}, rows);
    }
    case What::kCreateTable:
      if (TableAddress address = Resolve(*show.name); !address.Exists() && address.catalog->FindView(address.name)) {
        return CreateViewOf(address);
      }
      return Texts({flink ? "result" : "createtab_stmt"},
                   {TextRow{CreateTableText(*table(), state_->dialect, IsExternal(Resolve(*show.name)))}}, true);
    case What::kTableProperties: {
      Options options;
      if (auto view = ViewNamed(*show.name)) {
        options = view->view.options;
        if (view->view.comment) options["comment"] = *view->view.comment;
      } else {
        options = PropertiesOf(table()->schema());
      }
      for (const auto& [key, value] : options) {
        if (!show.pattern || *show.pattern == key) rows.push_back(TextRow{key, Masked(key, value)});
      }
      if (show.pattern && rows.empty())
        rows.push_back(TextRow{*show.pattern, "Table does not have property: " + *show.pattern});
      return Texts({"key", "value"}, rows);
    }
    case What::kTags:
      for (const std::string& name : table()->snapshots().TagNames()) rows.push_back(TextRow{name});
      return Texts({"tag"}, rows);
    case What::kProcedures:
      for (const Procedure& procedure : Procedures()) {
        if (!show.pattern || LikeMatches(*show.pattern, procedure.name)) {
          rows.push_back(TextRow{flink ? procedure.name : "sys." + procedure.name});
        }
      }
      return Texts({flink ? "procedure name" : "procedure"}, rows);
    case What::kCurrentCatalog:
      return Texts({"catalog"}, {TextRow{state_->catalog_name}});
    case What::kCurrentDatabase:
      return Texts({"namespace"}, {TextRow{state_->current_database}});
    case What::kCreateDatabase: {
      const DatabaseAddress address = database();
      const Options properties = PropertiesOf(address);
      return Texts({"createdb_stmt"}, {TextRow{CreateDatabaseText(address.database, properties, flink)}}, true);
    }
    case What::kCreateCatalog: {
      const std::string name = Join(show.name->parts, ".");
      return Texts({flink ? "result" : "createcatalog_stmt"},
                   {TextRow{CreateCatalogText(name, state_->catalogs.Get(name)->options())}}, true);
    }
    case What::kBranches: {
      TablePtr item = table();
      for (const std::string& name : BranchNames(item->file_system(), item->root())) rows.push_back(TextRow{name});
      return Texts({"branch"}, rows);
    }
    case What::kCreateView:
      return CreateViewOf(Resolve(*show.name));
    case What::kFunctions: {
      std::set<std::string> names;
      for (const dialect::FunctionGroup& group : dialect::FunctionGroups()) {
        for (const dialect::SqlFunction& function : group.functions) {
          const std::string name(function.name);
          const bool known = !function.usage.empty() && dialect::FindFunction(name, dialect()) == &function;
          if (known && (!show.pattern || LikeMatches(*show.pattern, name))) names.insert(name);
        }
      }
      for (const std::string& name : names) rows.push_back(TextRow{name});
      return Texts({flink ? "function name" : "function"}, rows);
    }
  }
  throw Internal("Unknown kind of SHOW");
}

}  // namespace mica::sql
