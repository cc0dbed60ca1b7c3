// Which partitions a procedure is about: the arguments `partitions` and `where`.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "procedures/call.h"
#include "table/partitions.h"

namespace mica {

// As ParsePartitions of argument_text.h: the partitions that have the values of one of the parts.
KeepPartition PartitionsNamed(const Table& table, std::string_view text);

// A condition in SQL on partition columns, tried on the partitions of the latest snapshot.
KeepPartition PartitionsWhere(ProcedureCall& call, const Table& table, const std::string& condition);
// The same for some partitions of any table; `keys` are its partition columns. Throws InvalidArgument.
KeepPartition PartitionsWhere(ProcedureCall& call, const TableName& table, const std::vector<DataField>& keys,
                              const std::vector<std::vector<Value>>& partitions, const std::string& condition);

}  // namespace mica
