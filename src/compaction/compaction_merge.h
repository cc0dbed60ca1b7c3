// Merges files of one bucket into new files of one level, with what follows from the mode: changelog files, and positions
// of rows in higher levels that are dead now (Engine 2.5, 4, 5).
#pragma once

#include <map>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/clock.h"
#include "merge/levels.h"
#include "table/bucket_files.h"
#include "table/compaction_mode.h"
#include "table/table.h"

namespace mica {

struct CompactionOutput {
  std::vector<DataFileMeta> files, changelog;
  std::map<std::string, std::vector<int64_t>> deletions;  // new ones, by data file
};

class CompactionMerge {
 public:
  // `drop_deletes`: keys whose newest row is a retract leave no row. All arguments must outlive the object.
  CompactionMerge(const TablePtr& table, const BucketFiles& bucket, const Levels& levels, const CompactionMode& mode,
                  int32_t output_level, bool drop_deletes, const Clock& clock);

  // Whether merging these files has to know the rows from before.
  bool NeedsOldRows(const std::vector<DataFileMeta>& files) const;
  // `write_files` false: the files stay as they are, only changes and deletions come out.
  CompactionOutput Run(const std::vector<DataFileMeta>& files, bool write_files) const;

 private:
  class Section;
  CompactionOutput RunPlain(const std::vector<DataFileMeta>& files) const;
  std::vector<DataType> KeyTypes() const;
  std::shared_ptr<arrow::RecordBatch> InFileLayout(std::shared_ptr<arrow::RecordBatch> batch, bool thin) const;

  const TablePtr& table_;
  const BucketFiles& bucket_;
  const Levels& levels_;
  const CompactionMode& mode_;
  int32_t output_level_;
  bool drop_deletes_;
  const Clock& clock_;
};

}  // namespace mica
