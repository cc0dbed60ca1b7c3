// Mica's catalog as a DuckDB catalog: databases are schemas, tables are entries that hold the table pinned at one snapshot
// (an entry is made once a transaction and asked-for version), system tables `t$x` are entries of their own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "functions/function_entries.h"
#include "sql/transaction.h"
#include "system/system_table.h"

namespace mica::sql {

class MicaCatalog final : public duckdb::Catalog {
 public:
  static constexpr const char* kType = "mica";
  // The storage extension under which ATTACH '' AS name (TYPE mica) finds this catalog.
  static void Register(duckdb::DBConfig& config);

  explicit MicaCatalog(duckdb::AttachedDatabase& db) : Catalog(db) {}

  // What the session has registered under this name.
  std::shared_ptr<mica::Catalog> Source(duckdb::ClientContext& context) const;

  void Initialize(bool) override {}
  duckdb::string GetCatalogType() override { return kType; }
  duckdb::string GetDefaultSchema() const override { return "default"; }
  bool SupportsTimeTravel() const override { return true; }
  duckdb::CatalogLookupBehavior CatalogTypeLookupRule(duckdb::CatalogType type) const override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateSchema(duckdb::CatalogTransaction, duckdb::CreateSchemaInfo&) override;
  duckdb::optional_ptr<duckdb::SchemaCatalogEntry> LookupSchema(duckdb::CatalogTransaction, const duckdb::EntryLookupInfo&,
                                                                duckdb::OnEntryNotFound) override;
  void ScanSchemas(duckdb::ClientContext&, std::function<void(duckdb::SchemaCatalogEntry&)>) override;
  void DropSchema(duckdb::ClientContext&, duckdb::DropInfo&) override;
  duckdb::PhysicalOperator& PlanCreateTableAs(duckdb::ClientContext&, duckdb::PhysicalPlanGenerator&,
                                              duckdb::LogicalCreateTable&, duckdb::PhysicalOperator&) override;
  duckdb::PhysicalOperator& PlanInsert(duckdb::ClientContext&, duckdb::PhysicalPlanGenerator&, duckdb::LogicalInsert&,
                                       duckdb::optional_ptr<duckdb::PhysicalOperator>) override;
  duckdb::PhysicalOperator& PlanDelete(duckdb::ClientContext&, duckdb::PhysicalPlanGenerator&, duckdb::LogicalDelete&,
                                       duckdb::PhysicalOperator&) override;
  duckdb::PhysicalOperator& PlanUpdate(duckdb::ClientContext&, duckdb::PhysicalPlanGenerator&, duckdb::LogicalUpdate&,
                                       duckdb::PhysicalOperator&) override;
  duckdb::unique_ptr<duckdb::LogicalOperator> BindCreateIndex(duckdb::Binder&, duckdb::CreateStatement&,
                                                              duckdb::TableCatalogEntry&,
                                                              duckdb::unique_ptr<duckdb::LogicalOperator>) override;
  duckdb::DatabaseSize GetDatabaseSize(duckdb::ClientContext&) override { return {}; }
  bool InMemory() override { return false; }
  duckdb::string GetDBPath() override { return ""; }

 private:
  friend class MicaSchemaEntry;
  duckdb::SchemaCatalogEntry& SchemaEntry(const std::string& name);

  std::mutex mutex_;
  std::map<std::string, duckdb::unique_ptr<duckdb::SchemaCatalogEntry>> schemas_;
  FunctionEntries functions_;
};

class MicaSchemaEntry final : public duckdb::SchemaCatalogEntry {
 public:
  MicaSchemaEntry(duckdb::Catalog& catalog, duckdb::CreateSchemaInfo& info) : SchemaCatalogEntry(catalog, info) {}

  void Scan(duckdb::ClientContext&, duckdb::CatalogType, const std::function<void(duckdb::CatalogEntry&)>&) override;
  void Scan(duckdb::CatalogType, const std::function<void(duckdb::CatalogEntry&)>&) override {}
  duckdb::optional_ptr<duckdb::CatalogEntry> LookupEntry(duckdb::CatalogTransaction, const duckdb::EntryLookupInfo&) override;
  duckdb::SimilarCatalogEntry GetSimilarEntry(duckdb::CatalogTransaction, const duckdb::EntryLookupInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateIndex(duckdb::CatalogTransaction, duckdb::CreateIndexInfo&,
                                                         duckdb::TableCatalogEntry&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateFunction(duckdb::CatalogTransaction, duckdb::CreateFunctionInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateTable(duckdb::CatalogTransaction, duckdb::BoundCreateTableInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateView(duckdb::CatalogTransaction, duckdb::CreateViewInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateSequence(duckdb::CatalogTransaction, duckdb::CreateSequenceInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateTableFunction(duckdb::CatalogTransaction,
                                                                 duckdb::CreateTableFunctionInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateCopyFunction(duckdb::CatalogTransaction,
                                                                duckdb::CreateCopyFunctionInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreatePragmaFunction(duckdb::CatalogTransaction,
                                                                  duckdb::CreatePragmaFunctionInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateCollation(duckdb::CatalogTransaction, duckdb::CreateCollationInfo&) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateType(duckdb::CatalogTransaction, duckdb::CreateTypeInfo&) override;
  void DropEntry(duckdb::ClientContext&, duckdb::DropInfo&) override;
  void Alter(duckdb::CatalogTransaction, duckdb::AlterInfo&) override;

 private:
  // What UPDATE, DELETE and MERGE INTO insert their changed rows into (changed_table.h).
  std::unique_ptr<duckdb::CatalogEntry> ChangesEntry(duckdb::CatalogTransaction transaction, const std::string& table);
};

// A table at one snapshot. `table` carries the schema to read with and the dynamic options.
class MicaTableEntry final : public duckdb::TableCatalogEntry {
 public:
  MicaTableEntry(duckdb::Catalog& catalog, duckdb::SchemaCatalogEntry& schema, duckdb::CreateTableInfo& info, TablePtr table,
                 ResolvedSnapshot resolved)
      : TableCatalogEntry(catalog, schema, info), table_(std::move(table)), resolved_(std::move(resolved)) {}

  const TablePtr& table() const { return table_; }
  const std::optional<Snapshot>& snapshot() const { return resolved_.snapshot; }

  duckdb::unique_ptr<duckdb::BaseStatistics> GetStatistics(duckdb::ClientContext&, duckdb::column_t) override { return nullptr; }
  duckdb::TableFunction GetScanFunction(duckdb::ClientContext&, duckdb::unique_ptr<duckdb::FunctionData>& bind_data) override;
  duckdb::TableStorageInfo GetStorageInfo(duckdb::ClientContext&) override { return {}; }
  duckdb::virtual_column_map_t GetVirtualColumns() const override;
  duckdb::vector<duckdb::column_t> GetRowIdColumns() const override { return {}; }

 private:
  TablePtr table_;
  ResolvedSnapshot resolved_;
};

// `t$snapshots` and the like.
class SystemTableEntry final : public duckdb::TableCatalogEntry {
 public:
  SystemTableEntry(duckdb::Catalog& catalog, duckdb::SchemaCatalogEntry& schema, duckdb::CreateTableInfo& info, TablePtr table,
                   const SystemTable* system_table)
      : TableCatalogEntry(catalog, schema, info), table_(std::move(table)), system_table_(system_table) {}

  const TablePtr& table() const { return table_; }
  const SystemTable& system_table() const { return *system_table_; }

  duckdb::unique_ptr<duckdb::BaseStatistics> GetStatistics(duckdb::ClientContext&, duckdb::column_t) override { return nullptr; }
  duckdb::TableFunction GetScanFunction(duckdb::ClientContext&, duckdb::unique_ptr<duckdb::FunctionData>& bind_data) override;
  duckdb::TableStorageInfo GetStorageInfo(duckdb::ClientContext&) override { return {}; }
  duckdb::vector<duckdb::column_t> GetRowIdColumns() const override { return {}; }

 private:
  TablePtr table_;
  const SystemTable* system_table_;
};

// The catalog that this one of the engine stands for.
std::shared_ptr<mica::Catalog> SourceOf(duckdb::Catalog& catalog, duckdb::ClientContext& context);

// A name as SQL gives it: the table, and what stands after '$'.
struct TableReference {
  std::string table;
  std::optional<std::string> branch;
  std::optional<std::string> system_table;
};
TableReference ParseTableReference(const std::string& name);

}  // namespace mica::sql
