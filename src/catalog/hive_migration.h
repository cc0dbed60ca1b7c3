// Turns tables of Hive into Paimon's append tables (M-0801 to M-0816): their files are moved, never copied, and
// registered in one commit. Whatever goes wrong before that commit moves them back. What is to be moved is written down
// first, beside the target's schema, so that a run after an interrupted one takes up where that one ended.
#pragma once

#include <cstdint>
#include <optional>

#include "catalog/hive_catalog.h"
#include "table/commit.h"

namespace mica {

struct MigrationRequest {
  TableName source;
  std::optional<TableName> target;  // nothing: the table of Paimon takes the place and name of the source
  bool delete_origin = true;        // whether the source is dropped; its files have moved in any case
  Options options;                  // of a target that is made
};

// The number of files that were moved. `settings.executor` says how many at once. Throws, before anything is changed:
// NotFound; Unsupported for a view, a transactional table, a format other than ORC, Parquet and Avro, or a file that
// cannot be read as the table's columns; InvalidArgument for the target or options, or when dropping the source would
// delete files that belong to no partition. A later failure leaves the source as it was, or says what could not be
// moved back.
int64_t MigrateHiveTable(HiveCatalog& catalog, const MigrationRequest& request, CommitSettings settings);

}  // namespace mica
