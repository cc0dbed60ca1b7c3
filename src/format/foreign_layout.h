// Layouts of files that other programs wrote which Paimon for Java does not read, or reads wrong: they cannot become files of a
// table as they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/file_system.h"
#include "types/data_type.h"

namespace mica {

// Whether the columns of a file have no names but "_col0", "_col1", ..., as Hive 1 wrote ORC.
bool AreUnnamed(const std::vector<std::string>& columns);

// Throws Unsupported naming file and column: names that differ from the table's in case, ORC columns without names ("_col0"),
// Parquet lists whose repeated group is the element, Avro unions that do not begin with null, Avro decimals of fixed size.
void RefuseForeignLayout(FileSystem& fs, const std::string& path, int64_t size, const std::string& format,
                         const std::vector<DataField>& fields);

}  // namespace mica
