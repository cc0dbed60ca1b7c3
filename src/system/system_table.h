// System tables `t$snapshots`, `t$schemas`, `t$options`, `t$files`, ... (M-0701...): one file a table, one registry.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "format/batch_reader.h"
#include "table/table.h"

namespace mica {

struct SystemTable {
  std::string name;         // "snapshots"
  std::string description;  // one sentence
  std::vector<DataField> (*fields)(const Table& table);
  // All rows; system tables are small apart from $files, which streams.
  std::unique_ptr<BatchReader> (*read)(TablePtr table);
  bool travels = false;  // shows the version that the options scan.* ask for
};

const std::vector<SystemTable>& SystemTables();
const SystemTable* FindSystemTable(std::string_view name);

}  // namespace mica
