#include "system/system_table.h"

#include "system/state_tables.h"
#include "system/tables.h"

namespace mica {

const std::vector<SystemTable>& SystemTables() {
  static const std::vector<SystemTable> tables = {
      {"snapshots", "The snapshots that can be read, with what each commit did.", SnapshotsFields, ReadSnapshots},
      {"schemas", "The versions of the table's schema.", SchemasFields, ReadSchemas},
      {"options", "The options that were set on the table.", OptionsFields, ReadOptions},
      {"files", "The data files of a snapshot, with their statistics.", FilesFields, ReadFiles, /*travels=*/true},
      {"tags", "The named snapshots.", TagsFields, ReadTags},
      {"branches", "The branches, without main.", BranchesFields, ReadBranches},
      {"consumers", "How far streaming readers have come.", ConsumersFields, ReadConsumers},
      {"audit_log", "The rows with their kinds; with an incremental query, all changes.", AuditLogFields, ReadAuditLog,
       /*travels=*/true},
      {"binlog", "As audit_log, with the row before and after an update in one.", BinlogFields, ReadBinlog,
       /*travels=*/true},
      {"ro", "What full compactions have left of the rows, read without a merge.", ReadOptimizedFields, ReadReadOptimized,
       /*travels=*/true},
      {"row_tracking", "The rows with their ids and sequence numbers.", RowTrackingFields, ReadRowTracking, /*travels=*/true},
      {"partitions", "The partitions of a snapshot.", PartitionsFields, ReadPartitions, /*travels=*/true},
      {"buckets", "The buckets of a snapshot.", BucketsFields, ReadBuckets, /*travels=*/true},
      {"aggregation_fields", "The columns with their aggregate functions.", AggregationFieldsFields, ReadAggregationFields},
      {"table_indexes", "The index files of a snapshot.", TableIndexesFields, ReadTableIndexes, /*travels=*/true},
      {"file_key_ranges", "The data files of a snapshot with their smallest and greatest keys.", FileKeyRangesFields,
       ReadFileKeyRanges, /*travels=*/true},
      {"manifests", "The manifests of a snapshot.", ManifestsFields, ReadManifests, /*travels=*/true},
      {"statistics", "What ANALYZE TABLE found.", StatisticsFields, ReadStatistics},
  };
  return tables;
}

const SystemTable* FindSystemTable(std::string_view name) {
  for (const SystemTable& table : SystemTables()) {
    if (table.name == name) return &table;
  }
  return nullptr;
}

}  // namespace mica
