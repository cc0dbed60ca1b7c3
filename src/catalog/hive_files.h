// The data files of a table of Hive: which there are, in which format, of which partition.
#pragma once

#include <string>
#include <vector>

#include "catalog/hive_catalog.h"
#include "io/file_system.h"

namespace mica {

// What Hive calls a partition whose value is NULL.
std::string HiveDefaultPartition(HiveMetastore& metastore);

struct HivePart {
  std::vector<std::string> values;  // of the partition keys; empty for a table without
  std::string location;             // as the metastore has it
  std::string format;               // orc, parquet or avro
  std::vector<FileStatus> files;    // directly there, in order of their names, without those that Hive hides ('_', '.')
};

// Throws Unsupported for a view, a transactional table, or a format that Paimon does not read, naming the table or
// partition.
std::vector<HivePart> HivePartsOf(HiveCatalog& catalog, const HiveTable& table);

// A file in the folder or below that Hive does not hide; "" when there is none.
std::string FirstVisibleFile(FileSystem& fs, const std::string& folder);

// A visible file anywhere in the folder of the table that is in none of the parts; "" when there is none.
std::string StrayFile(HiveCatalog& catalog, const HiveTable& table, const std::vector<HivePart>& parts);

}  // namespace mica
