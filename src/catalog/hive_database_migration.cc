#include "catalog/hive_database_migration.h"

#include "base/log.h"
#include "base/text.h"
#include "catalog/hive_migration.h"
#include "catalog/hive_table.h"

namespace mica {

MigratedTables MigrateHiveDatabase(HiveCatalog& catalog, const std::string& database, const Options& options,
                                   const CommitSettings& settings) {
  if (!catalog.DatabaseExists(database)) {
    throw NotFound("The database '{}' does not exist{}", database, DidYouMean(database, catalog.ListDatabases()));
  }
  MigratedTables result;
  for (const std::string& name : catalog.metastore().TableNames(database)) {
    const TableName source{database, name};
    try {
      const HiveTable table = catalog.Describe(source);
      if (IsPaimonTable(table) || IsView(table)) {
        Log(LogLevel::kInfo, fmt::format("'{}' is passed over: it is {}", source.ToString(),
                                         IsView(table) ? "a view" : "a table of Paimon"));
        continue;
      }
      MigrateHiveTable(catalog, {.source = source, .options = options}, settings);
      ++result.done;
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kCancelled) throw;
      Log(LogLevel::kWarning, fmt::format("The table '{}' is not migrated: {}", source.ToString(), error.what()));
      ++result.failed;
    }
  }
  return result;
}

}  // namespace mica
