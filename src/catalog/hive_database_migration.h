// Turns all tables of a database of Hive into Paimon's append tables (M-0815, M-0816).
#pragma once

#include <cstdint>
#include <string>

#include "catalog/hive_catalog.h"
#include "table/commit.h"

namespace mica {

struct MigratedTables {
  int64_t done = 0;
  int64_t failed = 0;
};

// Every table of Hive in the database, each under its own name; views and Paimon's tables are passed over. Why one
// failed goes to the log.
MigratedTables MigrateHiveDatabase(HiveCatalog& catalog, const std::string& database, const Options& options,
                                   const CommitSettings& settings);

}  // namespace mica
