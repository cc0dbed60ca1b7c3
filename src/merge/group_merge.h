// Turns groups of rows of one key into rows, column by column, for every merge engine that cannot just take the newest
// row (Engine 3): decides the steps of a batch once, then gives each column its values. Not thread safe.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <arrow/type_fwd.h>

#include "merge/column_merge.h"
#include "merge/group_steps.h"
#include "merge/merge_rules.h"
#include "merge/run_merge.h"

namespace mica {

class GroupMerge {
 public:
  explicit GroupMerge(std::shared_ptr<const MergeRules> rules);
  ~GroupMerge();

  const MergeRules& rules() const { return *rules_; }
  const std::vector<KeyLayout>& order_layouts() const { return layouts_; }

  // `groups` and `sources` (by source number) stay until the batch is finished. Lone rows are all kept, results of
  // groups that are retracts only without `drop_deletes`. Throws InvalidArgument for retracts that are not taken.
  void Start(const KeyGroups& groups, std::span<const StepSource> sources, bool drop_deletes);
  int64_t row_count() const { return row_count_; }
  // The rows that results take their sequence numbers from, in the output's order.
  const std::vector<Segment>& result_rows() const { return result_rows_; }
  std::shared_ptr<arrow::Array> Kinds() const;
  // The column at a position of the rules, given in each source (nullptr for unused ones). The result has offset 0.
  std::shared_ptr<arrow::Array> Column(size_t column, ColumnSources sources,
                                       const std::shared_ptr<arrow::DataType>& type);

 private:
  void CheckLoneRows(std::span<const StepSource> sources) const;

  std::shared_ptr<const MergeRules> rules_;
  std::vector<KeyLayout> layouts_;
  StepMaker steps_;
  std::vector<std::unique_ptr<ColumnMerge>> columns_;
  const GroupSteps* made_ = nullptr;
  std::span<const StepSource> sources_;
  std::vector<Segment> rows_;  // of the output; KeyGroups::kGroups for groups
  std::vector<Segment> result_rows_;
  std::vector<Segment> picked_rows_;  // of one column
  GroupValues values_;
  int64_t row_count_ = 0;
};

}  // namespace mica
