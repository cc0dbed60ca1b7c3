// DESCRIBE of tables, columns, queries, functions, databases and catalogs.
#include <algorithm>

#include "base/text.h"
#include "catalog/global_tables.h"
#include "dialect/function_list.h"
#include "dialect/type_name.h"
#include "engine/duck_types.h"
#include "meta/branch.h"
#include "sql/attached_catalog.h"
#include "sql/errors.h"
#include "sql/metastore_entry.h"
#include "sql/session.h"
#include "sql/views.h"
#include "table/partitions.h"
#include "table/table_statistics.h"

namespace mica::sql {

namespace {

// "123 bytes, 4 rows" as ANALYZE found them, or as the files say.
std::string SizeText(const Table& table, const Snapshot& snapshot) {
  auto statistics = ReadStatistics(table, snapshot);
  if (statistics && statistics->merged_record_count && statistics->merged_record_bytes.value_or(-1) >= 0) {
    return fmt::format("{} bytes, {} rows", *statistics->merged_record_bytes, *statistics->merged_record_count);
  }
  int64_t bytes = 0, rows = 0;
  for (const PartitionSummary& partition : ListPartitions(table, snapshot, {}, InlineExecutor())) {
    bytes += partition.bytes;
    rows += partition.row_count;
  }
  return fmt::format("{} bytes, {} rows", bytes, rows);
}

// DESCRIBE in Flink's columns.
TextRow FlinkRow(const DataField& field, std::optional<std::string> key) {
  return {field.name, dialect::FlinkTypeName(field.type), field.type.nullable() ? "TRUE" : "FALSE", std::move(key),
          field.description};
}

// DESCRIBE of one column.
std::vector<TextRow> ColumnInformation(const std::vector<DataField>& fields, const std::string& column,
                                       const std::string& table) {
  int at = FindField(fields, column);
  if (at < 0) {
    std::vector<std::string> known;
    for (const DataField& field : fields) known.push_back(field.name);
    throw NotFound("The table '{}' has no column '{}'{}", table, column, DidYouMean(column, known));
  }
  const DataField& field = fields[static_cast<size_t>(at)];
  return {TextRow{"col_name", field.name}, TextRow{"data_type", dialect::SparkTypeName(field.type)},
          TextRow{"comment", field.description}};
}

// DESCRIBE EXTENDED of one column: what ANALYZE found, NULL where it did not look.
void AddColumnStatistics(const Table& table, const std::string& column, std::vector<TextRow>* rows) {
  auto snapshot = table.snapshots().Latest();
  auto statistics = snapshot ? ReadStatistics(table, *snapshot) : std::nullopt;
  ColumnStatistics known;
  if (statistics && statistics->columns.contains(column)) known = statistics->columns.at(column);
  auto number = [](const std::optional<int64_t>& value) {
    return value ? std::to_string(*value) : std::string("NULL");
  };
  auto add = [&](const char* name, std::string value) { rows->push_back(TextRow{name, std::move(value)}); };
  add("min", known.min.value_or("NULL"));
  add("max", known.max.value_or("NULL"));
  add("num_nulls", number(known.null_count));
  add("distinct_count", number(known.distinct_count));
  add("avg_col_len", number(known.average_length));
  add("max_col_len", number(known.max_length));
}

bool EngineHasFunction(duckdb::ClientContext& context, const std::string& name) {
  bool known = false;
  context.RunFunctionInTransaction([&] {
    for (auto type : {duckdb::CatalogType::SCALAR_FUNCTION_ENTRY, duckdb::CatalogType::AGGREGATE_FUNCTION_ENTRY}) {
      duckdb::EntryLookupInfo lookup(type, name);
      known = known || duckdb::Catalog::GetSystemCatalog(context).GetEntry(context, DEFAULT_SCHEMA, lookup,
                                                                           duckdb::OnEntryNotFound::RETURN_NULL);
    }
  });
  return known;
}

}  // namespace

// The columns that a query gives.
Session::ResultPtr Session::DescribeQuery(const dialect::QueryText& query) {
  auto prepared = connection_->Prepare(query.sql);
  if (prepared->HasError()) Fail(prepared->error, query.sql);
  const bool flink = state_->dialect == "flink";
  const auto& names = prepared->GetNames();
  const auto& types = prepared->GetTypes();
  std::vector<TextRow> rows;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto& type = types[i];
    if (!flink) {
      rows.push_back(TextRow{names[i], SparkNameOf(type), std::nullopt});
    } else {
      DataField field;
      field.name = names[i];
      field.type = FromDuckType(type, names[i]);
      rows.push_back(FlinkRow(field, std::nullopt));
    }
  }
  if (flink) return Texts({"name", "type", "null", "key", "comment"}, rows);
  return Texts({"col_name", "data_type", "comment"}, rows);
}

Session::ResultPtr Session::DescribeFunction(const std::string& name, bool extended) {
  std::vector<TextRow> rows;
  const std::string lower = ToLower(name);
  const dialect::SqlFunction* function = dialect::FindFunction(lower, dialect());
  if (function != nullptr && !function->usage.empty()) {
    rows = {TextRow{"Function: " + lower}, TextRow{fmt::format("Usage: {} - {}.", function->usage, function->meaning)}};
    if (extended) rows.push_back(TextRow{"Reference: docs/reference/functions.md"});
  } else if (EngineHasFunction(*connection_->context, lower)) {
    rows = {TextRow{"Function: " + lower}, TextRow{"Usage: as in DuckDB."}};
  } else {
    auto nearest = dialect::NearestFunction(lower, dialect());
    throw NotFound("The function '{}' does not exist{}", name,
                   nearest ? ". Did you mean '" + *nearest + "'?" : ". SHOW FUNCTIONS lists those there are");
  }
  return Texts({"function_desc"}, rows);
}

Session::ResultPtr Session::Execute(const dialect::Describe& describe) {
  using What = dialect::Describe::What;
  bool flink = state_->dialect == "flink";
  std::vector<TextRow> rows;
  if (describe.what == What::kQuery) return DescribeQuery(describe.query);
  if (describe.what == What::kFunction) return DescribeFunction(Join(describe.name.parts, "."), describe.extended);
  if (describe.what == What::kCatalog) {
    for (const auto& [key, value] : state_->catalogs.Get(Join(describe.name.parts, "."))->options())
      rows.push_back(TextRow{key, Masked(key, value)});
    return Texts({"info_name", "info_value"}, rows);
  }
  if (describe.what == What::kDatabase) {
    DatabaseAddress address = ResolveDatabase(describe.name);
    address.Require();
    rows = {TextRow{"Catalog Name", address.catalog_name}, TextRow{"Namespace Name", address.database}};
    Options properties = PropertiesOf(address);
    for (const auto& [key, title] : {std::pair("comment", "Comment"), {"location", "Location"}, {"owner", "Owner"}}) {
      if (auto known = properties.extract(key)) rows.push_back(TextRow{title, known.mapped()});
    }
    if (describe.extended) {
      std::string text;
      for (const auto& [key, value] : properties)
        text += fmt::format("{}({},{})", text.empty() ? "" : ", ", key, Masked(key, value));
      rows.push_back(TextRow{"Properties", text.empty() ? "" : "(" + text + ")"});
    }
    return Texts({"info_name", "info_value"}, rows);
  }
  if (auto view = ViewNamed(describe.name)) {
    std::string name = Join(describe.name.parts, ".");
    const std::vector<DataField>& fields = view->view.fields;
    if (!describe.column.empty()) {
      return Texts({"info_name", "info_value"}, ColumnInformation(fields, describe.column[0], name));
    }
    if (flink) {
      for (const DataField& field : fields) rows.push_back(FlinkRow(field, std::nullopt));
      return Texts({"name", "type", "null", "key", "comment"}, rows);
    }
    for (const DataField& field : fields)
      rows.push_back(TextRow{field.name, dialect::SparkTypeName(field.type), field.description});
    if (describe.extended) {
      rows.push_back(TextRow{"", "", ""});
      rows.push_back(TextRow{"# Detailed Table Information", "", ""});
      for (auto& [key, value] : ViewInformation(*view, name, state_->dialect)) rows.push_back(TextRow{key, value, ""});
    }
    return Texts({"col_name", "data_type", "comment"}, rows);
  }
  TableAddress address = Resolve(describe.name);
  const TableName& name = address.name;
  if (name.database == kGlobalDatabase && !address.catalog->DatabaseExists(name.database)) {
    const GlobalTable* global = FindGlobalTable(name.table);
    if (global == nullptr) {
      std::vector<std::string> known;
      for (const GlobalTable& item : GlobalTables()) known.push_back(item.name);
      throw NotFound("There is no system table '{}'{}", name.ToString(), DidYouMean(name.table, known));
    }
    const std::vector<DataField> fields = global->fields();
    if (!describe.column.empty()) {
      return Texts({"info_name", "info_value"}, ColumnInformation(fields, describe.column[0], name.ToString()));
    }
    for (const DataField& field : fields) {
      rows.push_back(flink ? FlinkRow(field, std::nullopt)
                           : TextRow{field.name, dialect::SparkTypeName(field.type), field.description});
    }
    if (flink) return Texts({"name", "type", "null", "key", "comment"}, rows);
    return Texts({"col_name", "data_type", "comment"}, rows);
  }
  TableReference reference = ParseTableReference(name.table);
  TablePtr table =
      address.catalog->GetTable(TableName{name.database, WithBranch(reference.table, reference.branch.value_or(""))});
  std::vector<DataField> fields = table->schema().fields;
  if (reference.system_table) {
    const SystemTable* system_table = FindSystemTable(*reference.system_table);
    if (system_table == nullptr)
      throw NotFound("The table '{}' has no system table '{}'", table->name().ToString(), *reference.system_table);
    fields = system_table->fields(*table);
  }
  if (!describe.column.empty()) {
    rows = ColumnInformation(fields, describe.column[0], name.ToString());
    if (describe.extended && !reference.system_table) AddColumnStatistics(*table, *rows[0][1], &rows);
    return Texts({"info_name", "info_value"}, rows);
  }
  if (flink) {
    const TableSchema& schema = table->schema();
    for (const DataField& field : fields) {
      bool key = !reference.system_table && std::find(schema.primary_keys.begin(), schema.primary_keys.end(),
                                                      field.name) != schema.primary_keys.end();
      rows.push_back(
          FlinkRow(field, key ? std::optional("PRI(" + Join(schema.primary_keys, ", ") + ")") : std::nullopt));
    }
    return Texts({"name", "type", "null", "key", "comment"}, rows);
  }
  for (const DataField& field : fields)
    rows.push_back(TextRow{field.name, dialect::SparkTypeName(field.type), field.description});
  if (!reference.system_table) {
    const TableSchema& schema = table->schema();
    if (!schema.partition_keys.empty()) {
      rows.push_back(TextRow{"# Partition Information", "", ""});
      rows.push_back(TextRow{"# col_name", "data_type", "comment"});
      for (const DataField& field : schema.PartitionFields())
        rows.push_back(TextRow{field.name, dialect::SparkTypeName(field.type), field.description});
    }
    if (describe.extended) {
      rows.push_back(TextRow{"", "", ""});
      rows.push_back(TextRow{"# Detailed Table Information", "", ""});
      rows.push_back(TextRow{"Name", fmt::format("{}.{}", address.catalog_name, name.ToString()), ""});
      rows.push_back(TextRow{"Type", IsExternal(address) ? "EXTERNAL" : "MANAGED", ""});
      rows.push_back(TextRow{"Provider", "paimon", ""});
      rows.push_back(TextRow{"Location", table->root(), ""});
      if (schema.comment) rows.push_back(TextRow{"Comment", *schema.comment, ""});
      std::string properties;
      Options options = schema.options;
      if (schema.has_primary_key()) options["primary-key"] = Join(schema.primary_keys, ",");
      for (const auto& [key, value] : options)
        properties += (properties.empty() ? "" : ",") + key + "=" + Masked(key, value);
      rows.push_back(TextRow{"Table Properties", "[" + properties + "]", ""});
      if (auto snapshot = table->snapshots().Latest()) {
        rows.push_back(TextRow{"Snapshot", std::to_string(snapshot->id), ""});
        rows.push_back(TextRow{"Statistics", SizeText(*table, *snapshot), ""});
      }
    }
  }
  return Texts({"col_name", "data_type", "comment"}, rows);
}

}  // namespace mica::sql
