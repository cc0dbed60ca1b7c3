#include "meta/branch.h"

#include "base/clock.h"
#include "system/row_batch.h"
#include "system/state_tables.h"

namespace mica {

// M-0705.
std::vector<DataField> BranchesFields(const Table&) {
  return {NotNull("branch_name", DataType::String()), NotNull("create_time", DataType::Timestamp(3))};
}

std::unique_ptr<BatchReader> ReadBranches(TablePtr table) {
  RowBatch rows(BranchesFields(*table));
  for (const BranchFolder& folder : BranchFolders(table->file_system(), table->root())) {
    if (!BranchExists(table->file_system(), table->root(), folder.name)) continue;
    rows.Add({folder.name, Timestamp3(LocalWallMillis(folder.modified_millis))});
  }
  return OneBatch(std::move(rows));
}

}  // namespace mica
