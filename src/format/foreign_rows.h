// Reads a file that another program wrote as the columns of a table that its writer did not know, as Hive reads it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "format/batch_reader.h"
#include "io/file_system.h"
#include "types/data_type.h"

namespace mica {

// `format`: orc, parquet or avro, whatever the file is called. Batches have the `fields` in order. A column is found by
// its name, and where no column has just that one, by the name in other letters' case; in a file whose columns are
// called _col0, _col1, ..., by its place. What the file does not have is NULL. Throws Corrupt or Unsupported naming the
// file.
std::unique_ptr<BatchReader> ReadForeignRows(FileSystem& fs, const std::string& path, int64_t size,
                                             const std::string& format, const std::vector<DataField>& fields);

}  // namespace mica
