// Takes files that lie elsewhere into an append table where they are, as files with an external path (M-1001 to M-1003).
// From then on they live and are deleted as the table's own.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "format/file_summary.h"
#include "table/commit.h"
#include "table/file_stats.h"
#include "table/table.h"

namespace mica {

// Files that others wrote, as data files of one partition of an append table: what the manifest says of each is read from
// the file.
// The partition's columns need not be in them. Thread safe.
class ForeignFiles {
 public:
  // `storage`: where the files are. `schema`: of the table they are for, which need not be there yet. `partition`: a value
  // for each partition column.
  ForeignFiles(FileSystemPtr storage, std::shared_ptr<const TableSchema> schema, std::vector<Value> partition,
               int64_t now_millis, SummaryOptions options = {});

  // With the file's own name and no external path. Throws as SummarizeFile does.
  DataFileMeta Describe(const FileStatus& status) const;

 private:
  std::vector<ColumnStats> WithPartition(FileSummary summary) const;

  FileSystemPtr storage_;
  std::shared_ptr<const TableSchema> schema_;
  std::vector<Value> partition_;
  int64_t now_millis_;
  SummaryOptions options_;
  FileStats stats_;
  std::vector<DataField> fields_;  // those that lie in the files
  std::vector<int> constants_;     // of each column of the table: its place in the partition, or -1
};

// Those files directly in the folder `location` whose name ends in the table's format and does not begin with '.' or '_'.
// `partition`: a value for every partition column. One APPEND snapshot; none when there is no such file. Returns their number.
// Throws, before anything is changed: Unsupported for a table of another kind; InvalidArgument for the location or the
// partition; AlreadyExists naming a file that the table has already; Corrupt or Unsupported naming a file that cannot be read
// as the table's columns.
int64_t ImportFiles(TablePtr table, const std::string& location, const std::map<std::string, Value>& partition,
                    CommitSettings settings);

}  // namespace mica
