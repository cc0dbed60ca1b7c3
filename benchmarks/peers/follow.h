// A stream that follows a table while another process commits one row at a time at a steady rate.
#pragma once

#include <string>

#include "table/table.h"

namespace mica {
class Catalog;
}

namespace mica::bench {

// `table`: (id INT, at BIGINT), empty. The writer takes the moment before it writes into the row. Returns how long rows took
// to arrive: the longest of them, the mean of the last tenth, and how many commits were made a second. Throws when a row is
// missing or comes out of order.
std::string FollowCommits(Catalog& catalog, const TablePtr& table, int commits, int per_second);

}  // namespace mica::bench
