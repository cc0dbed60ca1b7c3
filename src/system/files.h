// `t$files` of tables with very many files (M-0706).
#pragma once

#include <memory>
#include <vector>

#include "format/batch_reader.h"
#include "table/table.h"

namespace mica {

// As ReadFiles (tables.h), with `wanted` telling which columns are looked at: texts of the others are NULL, for they are dear
// to make.
std::unique_ptr<BatchReader> ReadWantedFiles(TablePtr table, const std::vector<bool>& wanted);

}  // namespace mica
