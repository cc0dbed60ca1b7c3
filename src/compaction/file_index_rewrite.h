// Makes the file indexes that a table's options name for data files that lack them (Format 11): the files stay, their
// entries get a new index.
#pragma once

#include "table/bucket_files.h"
#include "table/commit.h"

namespace mica {

struct FileIndexRewriteReport {
  int64_t partitions = 0;  // with at least one new index
  int64_t indexes = 0;     // of one column in one file
};

// Commits one snapshot if there was anything to do. Throws InvalidArgument when the table's options name no index.
FileIndexRewriteReport RewriteFileIndexes(const TablePtr& table, const BucketSelection& selection,
                                          const CommitSettings& settings);

}  // namespace mica
