// Copies the files of a table's latest snapshot into another table, byte for byte, and commits them there as an overwrite:
// what a clone does where the target can take the source's files (M-0914). Nothing in the source is changed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "clone/file_list_copy.h"
#include "table/commit.h"
#include "table/table.h"

namespace mica {

// What is copied: the live files of a snapshot, those of the wanted partitions.
struct SourceFiles {
  std::optional<Snapshot> snapshot;  // nothing: the table is empty
  std::vector<ManifestEntry> entries;
};
// `keep_partition` may be absent: all.
SourceFiles ListSourceFiles(const Table& source, const std::function<bool(const std::vector<Value>&)>& keep_partition,
                            Executor& executor);

struct CopyRequest {
  bool new_target = false;  // the target was made for this: nothing can lie in it yet
  std::function<void(const CopyProgress&)> on_progress;  // from any thread, once a file
  CommitSettings commit;    // with an executor, whose threads copy
  Executor& executor() const { return commit.executor != nullptr ? *commit.executor : InlineExecutor(); }
};

struct CopyResult {
  int64_t files = 0;                   // of the source, in the partitions wanted
  int64_t files_present = 0;           // which the target had already
  int64_t files_found = 0;             // which an earlier run had copied, but not committed
  int64_t files_copied = 0;
  int64_t bytes_copied = 0;
  std::optional<int64_t> snapshot_id;  // nothing: the target is right as it is
};

// Why the target cannot take the files of the source as they are, so that rows have to be written; nothing: it can.
// `format`: the only file format that is wanted.
std::optional<std::string> WhyNotCopied(const Table& source, const SourceFiles& files, const Table& target,
                                        const std::optional<std::string>& format);

// The partitions that are copied are replaced in the target, all of them without 'dynamic-partition-overwrite'. After an error
// the target reads as before, and what was copied is found by the next run. Throws Conflict when the target was changed so
// that files would be wrong.
CopyResult CopyTable(const Table& source, SourceFiles files, const TablePtr& target, const CopyRequest& request);

}  // namespace mica
