#include "sql/attached_catalog.h"

#include <duckdb/parser/parsed_data/attach_info.hpp>
#include <duckdb/parser/parsed_data/create_schema_info.hpp>
#include <duckdb/parser/parsed_data/create_table_info.hpp>
#include <duckdb/parser/constraints/not_null_constraint.hpp>
#include <duckdb/planner/tableref/bound_at_clause.hpp>
#include <duckdb/storage/database_size.hpp>
#include <duckdb/storage/table_storage_info.hpp>
#include <duckdb/parser/expression/constant_expression.hpp>

#include "base/text.h"
#include "dialect/option_version.h"
#include "engine/duck_types.h"
#include "meta/branch.h"
#include "meta/option_list.h"
#include "sql/changed_table.h"
#include "sql/column_default.h"
#include "sql/errors.h"
#include "sql/followed_table.h"
#include "sql/global_table.h"
#include "sql/insert.h"
#include "sql/scan.h"
#include "sql/system_scan.h"
#include "sql/views.h"
#include "system/state_tables.h"
#include "table/increment.h"

namespace mica::sql {

namespace {

duckdb::unique_ptr<duckdb::Catalog> Attach(duckdb::optional_ptr<duckdb::StorageExtensionInfo>, duckdb::ClientContext&,
                                           duckdb::AttachedDatabase& db, const duckdb::string&, duckdb::AttachInfo&,
                                           duckdb::AttachOptions&) {
  return duckdb::make_uniq<MicaCatalog>(db);
}

duckdb::unique_ptr<duckdb::TransactionManager> MakeTransactionManager(duckdb::optional_ptr<duckdb::StorageExtensionInfo>,
                                                                      duckdb::AttachedDatabase& db, duckdb::Catalog&) {
  return duckdb::make_uniq<MicaTransactionManager>(db);
}

[[noreturn]] void Refuse(std::string_view what) {
  ThrowToDuck(Unsupported("{} in a catalog of Mica is not supported", what));
}

// What AT (...) asks for: options of the hint form, or a version, or a time.
struct Asked {
  Options options;
  TimeTravel travel;
};

std::string TextOf(const duckdb::Value& value) { return value.IsNull() ? std::string() : value.ToString(); }

int64_t MillisOf(duckdb::ClientContext& context, const duckdb::Value& value) {
  if (value.IsNull()) throw InvalidArgument("The time to read at is NULL");
  if (value.type().IsIntegral()) {
    // whole numbers are seconds.
    return value.DefaultCastAs(duckdb::LogicalType::BIGINT).GetValue<int64_t>() * 1000;
  }
  // Without a zone, the text or timestamp is a wall clock of the session's zone.
  duckdb::Value instant;
  std::string reason;
  if (!value.TryCastAs(context, duckdb::LogicalType::TIMESTAMP_TZ, instant, &reason) || instant.IsNull()) {
    throw InvalidArgument("'{}' is not a time to read at. Use TIMESTAMP AS OF '2024-01-31 12:00:00', or whole seconds since 1970",
                          TextOf(value));
  }
  int64_t micros = instant.GetValue<duckdb::timestamp_tz_t>().value;
  return micros >= 0 ? micros / 1000 : -((-micros + 999) / 1000);
}

Asked AskedBy(duckdb::ClientContext& context, const duckdb::BoundAtClause& at) {
  Asked asked;
  std::string unit = ToLower(at.Unit());
  const duckdb::Value& value = at.GetValue();
  if (unit == "version") {
    if (value.IsNull()) throw InvalidArgument("The version to read is NULL");
    std::string text = TextOf(value);
    if (auto options = dialect::DecodeOptions(text)) {
      asked.options = std::move(*options);
    } else {
      asked.travel.version = std::move(text);
    }
    return asked;
  }
  if (unit == "timestamp") {
    asked.travel.timestamp_millis = MillisOf(context, value);
    return asked;
  }
  throw InvalidArgument("A table can be read AT a VERSION or a TIMESTAMP, not at '{}'", at.Unit());
}

std::string KeyOf(const std::string& schema, const std::string& name, duckdb::optional_ptr<duckdb::BoundAtClause> at) {
  std::string key = schema + '\0' + name;
  if (at) key += '\0' + at->Unit() + '\0' + at->GetValue().type().ToString() + '\0' + TextOf(at->GetValue());
  return key;
}

void FillInfo(duckdb::ClientContext& context, duckdb::CreateTableInfo& info, const std::vector<DataField>& fields,
              bool with_defaults) {
  for (size_t i = 0; i < fields.size(); ++i) {
    const DataField& field = fields[i];
    duckdb::ColumnDefinition column(field.name, ToDuckType(field.type));
    if (field.description) column.SetComment(duckdb::Value(*field.description));
    if (with_defaults && field.default_value) {
      column.SetDefaultValue(duckdb::make_uniq<duckdb::ConstantExpression>(DefaultOf(context, field)));
    }
    info.columns.AddColumn(std::move(column));
    if (!field.type.nullable()) {
      info.constraints.push_back(duckdb::make_uniq<duckdb::NotNullConstraint>(duckdb::LogicalIndex(i)));
    }
  }
}

}  // namespace

std::shared_ptr<mica::Catalog> SourceOf(duckdb::Catalog& catalog, duckdb::ClientContext& context) {
  return catalog.Cast<MicaCatalog>().Source(context);
}

TableReference ParseTableReference(const std::string& name) {
  BranchedName whole = SplitBranch(name);
  TableReference result;
  result.table = whole.table;
  if (!whole.branch.empty()) result.branch = whole.branch;
  size_t suffix = whole.table.find('$');
  if (suffix != std::string::npos) {
    result.table = whole.table.substr(0, suffix);
    result.system_table = whole.table.substr(suffix + 1);
  }
  bool too_many = result.system_table && result.system_table->find('$') != std::string::npos;
  if (too_many || result.table.empty()) throw InvalidArgument("'{}' is not the name of a table", name);
  return result;
}

void MicaCatalog::Register(duckdb::DBConfig& config) {
  auto extension = duckdb::make_shared_ptr<duckdb::StorageExtension>();
  extension->attach = Attach;
  extension->create_transaction_manager = MakeTransactionManager;
  duckdb::StorageExtension::Register(config, kType, std::move(extension));
}

duckdb::CatalogLookupBehavior MicaCatalog::CatalogTypeLookupRule(duckdb::CatalogType type) const {
  // Every name of a type would be asked for here first; only tables and functions live here.
  switch (type) {
    case duckdb::CatalogType::TABLE_ENTRY:
    case duckdb::CatalogType::VIEW_ENTRY:
    case duckdb::CatalogType::SCALAR_FUNCTION_ENTRY:
    case duckdb::CatalogType::AGGREGATE_FUNCTION_ENTRY:
    case duckdb::CatalogType::MACRO_ENTRY:
    case duckdb::CatalogType::SCHEMA_ENTRY: return duckdb::CatalogLookupBehavior::STANDARD;
    default: return duckdb::CatalogLookupBehavior::NEVER_LOOKUP;
  }
}

duckdb::optional_ptr<duckdb::CatalogEntry> MicaCatalog::CreateSchema(duckdb::CatalogTransaction, duckdb::CreateSchemaInfo&) {
  Refuse("CREATE SCHEMA through DuckDB");
}

duckdb::SchemaCatalogEntry& MicaCatalog::SchemaEntry(const std::string& name) {
  std::lock_guard lock(mutex_);
  auto& entry = schemas_[name];
  if (!entry) {
    duckdb::CreateSchemaInfo info;
    info.schema = name;
    entry = duckdb::make_uniq<MicaSchemaEntry>(*this, info);
  }
  return *entry;
}

duckdb::optional_ptr<duckdb::SchemaCatalogEntry> MicaCatalog::LookupSchema(duckdb::CatalogTransaction transaction,
                                                                           const duckdb::EntryLookupInfo& lookup,
                                                                           duckdb::OnEntryNotFound if_not_found) {
  const std::string& name = lookup.GetEntryName();
  if (name == kFunctionSchema) return &SchemaEntry(name);
  return Guard([&]() -> duckdb::optional_ptr<duckdb::SchemaCatalogEntry> {
    if (transaction.transaction && transaction.context) {
      duckdb::ClientContext& context = transaction.GetContext();
      auto& mine = static_cast<MicaTransaction&>(*transaction.transaction);
      if (mine.DatabaseExists(*Source(context), name) || name == kGlobalDatabase) return &SchemaEntry(name);
    }
    if (if_not_found == duckdb::OnEntryNotFound::THROW_EXCEPTION) throw NotFound("The database '{}' does not exist", name);
    return nullptr;
  });
}

std::shared_ptr<mica::Catalog> MicaCatalog::Source(duckdb::ClientContext& context) const {
  return SessionState::Get(context).catalogs.Get(GetName());
}

void MicaCatalog::ScanSchemas(duckdb::ClientContext& context, std::function<void(duckdb::SchemaCatalogEntry&)> callback) {
  Guard([&] {
    std::vector<std::string> names;
    try {
      names = Source(context)->ListDatabases();
    } catch (const Error&) {
      // A list over all catalogs leaves out one that cannot be reached.
    }
    for (const std::string& name : names) callback(SchemaEntry(name));
  });
}

duckdb::unique_ptr<duckdb::LogicalOperator> MicaCatalog::BindCreateIndex(duckdb::Binder&, duckdb::CreateStatement&,
                                                                         duckdb::TableCatalogEntry&,
                                                                         duckdb::unique_ptr<duckdb::LogicalOperator>) {
  Refuse("CREATE INDEX");
}

void MicaCatalog::DropSchema(duckdb::ClientContext&, duckdb::DropInfo&) { Refuse("DROP SCHEMA through DuckDB"); }

duckdb::PhysicalOperator& MicaCatalog::PlanCreateTableAs(duckdb::ClientContext&, duckdb::PhysicalPlanGenerator&,
                                                         duckdb::LogicalCreateTable&, duckdb::PhysicalOperator&) {
  Refuse("CREATE TABLE AS through DuckDB");
}

duckdb::PhysicalOperator& MicaCatalog::PlanInsert(duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
                                                  duckdb::LogicalInsert& op,
                                                  duckdb::optional_ptr<duckdb::PhysicalOperator> plan) {
  return Guard([&]() -> duckdb::PhysicalOperator& { return PlanMicaInsert(context, planner, op, plan); });
}

// The session makes an INSERT of both.
duckdb::PhysicalOperator& MicaCatalog::PlanDelete(duckdb::ClientContext&, duckdb::PhysicalPlanGenerator&,
                                                  duckdb::LogicalDelete&, duckdb::PhysicalOperator&) {
  Refuse("DELETE through DuckDB");
}

duckdb::PhysicalOperator& MicaCatalog::PlanUpdate(duckdb::ClientContext&, duckdb::PhysicalPlanGenerator&,
                                                  duckdb::LogicalUpdate&, duckdb::PhysicalOperator&) {
  Refuse("UPDATE through DuckDB");
}

void MicaSchemaEntry::Scan(duckdb::ClientContext& context, duckdb::CatalogType type,
                           const std::function<void(duckdb::CatalogEntry&)>& callback) {
  if (type != duckdb::CatalogType::TABLE_ENTRY) return;
  Guard([&] {
    duckdb::CatalogTransaction transaction(catalog, context);
    for (const std::string& table : SourceOf(catalog, context)->ListTables(name)) {
      duckdb::EntryLookupInfo lookup(type, table);
      auto entry = LookupEntry(transaction, lookup);
      if (entry) callback(*entry);
    }
  });
}

duckdb::optional_ptr<duckdb::CatalogEntry> MicaSchemaEntry::LookupEntry(duckdb::CatalogTransaction transaction,
                                                                        const duckdb::EntryLookupInfo& lookup) {
  if (!transaction.transaction || !transaction.context) return nullptr;
  if (name == kFunctionSchema) {
    auto& mine = catalog.Cast<MicaCatalog>();
    return Guard([&] {
      duckdb::ClientContext& context = transaction.GetContext();
      const bool flink = SessionState::Get(context).dialect == "flink";
      return mine.functions_.Find(context, *this, lookup, flink ? dialect::Dialect::kFlink : dialect::Dialect::kSpark);
    });
  }
  if (lookup.GetCatalogType() != duckdb::CatalogType::TABLE_ENTRY) return nullptr;
  return Guard([&]() -> duckdb::optional_ptr<duckdb::CatalogEntry> {
    duckdb::ClientContext& context = transaction.GetContext();
    auto& mine = static_cast<MicaTransaction&>(*transaction.transaction);
    SessionState& session = SessionState::Get(context);
    std::string key = KeyOf(name, lookup.GetEntryName(), lookup.GetAtClause());
    if (auto known = mine.Find(key)) return known;

    if (session.write_request && session.write_request->replacement && lookup.GetEntryName().ends_with(kReplacementSuffix)) {
      TablePtr replacement = session.write_request->replacement;
      duckdb::CreateTableInfo info;
      info.catalog = catalog.GetName();
      info.schema = name;
      info.table = lookup.GetEntryName();
      FillInfo(context, info, replacement->schema().fields, true);
      return &mine.Keep(key, std::make_unique<MicaTableEntry>(catalog, *this, info, replacement, ResolvedSnapshot{}));
    }
    if (session.write_request && session.write_request->changes && lookup.GetEntryName().ends_with(kChangesSuffix)) {
      const std::string changed = lookup.GetEntryName().substr(0, lookup.GetEntryName().size() - kChangesSuffix.size());
      return &mine.Keep(key, ChangesEntry(transaction, changed));
    }
    if (name == kGlobalDatabase && !mine.DatabaseExists(*SourceOf(catalog, context), name)) {
      const GlobalTable* global = FindGlobalTable(lookup.GetEntryName());
      if (global == nullptr) return nullptr;
      duckdb::CreateTableInfo info;
      info.catalog = catalog.GetName();
      info.schema = name;
      info.table = lookup.GetEntryName();
      FillInfo(context, info, global->fields(), false);
      return &mine.Keep(key, std::make_unique<GlobalTableEntry>(catalog, *this, info, SourceOf(catalog, context), global));
    }
    TableReference reference = ParseTableReference(lookup.GetEntryName());
    TableName table_name{name, WithBranch(reference.table, reference.branch.value_or(""))};
    TablePtr table;
    try {
      table = SourceOf(catalog, context)->GetTable(table_name);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kNotFound) throw;
      auto view = SourceOf(catalog, context)->FindView({name, lookup.GetEntryName()});
      // The table is there, but not its branch.
      if (!view && reference.branch && SourceOf(catalog, context)->TableExists({name, reference.table})) throw;
      if (!view) return nullptr;
      if (lookup.GetAtClause()) throw InvalidArgument("The view '{}' has no versions and takes no options", table_name.ToString());
      return &mine.Keep(key, MakeViewEntry(catalog, *this, lookup.GetEntryName(), *view, session.dialect));
    }
    Asked asked;
    if (lookup.GetAtClause()) asked = AskedBy(context, *lookup.GetAtClause());
    WarnOfSlips(asked.options);
    Options dynamic = session.DynamicOptions(catalog.GetName(), {name, reference.table});
    // What stands at the table beats what SET says; a version that is asked for beats every option of time travel.
    bool travels = !asked.travel.empty();
    for (const auto& [option, value] : asked.options) travels |= option.starts_with("scan.");
    if (travels) std::erase_if(dynamic, [](const auto& item) { return item.first.starts_with("scan."); });
    for (const auto& [option, value] : asked.options) dynamic[option] = value;
    const bool streams = Streams(context, dynamic, asked.options.contains("streaming"));
    dynamic.erase("streaming");
    if (!dynamic.empty()) table = table->WithOptions(dynamic);
    if (!asked.travel.empty() && IsIncremental(table->options())) {
      throw InvalidArgument("An incremental query of '{}' has two states already: no version or time can be asked for",
                            table_name.ToString());
    }

    duckdb::CreateTableInfo info;
    info.catalog = catalog.GetName();
    info.schema = name;
    info.table = lookup.GetEntryName();
    if (streams && (!reference.system_table || ShowsRows(*reference.system_table))) {
      if (!asked.travel.empty()) {
        throw InvalidArgument("A streaming read of '{}' begins where the options 'scan.*' say: no version or time can be asked for",
                              table_name.ToString());
      }
      FollowedReference followed = Follow(context, table, lookup.GetEntryName(), reference.system_table);
      FillInfo(context, info, followed.fields, false);
      return &mine.Keep(key, std::make_unique<FollowedEntry>(catalog, *this, info, std::move(followed)));
    }
    if (reference.system_table) {
      const SystemTable* system_table = FindSystemTable(*reference.system_table);
      if (system_table == nullptr) {
        if (auto view = SourceOf(catalog, context)->FindView({name, lookup.GetEntryName()})) {
          return &mine.Keep(key, MakeViewEntry(catalog, *this, lookup.GetEntryName(), *view, session.dialect));
        }
        std::vector<std::string> known;
        for (const SystemTable& item : SystemTables()) known.push_back(item.name);
        throw NotFound("The table '{}' has no system table '{}'{}", table_name.ToString(), *reference.system_table,
                       DidYouMean(*reference.system_table, known));
      }
      if (!asked.travel.empty()) {
        if (!system_table->travels) {
          throw InvalidArgument("The system table '{}' has no versions: read it without VERSION AS OF or TIMESTAMP AS OF",
                                lookup.GetEntryName());
        }
        table = table->WithOptions(OptionsOf(asked.travel));
      }
      FillInfo(context, info, system_table->fields(*table), false);
      return &mine.Keep(key, std::make_unique<SystemTableEntry>(catalog, *this, info, table, system_table));
    }
    if (IsIncremental(table->options())) {
      FillInfo(context, info, table->schema().fields, false);
      return &mine.Keep(key, std::make_unique<SystemTableEntry>(catalog, *this, info, table, &IncrementTable()));
    }
    TimeTravel travel = asked.travel.empty() ? TimeTravelOf(table->options()) : asked.travel;
    ResolvedSnapshot resolved = ResolveSnapshot(*table, travel);
    if (resolved.schema != nullptr && resolved.schema != table->schema_ptr()) table = table->WithSchema(resolved.schema);
    FillInfo(context, info, table->schema().fields, true);
    if (table->schema().comment) info.comment = duckdb::Value(*table->schema().comment);
    return &mine.Keep(key, std::make_unique<MicaTableEntry>(catalog, *this, info, table, std::move(resolved)));
  });
}

std::unique_ptr<duckdb::CatalogEntry> MicaSchemaEntry::ChangesEntry(duckdb::CatalogTransaction transaction,
                                                                    const std::string& table) {
  // At the snapshot that the statement reads.
  auto found = LookupEntry(transaction, duckdb::EntryLookupInfo(duckdb::CatalogType::TABLE_ENTRY, table));
  if (!found) throw NotFound("The table '{}' does not exist", TableName{name, table}.ToString());
  auto* entry = dynamic_cast<MicaTableEntry*>(found.get());
  if (entry == nullptr) {
    throw Unsupported("The rows of '{}' cannot be changed while an option incremental-* is set for it: RESET it first",
                      TableName{name, table}.ToString());
  }
  CheckReadable(entry->table()->schema());
  std::vector<DataField> fields = entry->table()->schema().fields;
  for (DataField& field : fields) field.type = field.type.WithNullable(true);
  fields.push_back(ValueKindField());
  if (!entry->table()->schema().has_primary_key()) {
    auto add = [&](const char* column, DataType type) {
      DataField& field = fields.emplace_back();
      field.name = column;
      field.type = std::move(type);
    };
    add(kPathColumn, DataType::String());
    add(kRowColumn, DataType::BigInt());
  }
  duckdb::CreateTableInfo info;
  info.catalog = catalog.GetName();
  info.schema = name;
  info.table = table + std::string(kChangesSuffix);
  FillInfo(transaction.GetContext(), info, fields, false);
  return std::make_unique<MicaTableEntry>(catalog, *this, info, entry->table(), ResolvedSnapshot{entry->snapshot(), nullptr});
}

duckdb::SimilarCatalogEntry MicaSchemaEntry::GetSimilarEntry(duckdb::CatalogTransaction transaction,
                                                             const duckdb::EntryLookupInfo& lookup) {
  duckdb::SimilarCatalogEntry result;
  if (name == kFunctionSchema || lookup.GetCatalogType() != duckdb::CatalogType::TABLE_ENTRY || !transaction.context) return result;
  try {
    std::vector<std::string> tables = SourceOf(catalog, transaction.GetContext())->ListTables(name);
    if (auto nearest = NearestName(lookup.GetEntryName(), tables)) {
      result.name = *nearest;
      result.score = 0.9;
      result.schema = this;
    }
  } catch (const std::exception&) {
    // A hint only.
  }
  return result;
}

duckdb::optional_ptr<duckdb::CatalogEntry> MicaSchemaEntry::CreateIndex(duckdb::CatalogTransaction, duckdb::CreateIndexInfo&,
                                                                        duckdb::TableCatalogEntry&) {
  Refuse("CREATE INDEX");
}
duckdb::optional_ptr<duckdb::CatalogEntry> MicaSchemaEntry::CreateFunction(duckdb::CatalogTransaction,
                                                                           duckdb::CreateFunctionInfo&) {
  Refuse("CREATE FUNCTION");
}
duckdb::optional_ptr<duckdb::CatalogEntry> MicaSchemaEntry::CreateTable(duckdb::CatalogTransaction,
                                                                        duckdb::BoundCreateTableInfo&) {
  Refuse("CREATE TABLE through DuckDB");
}
duckdb::optional_ptr<duckdb::CatalogEntry> MicaSchemaEntry::CreateView(duckdb::CatalogTransaction, duckdb::CreateViewInfo&) {
  Refuse("CREATE VIEW");
}
duckdb::optional_ptr<duckdb::CatalogEntry> MicaSchemaEntry::CreateSequence(duckdb::CatalogTransaction,
                                                                           duckdb::CreateSequenceInfo&) {
  Refuse("CREATE SEQUENCE");
}
duckdb::optional_ptr<duckdb::CatalogEntry> MicaSchemaEntry::CreateTableFunction(duckdb::CatalogTransaction,
                                                                                duckdb::CreateTableFunctionInfo&) {
  Refuse("CREATE FUNCTION");
}
duckdb::optional_ptr<duckdb::CatalogEntry> MicaSchemaEntry::CreateCopyFunction(duckdb::CatalogTransaction,
                                                                               duckdb::CreateCopyFunctionInfo&) {
  Refuse("A copy function");
}
duckdb::optional_ptr<duckdb::CatalogEntry> MicaSchemaEntry::CreatePragmaFunction(duckdb::CatalogTransaction,
                                                                                 duckdb::CreatePragmaFunctionInfo&) {
  Refuse("A pragma function");
}
duckdb::optional_ptr<duckdb::CatalogEntry> MicaSchemaEntry::CreateCollation(duckdb::CatalogTransaction,
                                                                            duckdb::CreateCollationInfo&) {
  Refuse("CREATE COLLATION");
}
duckdb::optional_ptr<duckdb::CatalogEntry> MicaSchemaEntry::CreateType(duckdb::CatalogTransaction, duckdb::CreateTypeInfo&) {
  Refuse("CREATE TYPE");
}
void MicaSchemaEntry::DropEntry(duckdb::ClientContext&, duckdb::DropInfo&) { Refuse("DROP through DuckDB"); }
void MicaSchemaEntry::Alter(duckdb::CatalogTransaction, duckdb::AlterInfo&) { Refuse("ALTER through DuckDB"); }

duckdb::TableFunction MicaTableEntry::GetScanFunction(duckdb::ClientContext& context,
                                                      duckdb::unique_ptr<duckdb::FunctionData>& bind_data) {
  return Guard([&] { return BindTableScan(context, *this, bind_data); });
}

duckdb::virtual_column_map_t MicaTableEntry::GetVirtualColumns() const { return ScanVirtualColumns(table_->schema()); }

duckdb::TableFunction SystemTableEntry::GetScanFunction(duckdb::ClientContext& context,
                                                        duckdb::unique_ptr<duckdb::FunctionData>& bind_data) {
  return Guard([&] { return BindSystemScan(context, *this, bind_data); });
}

}  // namespace mica::sql
