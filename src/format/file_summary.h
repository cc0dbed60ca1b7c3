// What the manifest says of a file that another program wrote: its rows and the statistics of its columns, from the file's
// own footer where it has one (Parquet, ORC), otherwise from its rows (Avro).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/data_file.h"

namespace mica {

struct FileSummary {
  int64_t row_count = 0;
  std::vector<ColumnStats> stats;  // one a field; unknown where the file does not tell, or is not to be trusted
};

struct SummaryOptions {
  std::string format;  // "": the file's name tells
  // Hive's tables get columns that older files do not have; they read as NULL. A name that differs in its letters' case only
  // is no such column but Unsupported.
  bool columns_may_be_missing = false;
};

// `fields` are found by name. Opens the file and decodes its first rows, so that a file that cannot be read as these fields is
// found out. Throws Corrupt or Unsupported naming the file, and the column that is missing or of another type.
FileSummary SummarizeFile(FileSystem& fs, const std::string& path, int64_t size, const std::vector<DataField>& fields,
                          const SummaryOptions& options = {});

}  // namespace mica
