#include "catalog/global_tables.h"

#include <functional>

#include "base/clock.h"
#include "base/error.h"
#include "meta/option_list.h"
#include "system/row_batch.h"
#include "table/partitions.h"

namespace mica {

namespace {

DataField Text(const char* name) { return Nullable(name, DataType::String()); }
DataField Number(const char* name) { return Nullable(name, DataType::BigInt()); }
DataField Flag(const char* name) { return Nullable(name, DataType(TypeRoot::kBoolean)); }

// One that is dropped meanwhile is left out.
void ForEachTable(Catalog& catalog, const std::function<void(const TableName&, const TablePtr&)>& use) {
  for (const std::string& database : catalog.ListDatabases()) {
    for (const std::string& table : catalog.ListTables(database)) {
      TableName name{database, table};
      TablePtr found;
      try {
        found = catalog.GetTable(name);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::kNotFound) throw;
        continue;
      }
      use(name, found);
    }
  }
}

std::vector<DataField> TablesFields() {
  return {Text("database_name"), Text("table_name"), Text("table_type"), Flag("partitioned"), Flag("primary_key"), Text("owner"),
          Number("created_at"), Text("created_by"), Number("updated_at"), Text("updated_by"), Number("record_count"),
          Number("file_size_in_bytes"), Number("file_count"), Number("last_file_creation_time")};
}

std::unique_ptr<BatchReader> ReadTables(Catalog& catalog) {
  RowBatch rows(TablesFields());
  ForEachTable(catalog, [&](const TableName& name, const TablePtr& table) {
    const TableSchema& schema = table->schema();
    // Nobody but a metastore keeps the rest.
    rows.Add({name.database, name.table, table->options().Text("type", "table"), !schema.partition_keys.empty(),
              schema.has_primary_key(), Value(), Value(), Value(), Value(), Value(), Value(), Value(), Value(), Value()});
  });
  return OneBatch(std::move(rows));
}

std::vector<DataField> PartitionsFields() {
  return {Text("database_name"), Text("table_name"), Text("partition_name"), Number("record_count"), Number("file_size_in_bytes"),
          Number("file_count"), Number("last_file_creation_time"), Flag("done")};
}

std::unique_ptr<BatchReader> ReadPartitions(Catalog& catalog) {
  RowBatch rows(PartitionsFields());
  ThreadExecutor executor;
  ForEachTable(catalog, [&](const TableName& name, const TablePtr& table) {
    if (table->schema().partition_keys.empty()) return;
    auto snapshot = table->snapshots().Latest();
    if (!snapshot) return;
    PartitionPrinter printer(*table);
    std::map<std::string, PartitionSummary> partitions;
    for (PartitionSummary& partition : ListPartitions(*table, *snapshot, {}, executor)) {
      partitions.emplace(printer.Text(partition.partition), std::move(partition));
    }
    for (const auto& [text, partition] : partitions) {
      // Files keep the wall clock.
      int64_t wall = partition.last_file_millis;
      Value created = wall > 0 ? Value(wall - (LocalWallMillis(wall) - wall)) : Value();
      rows.Add({name.database, name.table, text, partition.row_count, partition.bytes, partition.file_count, created, false});
    }
  });
  return OneBatch(std::move(rows));
}

std::vector<DataField> TableOptionsFields() { return {Text("database_name"), Text("table_name"), Text("key"), Text("value")}; }

std::unique_ptr<BatchReader> ReadTableOptions(Catalog& catalog) {
  RowBatch rows(TableOptionsFields());
  ForEachTable(catalog, [&](const TableName& name, const TablePtr& table) {
    Options options = table->schema().options;
    options["path"] = table->root();
    for (const auto& [key, value] : options) rows.Add({name.database, name.table, key, value});
  });
  return OneBatch(std::move(rows));
}

std::vector<DataField> CatalogOptionsFields() {
  return {NotNull("key", DataType::String()), NotNull("value", DataType::String())};
}

std::unique_ptr<BatchReader> ReadCatalogOptions(Catalog& catalog) {
  RowBatch rows(CatalogOptionsFields());
  for (const auto& [key, value] : catalog.options()) {
    rows.Add({key, IsSecretOption(key) ? std::string("******") : value});
  }
  return OneBatch(std::move(rows));
}

}  // namespace

const std::vector<GlobalTable>& GlobalTables() {
  static const std::vector<GlobalTable> tables = {
      {"tables", "The tables of all databases.", TablesFields, ReadTables},
      {"partitions", "The partitions of all tables.", PartitionsFields, ReadPartitions},
      {"all_table_options", "The options of all tables, and where they lie.", TableOptionsFields, ReadTableOptions},
      {"catalog_options", "The options of the catalog, secrets hidden.", CatalogOptionsFields, ReadCatalogOptions},
  };
  return tables;
}

const GlobalTable* FindGlobalTable(std::string_view name) {
  for (const GlobalTable& table : GlobalTables()) {
    if (table.name == name) return &table;
  }
  return nullptr;
}

}  // namespace mica
