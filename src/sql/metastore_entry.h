// What a metastore keeps of databases and tables beside what lies in their folders; nothing in other catalogs.
#pragma once

#include "meta/table_schema.h"
#include "sql/catalogs.h"

namespace mica::sql {

// Whether dropping the table leaves its files.
bool IsExternal(const TableAddress& table);

// The properties of the database, "comment", "owner" and "location" among them.
Options PropertiesOf(const DatabaseAddress& database);

}  // namespace mica::sql
