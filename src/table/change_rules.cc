#include "table/change_rules.h"

#include <algorithm>

#include "base/text.h"
#include "meta/merge_options.h"
#include "meta/table_options.h"

namespace mica {

namespace {

ChangeRules::Column ColumnOf(const FieldMerge& field) {
  switch (field.function) {
    case FieldFunction::kResultRow:
    case FieldFunction::kResultKind:
    case FieldFunction::kLastValue: return ChangeRules::Column::kPlain;
    case FieldFunction::kLastNonNullValue: return ChangeRules::Column::kNotNull;
    case FieldFunction::kGroupOrder:
    case FieldFunction::kGroupField: return ChangeRules::Column::kGroup;
    default: return ChangeRules::Column::kAggregated;
  }
}

}  // namespace

ChangeRules::ChangeRules(const TableSchema& schema)
    : schema_(schema), columns_(schema.fields.size(), Column::kPlain), orders_(schema.fields.size()) {
  if (!schema.has_primary_key()) return;
  const TableOptions options(schema.options);
  engine_ = ToLower(options.Text("merge-engine", "deduplicate"));
  const MergeOptions merge = MergeOptionsOf(schema);
  if (merge.ignore_delete) {
    keeps_rows_ = "'ignore-delete' = 'true' drops deletions";
  }
  switch (merge.engine) {
    case MergeEngine::kDeduplicate: return;
    case MergeEngine::kPartialUpdate: {
      const bool removes = merge.remove_record_on_delete ||
                           std::any_of(merge.groups.begin(), merge.groups.end(),
                                       [](const SequenceGroup& group) { return group.removes_record; });
      if (!removes && keeps_rows_.empty()) {
        keeps_rows_ = "'merge-engine' = 'partial-update' takes deletions only with 'partial-update.remove-record-on-delete' = "
                      "'true' or 'partial-update.remove-record-on-sequence-group'";
      }
      for (size_t i = 0; i < columns_.size(); ++i) {
        const FieldMerge& field = merge.fields[i];
        columns_[i] = ColumnOf(field);
        if (field.group < 0) continue;
        orders_[i] = merge.groups[static_cast<size_t>(field.group)].order;
      }
      return;
    }
    case MergeEngine::kAggregation:
      takes_updates_ = false;
      if (!merge.remove_record_on_delete && keeps_rows_.empty()) {
        keeps_rows_ = "'merge-engine' = 'aggregation' takes deletions only with 'aggregation.remove-record-on-delete' = 'true'";
      }
      return;
    case MergeEngine::kFirstRow:
      takes_updates_ = false;
      keeps_rows_ = "'merge-engine' = 'first-row' keeps the first row of a key";
      return;
  }
}

void ChangeRules::CheckDelete(const std::string& table) const {
  if (keeps_rows_.empty()) return;
  throw Unsupported("Cannot delete rows of table '{}': {}. Whole partitions can be dropped, and INSERT OVERWRITE replaces rows",
                    table, keeps_rows_);
}

void ChangeRules::CheckUpdate(const std::string& table, const std::vector<size_t>& columns) const {
  if (!takes_updates_) {
    throw Unsupported("Cannot update rows of table '{}': with 'merge-engine' = '{}' a new value does not replace the old one. "
                      "INSERT OVERWRITE replaces rows", table, engine_);
  }
  for (size_t column : columns) {
    if (columns_[column] != Column::kAggregated) continue;
    throw Unsupported("Cannot update column '{}' of table '{}': its aggregate function would combine the new value with the "
                      "old one", schema_.fields[column].name, table);
  }
}

}  // namespace mica
