// Hive's words for types and Paimon's types (M-0207).
#pragma once

#include <string>
#include <string_view>

#include "types/data_type.h"

namespace mica {

// "decimal(10,2)", "array<struct<a:int>>". Types that Hive does not have become what Paimon for Java makes of them:
// TIME and long CHAR and VARCHAR are string, MULTISET a map to int.
std::string HiveTypeText(const DataType& type);

// Ignores case. A timestamp becomes TIMESTAMP(6). Throws Unsupported naming a type that Paimon does not have (void,
// uniontype, interval), InvalidArgument for what is no type.
DataType ParseHiveType(std::string_view text);

}  // namespace mica
