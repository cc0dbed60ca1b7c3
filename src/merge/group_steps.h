// The row-wise half of a merge engine (Engine 3.2 to 3.5): which rows of a group count, in what way, for which columns,
// and which kind the result has. The columns then follow these steps on their own (column_merge.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "merge/key_layout.h"
#include "merge/merge_rules.h"
#include "merge/run_merge.h"

namespace mica {

// What a row does to a column's value so far.
enum class MergeAction : uint8_t {
  kSkip,
  kAdd,           // is newer
  kAddOlder,      // is older, by its sequence group
  kRetract,       // -U or -D, newer
  kRetractOlder,  // -U or -D, older
  kSet,           // the row's value takes the place of all before it
};

// Steps of all groups of a batch. Lane 0 is for columns outside sequence groups, lane g + 1 for those of group g.
struct GroupSteps {
  std::span<const RowRef> rows;
  std::span<const uint32_t> ends;                // of each group
  std::vector<std::vector<MergeAction>> lanes;  // an empty lane: every step is kAdd

  // The row whose sequence number the result takes, and the result's kind; kNoRow: the group has no result.
  std::vector<RowRef> results;
  std::vector<int8_t> kinds;
  static constexpr int8_t kNoRow = -1;

  size_t group_count() const { return ends.size(); }
};

// What the engines look at of a source of rows.
struct StepSource {
  const int8_t* kinds = nullptr;             // nullptr: all are inserts
  std::vector<KeyRows> group_orders;  // the ordering columns of each sequence group, see OrderLayouts
};

// How the ordering columns of each group are encoded.
std::vector<KeyLayout> OrderLayouts(const MergeRules& rules);

class StepMaker {
 public:
  explicit StepMaker(const MergeRules* rules);

  // The result refers to `groups` and to this object until the next call. Throws InvalidArgument for retracts that the
  // engine does not take.
  const GroupSteps& Make(const KeyGroups& groups, std::span<const StepSource> sources);

 private:
  using Source = std::span<const StepSource>;
  void ChooseRows(const KeyGroups& groups, Source sources);
  void Aggregate(const KeyGroups& groups, Source sources);
  void UpdatePartially(const KeyGroups& groups, Source sources);
  class PartialUpdate;

  const MergeRules* rules_;
  std::vector<KeyLayout> layouts_;
  std::vector<EncodedRows> nulls_;  // a row of NULLs for each group
  GroupSteps steps_;
  // Where a group has more steps than rows.
  std::vector<RowRef> rows_;
  std::vector<uint32_t> ends_;
};

}  // namespace mica
