#include "sql/system_name.h"

#include "sql/attached_catalog.h"

namespace mica::sql {

void RefuseSystemTable(const TableAddress& address) {
  if (address.name.table.find('$') == std::string::npos || !ParseTableReference(address.name.table).system_table) return;
  throw InvalidArgument("'{}' is a system table: it can only be read", address.ToString());
}

}  // namespace mica::sql
