// What the functions behind ColumnMerge share: which values are NULL, and how steps are followed without a virtual call
// for each row.
#pragma once

#include <utility>
#include <vector>

#include <arrow/array.h>

#include "base/error.h"
#include "merge/column_merge.h"

namespace mica {

// The validity of one column in all sources.
class Validities {
 public:
  void Reset(ColumnSources sources) {
    sources_.clear();
    any_nulls_ = false;
    for (const arrow::Array* array : sources) {
      const bool nulls = array != nullptr && array->null_count() != 0;
      any_nulls_ = any_nulls_ || nulls;
      sources_.push_back(nulls ? Source{array->null_bitmap_data(), array->offset()} : Source{nullptr, 0});
    }
  }
  bool any_nulls() const { return any_nulls_; }
  // `row` lies in a source.
  bool Has(const RowRef& row) const {
    const Source& source = sources_[row.source];
    const int64_t bit = source.offset + row.row;
    return source.bits == nullptr || ((source.bits[bit >> 3] >> (bit & 7)) & 1) != 0;
  }
  // Also for kNullSource.
  bool Valid(const RowRef& row) const { return row.source != kNullSource && Has(row); }

 private:
  struct Source {
    const uint8_t* bits;
    int64_t offset;
  };
  std::vector<Source> sources_;
  bool any_nulls_ = false;
};

// The values of one fixed-width column in all sources.
template <typename T>
class FixedValues {
 public:
  void Reset(ColumnSources sources) {
    sources_.clear();
    for (const arrow::Array* array : sources) {
      sources_.push_back(array == nullptr || array->length() == 0 ? nullptr : array->data()->GetValues<T>(1));
    }
  }
  T At(const RowRef& row) const { return sources_[row.source][row.row]; }

 private:
  std::vector<const T*> sources_;
};

[[noreturn]] inline void RefuseRetract(const ColumnRule& rule) {
  throw InvalidArgument(
      "Aggregate function '{}' of column '{}' does not support retraction, If you allow this function to ignore "
      "retraction messages, you can configure 'fields.{}.ignore-retract'='true'.",
      FunctionName(rule.merge.function), rule.name, rule.name);
}

inline const std::vector<MergeAction>& LaneOf(const ColumnRule& rule, const GroupSteps& steps) {
  return steps.lanes[static_cast<size_t>(rule.merge.group + 1)];
}

// Follows the steps of all groups. A kernel has Begin(), Add(row), AddOlder(row), Retract(row), RetractOlder(row),
// Set(row) and End().
template <typename Kernel>
void FollowSteps(const ColumnRule& rule, const GroupSteps& steps, Kernel& kernel) {
  const std::vector<MergeAction>& lane = LaneOf(rule, steps);
  uint32_t step = 0;
  if (lane.empty()) {
    for (const uint32_t end : steps.ends) {
      kernel.Begin();
      for (; step < end; ++step) kernel.Add(steps.rows[step]);
      kernel.End();
    }
    return;
  }
  const bool retracts = !rule.merge.ignore_retract;
  for (const uint32_t end : steps.ends) {
    kernel.Begin();
    for (; step < end; ++step) {
      const RowRef& row = steps.rows[step];
      switch (lane[step]) {
        case MergeAction::kSkip:
          break;
        case MergeAction::kAdd:
          kernel.Add(row);
          break;
        case MergeAction::kAddOlder:
          kernel.AddOlder(row);
          break;
        case MergeAction::kRetract:
          if (retracts) kernel.Retract(row);
          break;
        case MergeAction::kRetractOlder:
          if (retracts) kernel.RetractOlder(row);
          break;
        case MergeAction::kSet:
          kernel.Set(row);
          break;
      }
    }
    kernel.End();
  }
}

// A function whose kernel computes: Kernel(rule, sources) and Finish(), which gives the column.
template <typename Kernel>
class ComputedMerge final : public ColumnMerge {
 public:
  explicit ComputedMerge(const ColumnRule& rule) : rule_(rule) {}
  void Merge(ColumnSources sources, const GroupSteps& steps, GroupValues* out) override {
    Kernel kernel(rule_, sources);
    FollowSteps(rule_, steps, kernel);
    out->computed = kernel.Finish();
  }

 private:
  const ColumnRule& rule_;
};

}  // namespace mica
