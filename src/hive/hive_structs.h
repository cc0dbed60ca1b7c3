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

}  // namespace mica
