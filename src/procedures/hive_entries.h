// The entries of the registry that are about a metastore.
#pragma once

#include "procedures/registry.h"

namespace mica {

Procedure MigrateDatabaseProcedure();
Procedure MigrateTableProcedure();
Procedure RepairProcedure();

}  // namespace mica
