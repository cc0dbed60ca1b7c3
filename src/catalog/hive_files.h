// The data files of a table of Hive: which there are, in which format, of which partition.
#pragma once

#include <string>
#include <vector>

#include "base/executor.h"
#include "catalog/hive_catalog.h"
#include "io/file_system.h"

namespace mica {

// What Hive calls a partition whose value is NULL.
std::string HiveDefaultPartition(HiveMetastore& metastore);

// "s3://bucket" of a location; "" of a local path, however it is written.
std::string StorageOf(const std::string& location);

struct HivePart {
  std::vector<std::string> values;  // of the partition keys; empty for a table without
  std::string location;             // as the metastore has it
  std::string format;               // orc, parquet or avro
  FileSystemPtr storage;            // that the location is in
  std::vector<FileStatus> files;    // directly there, in order of their names, without those that Hive hides ('_', '.')

  // In the types of the partition keys; `default_name` is NULL. Throws InvalidArgument naming the value.
  std::vector<Value> PartitionValues(const std::vector<DataType>& types, const std::string& default_name) const;
};

// Asks the metastore only: nothing is in `files` yet. Throws Unsupported for a view, a transactional table, or a format
// that Paimon does not read, naming the table or partition.
std::vector<HivePart> HivePartsOf(HiveCatalog& catalog, const HiveTable& table);
// Fills in `files`.
void ListHiveFiles(std::vector<HivePart>* parts, Executor& executor);

// The format of the table itself, which new partitions of it get. Throws Unsupported.
std::string HiveFormatOf(const HiveTable& table);

// A file in the folder or below that Hive does not hide; "" when there is none.
std::string FirstVisibleFile(FileSystem& fs, const std::string& folder);

// A visible file anywhere in the folder of the table that is in none of the parts; "" when there is none.
std::string StrayFile(HiveCatalog& catalog, const HiveTable& table, const std::vector<HivePart>& parts);

}  // namespace mica
