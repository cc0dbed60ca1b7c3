// System tables of a whole catalog, in the database `sys` (M-0721).
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "format/batch_reader.h"

namespace mica {

inline constexpr std::string_view kGlobalDatabase = "sys";

struct GlobalTable {
  const char* name;
  const char* description;
  std::vector<DataField> (*fields)();
  std::unique_ptr<BatchReader> (*read)(Catalog& catalog);
};

const std::vector<GlobalTable>& GlobalTables();
// nullptr when there is none of that name.
const GlobalTable* FindGlobalTable(std::string_view name);

}  // namespace mica
