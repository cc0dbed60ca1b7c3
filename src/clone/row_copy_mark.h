// What a clone that writes rows leaves behind when its process is ended: files that no snapshot has. Each run writes
// down, beside the target's schema, who it is and how its files begin, and takes that away at its end; a later run on
// the same machine takes away the files of those that live no more. What runs on other machines left is for
// remove_orphan_files.
#pragma once

#include <string>

#include "base/executor.h"
#include "table/table.h"

namespace mica {

class RowCopyMark {
 public:
  // Takes away what dead runs left in the table, then writes its own mark.
  RowCopyMark(TablePtr target, Executor& executor);
  // Takes the mark away, unless it was kept.
  ~RowCopyMark();
  RowCopyMark(const RowCopyMark&) = delete;
  RowCopyMark& operator=(const RowCopyMark&) = delete;

  // The target, whose new data files bear the mark in their names.
  const TablePtr& table() const { return table_; }
  // Nobody knows whether the files are the table's: they are left, and looked for again by the next run.
  void Keep() { kept_ = true; }

 private:
  TablePtr table_;
  std::string path_;
  bool kept_ = false;
};

}  // namespace mica
