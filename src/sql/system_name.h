// Names of system tables where only tables that can be changed have a place.
#pragma once

#include "base/error.h"
#include "sql/attached_catalog.h"
#include "sql/catalogs.h"

namespace mica::sql {

// Throws InvalidArgument for `t$snapshots` and the like.
inline void RefuseSystemTable(const TableAddress& address) {
  if (address.name.table.find('$') == std::string::npos || !ParseTableReference(address.name.table).system_table)
    return;
  throw InvalidArgument("'{}' is a system table: it can only be read", address.ToString());
}

}  // namespace mica::sql
