// The column-wise half of a merge engine: gives every group of rows of one key its value of one column, by choosing a
// row or by computing (Engine 3.4, 3.5). One call handles all groups of a batch.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <arrow/type_fwd.h>

#include "merge/group_steps.h"
#include "merge/merge_rules.h"

namespace mica {

// RowRef::source of a value that is NULL.
inline constexpr uint32_t kNullSource = ~uint32_t{0} - 1;

// One value a group.
struct GroupValues {
  std::vector<RowRef> picks;
  std::shared_ptr<arrow::Array> computed;  // if set: in place of picks
};

using ColumnSources = std::span<const arrow::Array* const>;  // one column of each source; nullptr for unused sources

class ColumnMerge {
 public:
  virtual ~ColumnMerge() = default;
  // Throws InvalidArgument naming the column: a retract that the function does not take, a number that overflows.
  virtual void Merge(ColumnSources sources, const GroupSteps& steps, GroupValues* out) = 0;
};

// For functions other than kResultRow and kResultKind. The rule must outlive the result.
std::unique_ptr<ColumnMerge> MakeColumnMerge(const ColumnRule& rule);

// The kinds of functions, each in a file of its own.
std::unique_ptr<ColumnMerge> MakePickMerge(const ColumnRule& rule);
std::unique_ptr<ColumnMerge> MakeNumberMerge(const ColumnRule& rule);
std::unique_ptr<ColumnMerge> MakeTextMerge(const ColumnRule& rule);
std::unique_ptr<ColumnMerge> MakeNestedMerge(const ColumnRule& rule);
std::unique_ptr<ColumnMerge> MakeNestedPartialMerge(const ColumnRule& rule);
std::unique_ptr<ColumnMerge> MakeBitmapMerge(const ColumnRule& rule);

}  // namespace mica
