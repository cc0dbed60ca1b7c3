#include "system/system_table.h"

#include "system/tables.h"

namespace mica {

const std::vector<SystemTable>& SystemTables() {
  static const std::vector<SystemTable> tables = {
      {"snapshots", "The snapshots that can be read, with what each commit did.", SnapshotsFields, ReadSnapshots},
      {"schemas", "The versions of the table's schema.", SchemasFields, ReadSchemas},
      {"options", "The options that were set on the table.", OptionsFields, ReadOptions},
      {"files", "The data files of a snapshot, with their statistics.", FilesFields, ReadFiles, /*travels=*/true},
      {"tags", "The named snapshots.", TagsFields, ReadTags},
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
