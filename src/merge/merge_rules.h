// A table's merge options (meta/merge_options.h) for batches of certain columns, by position: what a merge does with
// each. Immutable.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "meta/merge_options.h"
#include "meta/table_schema.h"

namespace mica {

struct ColumnRule {
  std::string name;
  DataType type;
  FieldMerge merge;
};

struct GroupRule {
  std::vector<int> columns;  // ordering columns
  std::vector<DataType> types;
  bool removes_record = false;
};

struct MergeRules {
  MergeEngine engine = MergeEngine::kDeduplicate;
  bool ignore_delete = false;
  bool remove_record_on_delete = false;
  // First-row while compacting: a retract is an error even where its key has no second row (Engine 3.3).
  bool refuse_lone_retracts = false;
  bool has_sequence_groups = false;  // of the table; they take retracts
  std::vector<GroupRule> groups;     // those that some column here belongs to
  std::vector<ColumnRule> columns;   // of the batches, in their order
};

// Whether a row that is newer than all others of its key is the key's result for the columns at these positions, if only
// none of them is NULL and all rows are inserts.
bool NewestCountsWithoutNulls(const MergeRules& rules, std::span<const int> columns);

// Whether a function computes on decimals of up to 18 digits, which it takes as 16 bytes each.
bool ComputesOnCompactDecimals(const MergeRules& rules);

// `fields` are the batches' columns: columns of the table, `_KEY_<column>`, `_SEQUENCE_NUMBER`, `_VALUE_KIND`.
std::shared_ptr<const MergeRules> MakeMergeRules(const MergeOptions& options, const TableSchema& schema,
                                                 std::span<const DataField> fields);

// `fields` and behind them the ordering columns of sequence groups that some of them belong to.
std::vector<DataField> WithOrderingColumns(const MergeOptions& options, const TableSchema& schema,
                                           std::vector<DataField> fields);

}  // namespace mica
