// Texts inside of arguments: times and partitions (M, Global conventions).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "table/table.h"
#include "types/value.h"

namespace mica {

// "2024-01-02", "2024-01-02 03:04:05.678" in the zone of the process, as milliseconds since the epoch. Throws
// InvalidArgument naming `what`.
int64_t ParseLocalTime(std::string_view text, std::string_view what);

// "dt=1,hh=2;dt=3": a comma joins the columns of one partition, a semicolon separates partitions; the default partition
// name is NULL. Throws InvalidArgument for what is no partition column, with the nearest one.
std::vector<std::map<std::string, Value>> ParsePartitions(const Table& table, std::string_view text);

}  // namespace mica
