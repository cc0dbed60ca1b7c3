// Leaves out files, and rows of files, that file indexes exclude (Engine 8.2): after partitions, buckets, keys and
// statistics have had their say.
#pragma once

#include <string>
#include <vector>

#include "base/executor.h"
#include "index/file_index.h"
#include "predicate/predicate.h"
#include "table/scan.h"
#include "table/split.h"
#include "table/table.h"

namespace mica {

// The index of a data file, embedded or a file of its own; nothing when it has none.
std::optional<FileIndex> FileIndexOf(const Table& table, const std::string& partition, int32_t bucket,
                                     const DataFileMeta& file);

// Splits without files are taken out. Below a merge only `key_predicate` may speak, and only for whole files. Counts what
// was skipped.
void PruneByFileIndex(const Table& table, const PredicatePtr& predicate, const PredicatePtr& key_predicate,
                      Executor& executor, std::vector<Split>* splits, ScanCounts* counts);

}  // namespace mica
