// Procedures that are about a metastore.
#pragma once

#include <string_view>

#include "catalog/hive_catalog.h"
#include "procedures/call.h"

namespace mica {

// The catalog of the call. Throws Unsupported naming the procedure when it is no Hive catalog.
HiveCatalog& HiveCatalogOf(const ProcedureCall& call, std::string_view procedure);

}  // namespace mica
