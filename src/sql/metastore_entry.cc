#include "sql/metastore_entry.h"

#include "catalog/hive_catalog.h"
#include "catalog/hive_table.h"

namespace mica::sql {

bool IsExternal(const TableAddress& table) {
  auto* hive = dynamic_cast<HiveCatalog*>(table.catalog.get());
  return hive != nullptr && IsExternalTable(hive->Describe(table.name));
}

Options PropertiesOf(const DatabaseAddress& address) {
  auto* hive = dynamic_cast<HiveCatalog*>(address.catalog.get());
  if (hive == nullptr) return {};
  const auto database = hive->metastore().FindDatabase(address.database);
  if (!database) return {};
  Options properties(database->parameters.begin(), database->parameters.end());
  if (!database->description.empty()) properties["comment"] = database->description;
  if (!database->owner.empty()) properties["owner"] = database->owner;
  properties["location"] = database->location;
  return properties;
}

}  // namespace mica::sql
