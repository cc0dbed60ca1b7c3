// `sys.tables` and the other system tables of a whole catalog, as tables of the engine.
#pragma once

#include "catalog/global_tables.h"
#include "sql/attached_catalog.h"

namespace mica::sql {

class GlobalTableEntry final : public duckdb::TableCatalogEntry {
 public:
  GlobalTableEntry(duckdb::Catalog& catalog, duckdb::SchemaCatalogEntry& schema, duckdb::CreateTableInfo& info,
                   std::shared_ptr<mica::Catalog> source, const GlobalTable* table)
      : TableCatalogEntry(catalog, schema, info), source_(std::move(source)), table_(table) {}

  duckdb::unique_ptr<duckdb::BaseStatistics> GetStatistics(duckdb::ClientContext&, duckdb::column_t) override { return nullptr; }
  duckdb::TableFunction GetScanFunction(duckdb::ClientContext&, duckdb::unique_ptr<duckdb::FunctionData>& bind_data) override;
  duckdb::TableStorageInfo GetStorageInfo(duckdb::ClientContext&) override { return {}; }
  duckdb::vector<duckdb::column_t> GetRowIdColumns() const override { return {}; }

 private:
  std::shared_ptr<mica::Catalog> source_;
  const GlobalTable* table_;
};

}  // namespace mica::sql
