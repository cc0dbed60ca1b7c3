// How a Paimon table or view is written down in a Hive metastore, so that Hive, Spark, Flink and Paimon for Java find
// it there (M-0102, M-0820).
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "hive/hive_metastore.h"
#include "meta/table_schema.h"

namespace mica {

inline constexpr std::string_view kManagedTable = "MANAGED_TABLE";
inline constexpr std::string_view kExternalTable = "EXTERNAL_TABLE";
inline constexpr std::string_view kVirtualView = "VIRTUAL_VIEW";

bool IsPaimonTable(const HiveTable& table);
bool IsExternalTable(const HiveTable& table);
bool IsView(const HiveTable& table);

// Whether a new table with these options is external: by its path, its property EXTERNAL, or the catalog's table.type.
bool WantsExternal(const Options& table, const Options& catalog);

// The option `metastore.tag-to-partition` of a table; "" when tags are not shown as partitions. Throws InvalidArgument
// for a table with partitions, or with a column of that name.
std::string TagPartitionField(const TableSchema& schema);
// Whether the metastore knows partitions of this table: its own (metastore.partitioned-table), or its tags.
bool HasMetastorePartitions(const TableSchema& schema);

struct HiveTablePlace {
  TableName name;
  std::string location;
  bool external = false;
  std::string owner;
  int64_t now_millis = 0;
};

// `catalog`: options of the catalog; sync-all-properties (true by default) makes every option of the table a property.
HiveTable NewHiveTable(const HiveTablePlace& place, const TableSchema& schema, const Options& catalog);
// Brings the columns and properties of `table` to the schema; what others have set stays.
void UpdateHiveTable(HiveTable* table, const TableSchema& schema, const Options& catalog,
                     const std::vector<std::string>& removed_options);

HiveTable NewHiveView(const HiveTablePlace& place, const View& view);
View ViewOf(const HiveTable& table);

// The columns in Paimon's types, those of the partitions last. Throws Unsupported naming the column.
std::vector<DataField> FieldsOf(const HiveTable& table);

// The append table that takes the place of a table of Hive: its columns, partition columns and comments, 'bucket' = '-1',
// and its name of NULL among partitions.
TableDefinition AppendTableLike(const HiveTable& table, const std::string& default_partition);

HivePartition NewHivePartition(const HiveTable& table, std::vector<std::string> values, const std::string& location,
                               int64_t now_millis);

}  // namespace mica
