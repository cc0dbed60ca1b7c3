// The metastore's structs as values, and back; field numbers are those of its public interface.
#pragma once

#include "hive/hive_metastore.h"

namespace mica {

ThriftValue ToThrift(const HiveDatabase& database);
ThriftValue ToThrift(const HiveTable& table);
ThriftValue ToThrift(const HivePartition& partition);
HiveDatabase ToHiveDatabase(const ThriftValue& value);
HiveTable ToHiveTable(const ThriftValue& value);
HivePartition ToHivePartition(const ThriftValue& value);

// location-in-properties: the location stands in the property paimon_location, and what the metastore itself takes for the
// place stays as it is. To the property before a struct is written, from it after one was read.
void LocationToProperty(HiveDatabase* database);
void LocationToProperty(HiveTable* table);
void LocationToProperty(HivePartition* partition);
void LocationFromProperty(HiveDatabase* database);
void LocationFromProperty(HiveTable* table);
void LocationFromProperty(HivePartition* partition);

}  // namespace mica
