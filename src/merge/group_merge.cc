#include "merge/group_merge.h"

#include <cstring>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/type.h>

#include "base/arrow.h"
#include "base/error.h"
#include "merge/gather.h"
#include "merge/run_cursor.h"

namespace mica {
namespace {

bool IsResult(FieldFunction function) {
  return function == FieldFunction::kResultRow || function == FieldFunction::kResultKind;
}

// `rows` with each group replaced by the row picked for it; NULLs are rows of the source `null_source`.
void ReplaceGroups(std::span<const Segment> rows, std::span<const RowRef> picks, uint32_t null_source,
                   std::vector<Segment>* out) {
  out->clear();
  for (const Segment& segment : rows) {
    if (segment.source != KeyGroups::kGroups) {
      out->push_back(segment);
      continue;
    }
    for (const RowRef& pick : picks.subspan(segment.start, segment.length)) {
      if (pick.source == kNullSource) {
        out->push_back({null_source, 0, 1});
      } else {
        AppendSegment(pick.source, pick.row, int64_t{pick.row} + 1, out);
      }
    }
  }
}

}  // namespace

GroupMerge::GroupMerge(std::shared_ptr<const MergeRules> rules)
    : rules_(std::move(rules)), layouts_(OrderLayouts(*rules_)), steps_(rules_.get()) {
  for (const ColumnRule& rule : rules_->columns) {
    columns_.push_back(IsResult(rule.merge.function) ? nullptr : MakeColumnMerge(rule));
  }
}

GroupMerge::~GroupMerge() = default;

void GroupMerge::Start(const KeyGroups& groups, std::span<const StepSource> sources, bool drop_deletes) {
  sources_ = sources;
  made_ = &steps_.Make(groups, sources);
  rows_.clear();
  for (const Segment& segment : groups.segments) {
    if (segment.source != KeyGroups::kGroups) {
      rows_.push_back(segment);
      continue;
    }
    for (uint32_t group = segment.start; group < segment.start + segment.length; ++group) {
      const int8_t kind = made_->kinds[group];
      if (kind == GroupSteps::kNoRow || (drop_deletes && IsRetract(kind))) continue;
      AppendSegment(KeyGroups::kGroups, group, int64_t{group} + 1, &rows_);
    }
  }
  row_count_ = CountRows(rows_);
  if (rules_->refuse_lone_retracts) CheckLoneRows(sources);
  ReplaceGroups(rows_, made_->results, 0, &result_rows_);
}

void GroupMerge::CheckLoneRows(std::span<const StepSource> sources) const {
  for (const Segment& segment : rows_) {
    if (segment.source == KeyGroups::kGroups) continue;
    const int8_t* kinds = sources[segment.source].kinds;
    if (kinds == nullptr || FindRetract(kinds, segment.start, segment.start + segment.length) ==
                                int64_t{segment.start} + segment.length) {
      continue;
    }
    throw InvalidArgument(
        "By default, First row merge engine can not accept DELETE/UPDATE_BEFORE records. You can config "
        "'ignore-delete' to ignore the DELETE/UPDATE_BEFORE records.");
  }
}

std::shared_ptr<arrow::Array> GroupMerge::Kinds() const {
  std::shared_ptr<arrow::Buffer> buffer = Take(arrow::AllocateBuffer(row_count_));
  uint8_t* out = buffer->mutable_data();
  for (const Segment& segment : rows_) {
    const int8_t* from = segment.source == KeyGroups::kGroups ? made_->kinds.data() : sources_[segment.source].kinds;
    if (from == nullptr) {
      std::memset(out, 0, segment.length);
    } else {
      std::memcpy(out, from + segment.start, segment.length);
    }
    out += segment.length;
  }
  return arrow::MakeArray(arrow::ArrayData::Make(arrow::int8(), row_count_, {nullptr, std::move(buffer)}, 0));
}

std::shared_ptr<arrow::Array> GroupMerge::Column(size_t column, ColumnSources sources,
                                                 const std::shared_ptr<arrow::DataType>& type) {
  const FieldFunction function = rules_->columns[column].merge.function;
  if (function == FieldFunction::kResultKind) return Kinds();
  if (function == FieldFunction::kResultRow || made_->group_count() == 0) {
    return GatherColumn(sources, result_rows_, row_count_, type);
  }
  values_.picks.clear();
  values_.computed.reset();
  columns_[column]->Merge(sources, *made_, &values_);
  std::vector<const arrow::Array*> all(sources.begin(), sources.end());
  const auto own_source = static_cast<uint32_t>(all.size());
  std::shared_ptr<arrow::Array> null;
  if (values_.computed != nullptr) {
    all.push_back(values_.computed.get());
    picked_rows_ = rows_;
    for (Segment& segment : picked_rows_) {
      if (segment.source == KeyGroups::kGroups) segment.source = own_source;
    }
  } else {
    ReplaceGroups(rows_, values_.picks, own_source, &picked_rows_);
    bool nulls = false;
    for (const RowRef& pick : values_.picks) nulls = nulls || pick.source == kNullSource;
    if (nulls) null = Take(arrow::MakeArrayOfNull(type, 1));
    all.push_back(null.get());
  }
  return GatherColumn(all, picked_rows_, row_count_, type);
}

}  // namespace mica
