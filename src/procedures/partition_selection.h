// Which partitions a procedure is about: the arguments `partitions` and `where`.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "procedures/call.h"

namespace mica {

using KeepPartition = std::function<bool(const std::vector<Value>& partition)>;

// As ParsePartitions of argument_text.h: the partitions that have the values of one of the parts.
KeepPartition PartitionsNamed(const Table& table, std::string_view text);

// A condition in SQL on partition columns, tried on the partitions of the latest snapshot.
KeepPartition PartitionsWhere(ProcedureCall& call, const Table& table, const std::string& condition);

}  // namespace mica
