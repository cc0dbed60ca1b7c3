// A table with many snapshots and many files, for expiry, rollback and the search for orphans: the entries are copies of one
// real file's, the files on disk are empty.
#pragma once

#include "table/table.h"

namespace mica {
class Catalog;
}

namespace mica::bench {

// `commits` commits, each an append of 220 files and a compaction of 21 of them into one: two snapshots and 200 files more.
// `like`: a table whose first file is the model. Returns the number of files that are live at the end.
int64_t WriteLongHistory(Catalog& catalog, const TablePtr& table, const TablePtr& like, int commits);

// So many files beside them that nothing refers to.
void LeaveOrphans(const TablePtr& table, int count);

}  // namespace mica::bench
