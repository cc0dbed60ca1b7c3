#include "merge/group_steps.h"

#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/arrow.h"
#include "base/error.h"
#include "types/arrow_types.h"

namespace mica {
namespace {

constexpr int8_t kInsert = 0;
constexpr int8_t kDelete = 3;

int8_t KindOf(std::span<const StepSource> sources, const RowRef& row) {
  const int8_t* kinds = sources[row.source].kinds;
  return kinds == nullptr ? kInsert : kinds[row.row];
}

bool HasKinds(std::span<const StepSource> sources) {
  for (const StepSource& source : sources) {
    if (source.kinds != nullptr) return true;
  }
  return false;
}

bool HasRetracts(const KeyGroups& groups, std::span<const StepSource> sources) {
  if (!HasKinds(sources)) return false;
  for (const RowRef& row : groups.rows) {
    if (IsRetract(KindOf(sources, row))) return true;
  }
  return false;
}

}  // namespace

std::vector<KeyLayout> OrderLayouts(const MergeRules& rules) {
  std::vector<KeyLayout> layouts;
  for (const GroupRule& group : rules.groups) {
    layouts.push_back(KeyLayout::ForSequence(group.types, /*ascending=*/true));
  }
  return layouts;
}

StepMaker::StepMaker(const MergeRules* rules) : rules_(rules), layouts_(OrderLayouts(*rules)) {
  for (size_t g = 0; g < layouts_.size(); ++g) {
    arrow::FieldVector fields;
    arrow::ArrayVector columns;
    std::vector<int> positions;
    for (const DataType& type : rules->groups[g].types) {
      positions.push_back(static_cast<int>(fields.size()));
      fields.push_back(arrow::field("order", ToArrowType(type)));
      columns.push_back(Take(arrow::MakeArrayOfNull(fields.back()->type(), 1)));
    }
    nulls_.emplace_back();
    layouts_[g].Encode(*arrow::RecordBatch::Make(arrow::schema(std::move(fields)), 1, std::move(columns)), positions,
                       &nulls_.back());
  }
}

const GroupSteps& StepMaker::Make(const KeyGroups& groups, Source sources) {
  steps_.rows = groups.rows;
  steps_.ends = groups.ends;
  steps_.lanes.resize(rules_->groups.size() + 1);
  for (auto& lane : steps_.lanes) lane.clear();
  steps_.results.clear();
  steps_.kinds.clear();
  switch (rules_->engine) {
    case MergeEngine::kDeduplicate:
    case MergeEngine::kFirstRow:
      ChooseRows(groups, sources);
      break;
    case MergeEngine::kAggregation:
      Aggregate(groups, sources);
      break;
    case MergeEngine::kPartialUpdate:
      UpdatePartially(groups, sources);
      break;
  }
  return steps_;
}

// Deduplicate with `ignore-delete`, first-row.
void StepMaker::ChooseRows(const KeyGroups& groups, Source sources) {
  const bool first = rules_->engine == MergeEngine::kFirstRow;
  for (size_t i = 0; i < groups.group_count(); ++i) {
    const RowRef* chosen = nullptr;
    const std::span<const RowRef> rows = groups.group(i);
    for (const RowRef& row : rows) {
      if (IsRetract(KindOf(sources, row))) {
        if (rules_->ignore_delete) continue;
        if (first) {
          throw InvalidArgument(
              "By default, First row merge engine can not accept DELETE/UPDATE_BEFORE records. You can config "
              "'ignore-delete' to ignore the DELETE/UPDATE_BEFORE records.");
        }
      }
      if (chosen == nullptr || !first) chosen = &row;
    }
    steps_.results.push_back(chosen == nullptr ? rows.back() : *chosen);
    steps_.kinds.push_back(chosen == nullptr ? GroupSteps::kNoRow : KindOf(sources, *chosen));
  }
}

void StepMaker::Aggregate(const KeyGroups& groups, Source sources) {
  for (size_t i = 0; i < groups.group_count(); ++i) steps_.results.push_back(groups.group(i).back());
  steps_.kinds.assign(groups.group_count(), kInsert);
  if (!HasRetracts(groups, sources)) return;
  std::vector<MergeAction>& lane = steps_.lanes[0];
  lane.reserve(groups.rows.size());
  const bool removes = rules_->remove_record_on_delete;
  for (const RowRef& row : groups.rows) {
    const int8_t kind = KindOf(sources, row);
    lane.push_back(!IsRetract(kind)             ? MergeAction::kAdd
                   : removes && kind == kDelete ? MergeAction::kSet
                                                : MergeAction::kRetract);
  }
  if (!removes) return;
  for (size_t i = 0; i < groups.group_count(); ++i) {
    if (KindOf(sources, groups.group(i).back()) == kDelete) steps_.kinds[i] = kDelete;
  }
}

// One group at a time: decides for each row and each sequence group.
class StepMaker::PartialUpdate {
 public:
  PartialUpdate(StepMaker* maker, Source sources) : maker_(*maker), rules_(*maker->rules_), sources_(sources) {
    current_.resize(rules_.groups.size());
  }

  void Group(std::span<const RowRef> rows) {
    for (auto& current : current_) current = nullptr;
    filled_ = inserted_ = false;
    RowRef result = rows.back();
    bool deleted = false;
    for (const RowRef& row : rows) {
      const int8_t kind = KindOf(sources_, row);
      deleted = false;
      if (IsRetract(kind)) {
        if (!filled_) Set(row);
        filled_ = true;
        if (rules_.ignore_delete) continue;
        result = row;
        deleted = Retract(row, kind == kDelete);
        continue;
      }
      result = row;
      Insert(row);
      inserted_ = filled_ = true;
    }
    maker_.steps_.results.push_back(result);
    maker_.steps_.kinds.push_back(deleted || !inserted_ ? kDelete : kInsert);
    maker_.ends_.push_back(static_cast<uint32_t>(maker_.rows_.size()));
  }

 private:
  std::vector<MergeAction>& lane(size_t g) { return maker_.steps_.lanes[g + 1]; }

  // Every column takes the row's value.
  void Set(const RowRef& row) {
    maker_.rows_.push_back(row);
    maker_.steps_.lanes[0].push_back(MergeAction::kSet);
    for (size_t g = 0; g < current_.size(); ++g) {
      lane(g).push_back(MergeAction::kSet);
      current_[g] = &row;
    }
  }

  enum class Age { kEmpty, kOlder, kNewer };

  // The row's ordering columns beside those of the result so far; equal ones count as newer.
  Age AgeOf(size_t g, const RowRef& row) const {
    const KeyLayout& layout = maker_.layouts_[g];
    const KeyRows nulls = maker_.nulls_[g].rows();
    const KeyRows own = sources_[row.source].group_orders[g];
    if (layout.Compare(own, row.row, nulls, 0) == 0) return Age::kEmpty;
    if (current_[g] == nullptr) return Age::kNewer;
    const KeyRows& other = sources_[current_[g]->source].group_orders[g];
    return layout.Compare(own, row.row, other, current_[g]->row) >= 0 ? Age::kNewer : Age::kOlder;
  }

  void Insert(const RowRef& row) {
    maker_.rows_.push_back(row);
    maker_.steps_.lanes[0].push_back(MergeAction::kAdd);
    for (size_t g = 0; g < current_.size(); ++g) {
      const Age age = AgeOf(g, row);
      lane(g).push_back(age == Age::kEmpty   ? MergeAction::kSkip
                        : age == Age::kOlder ? MergeAction::kAddOlder
                                             : MergeAction::kAdd);
      if (age == Age::kNewer) current_[g] = &row;
    }
  }

  // Returns whether the record is removed.
  bool Retract(const RowRef& row, bool is_delete) {
    if (!rules_.has_sequence_groups) {
      if (!rules_.remove_record_on_delete) {
        throw InvalidArgument(
            "By default, Partial update can not accept delete records, you can choose one of the following solutions: "
            "1. Configure 'ignore-delete' to ignore delete records. 2. Configure "
            "'partial-update.remove-record-on-delete' to remove the whole row when receiving delete records. 3. "
            "Configure 'sequence-group's to retract partial columns. Also configure "
            "'partial-update.remove-record-on-sequence-group' to remove the whole row when receiving deleted records "
            "of `specified sequence group`.");
      }
      if (is_delete) Set(row);
      return is_delete;
    }
    ages_.clear();
    for (size_t g = 0; g < current_.size(); ++g) {
      ages_.push_back(AgeOf(g, row));
      if (is_delete && rules_.groups[g].removes_record && ages_[g] == Age::kNewer) {
        Set(row);
        return true;
      }
    }
    maker_.rows_.push_back(row);
    maker_.steps_.lanes[0].push_back(MergeAction::kSkip);
    for (size_t g = 0; g < current_.size(); ++g) {
      lane(g).push_back(ages_[g] == Age::kEmpty   ? MergeAction::kSkip
                        : ages_[g] == Age::kOlder ? MergeAction::kRetractOlder
                                                  : MergeAction::kRetract);
      if (ages_[g] == Age::kNewer) current_[g] = &row;
    }
    return false;
  }

  StepMaker& maker_;
  const MergeRules& rules_;
  Source sources_;
  std::vector<const RowRef*> current_;  // whose ordering columns the result has; nullptr: NULLs
  std::vector<Age> ages_;
  bool filled_ = false;
  bool inserted_ = false;
};

void StepMaker::UpdatePartially(const KeyGroups& groups, Source sources) {
  if (rules_->groups.empty() && !HasRetracts(groups, sources)) {
    for (size_t i = 0; i < groups.group_count(); ++i) steps_.results.push_back(groups.group(i).back());
    steps_.kinds.assign(groups.group_count(), kInsert);
    return;
  }
  rows_.clear();
  ends_.clear();
  PartialUpdate update(this, sources);
  for (size_t i = 0; i < groups.group_count(); ++i) update.Group(groups.group(i));
  steps_.rows = rows_;
  steps_.ends = ends_;
}

}  // namespace mica
