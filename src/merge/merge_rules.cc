#include "merge/merge_rules.h"

#include <algorithm>
#include <map>

#include "base/error.h"

namespace mica {

std::shared_ptr<const MergeRules> MakeMergeRules(const MergeOptions& options, const TableSchema& schema,
                                                 std::span<const DataField> fields) {
  MergeRules rules{.engine = options.engine,
                   .ignore_delete = options.ignore_delete,
                   .remove_record_on_delete = options.remove_record_on_delete,
                   .has_sequence_groups = !options.groups.empty()};
  const std::vector<DataField> named(fields.begin(), fields.end());
  std::map<int, int> groups;  // of the options -> here
  for (const DataField& field : fields) {
    ColumnRule& column = rules.columns.emplace_back(ColumnRule{field.name, field.type, {}});
    column.merge.function = FieldFunction::kResultRow;
    if (field.name == kValueKind) {
      column.merge.function = FieldFunction::kResultKind;
      continue;
    }
    const int position = FindField(schema.fields, field.name);
    if (position < 0) continue;  // a key or the sequence number
    column.merge = options.fields[static_cast<size_t>(position)];
    if (column.merge.group < 0) continue;
    const auto [at, is_new] = groups.emplace(column.merge.group, static_cast<int>(rules.groups.size()));
    if (is_new) {
      const SequenceGroup& group = options.groups[static_cast<size_t>(column.merge.group)];
      GroupRule& rule = rules.groups.emplace_back();
      rule.removes_record = group.removes_record;
      for (const std::string& name : group.order) {
        const int order = FindField(named, name);
        MICA_CHECK(order >= 0);
        rule.columns.push_back(order);
        rule.types.push_back(named[static_cast<size_t>(order)].type);
      }
    }
    column.merge.group = at->second;
  }
  return std::make_shared<const MergeRules>(std::move(rules));
}

bool NewestCountsWithoutNulls(const MergeRules& rules, std::span<const int> columns) {
  if (rules.engine != MergeEngine::kPartialUpdate && rules.engine != MergeEngine::kAggregation) return false;
  if (!rules.groups.empty()) return false;
  return std::all_of(columns.begin(), columns.end(), [&](int column) {
    const FieldFunction function = rules.columns[static_cast<size_t>(column)].merge.function;
    return function == FieldFunction::kResultRow || function == FieldFunction::kResultKind ||
           function == FieldFunction::kLastValue || function == FieldFunction::kLastNonNullValue;
  });
}

bool ComputesOnCompactDecimals(const MergeRules& rules) {
  return std::any_of(rules.columns.begin(), rules.columns.end(), [](const ColumnRule& rule) {
    if (rule.type.root() != TypeRoot::kDecimal || !rule.type.IsCompactDecimal()) return false;
    switch (rule.merge.function) {
      case FieldFunction::kResultRow:
      case FieldFunction::kGroupOrder:
      case FieldFunction::kGroupField:
      case FieldFunction::kLastValue:
      case FieldFunction::kLastNonNullValue:
      case FieldFunction::kFirstValue:
      case FieldFunction::kFirstNonNullValue:
        return false;
      default:
        return true;
    }
  });
}

std::vector<DataField> WithOrderingColumns(const MergeOptions& options, const TableSchema& schema,
                                           std::vector<DataField> fields) {
  for (const SequenceGroup& group : options.groups) {
    bool wanted = false;
    for (const DataField& field : fields) {
      const int position = FindField(schema.fields, field.name);
      if (position < 0) continue;
      const int own = options.fields[static_cast<size_t>(position)].group;
      wanted = wanted || (own >= 0 && &options.groups[static_cast<size_t>(own)] == &group);
    }
    // Whether a delete removes the row depends on this group, whatever is read.
    if (!wanted && !group.removes_record) continue;
    for (const std::string& name : group.order) {
      if (FindField(fields, name) < 0) fields.push_back(schema.Field(name));
    }
  }
  return fields;
}

}  // namespace mica
