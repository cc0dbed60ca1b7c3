// Names of system tables where only tables that can be changed have a place.
#pragma once

#include "sql/catalogs.h"

namespace mica::sql {

// Throws InvalidArgument for `t$snapshots` and the like.
void RefuseSystemTable(const TableAddress& address);

}  // namespace mica::sql
