#include "meta/merge_options.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "meta/table_options.h"

namespace mica {
namespace {

struct Named {
  std::string_view name;
  FieldFunction function;
};

constexpr std::array kFunctions = {
    Named{"sum", FieldFunction::kSum},
    Named{"product", FieldFunction::kProduct},
    Named{"max", FieldFunction::kMax},
    Named{"min", FieldFunction::kMin},
    Named{"last_value", FieldFunction::kLastValue},
    Named{"last_non_null_value", FieldFunction::kLastNonNullValue},
    Named{"first_value", FieldFunction::kFirstValue},
    Named{"first_non_null_value", FieldFunction::kFirstNonNullValue},
    Named{"first_not_null_value", FieldFunction::kFirstNonNullValue},
    Named{"listagg", FieldFunction::kListagg},
    Named{"bool_and", FieldFunction::kBoolAnd},
    Named{"bool_or", FieldFunction::kBoolOr},
    Named{"collect", FieldFunction::kCollect},
    Named{"merge_map", FieldFunction::kMergeMap},
    Named{"merge_map_with_keytime", FieldFunction::kMergeMapWithKeyTime},
    Named{"nested_update", FieldFunction::kNestedUpdate},
    Named{"nested_partial_update", FieldFunction::kNestedPartialUpdate},
    Named{"rbm32", FieldFunction::kRoaringBitmap32},
    Named{"rbm64", FieldFunction::kRoaringBitmap64},
    Named{"theta_sketch", FieldFunction::kThetaSketch},
    Named{"hll_sketch", FieldFunction::kHllSketch},
    Named{"primary-key", FieldFunction::kResultRow},
};

bool Holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Names the option that chose the function of a column.
std::string OptionOf(const TableOptions& options, const std::string& column) {
  const std::string own = "fields." + column + ".aggregate-function";
  return options.Find(own) ? own : "fields.default-aggregate-function";
}

class FieldReader {
 public:
  FieldReader(const TableOptions& options, const DataField& field) : options_(options), field_(field) {}

  FieldMerge Read(const std::string& name) const {
    FieldMerge merge;
    merge.function = Function(name);
    merge.ignore_retract = options_.Bool(Key("ignore-retract"), false);
    merge.distinct = options_.Bool(Key("distinct"), false);
    merge.delimiter = options_.Text(Key("list-agg-delimiter"), ",");
    merge.count_limit = options_.Integer(Key("count-limit"), INT32_MAX);
    CheckType(merge.function);
    if (merge.function == FieldFunction::kNestedUpdate || merge.function == FieldFunction::kNestedPartialUpdate) {
      for (const std::string& part : SplitList(options_.Text(Key("nested-key"), ""), ',')) {
        merge.nested_key.push_back(NestedField(field_.type.element(), std::string(Trim(part)), Key("nested-key")));
      }
      if (merge.nested_key.empty() && merge.function == FieldFunction::kNestedPartialUpdate) {
        throw InvalidArgument("The aggregate function 'nested_partial_update' of column '{}' needs '{}'", field_.name,
                              Key("nested-key"));
      }
    }
    if (merge.function == FieldFunction::kMergeMapWithKeyTime) {
      const DataType& row = field_.type.value();
      merge.time_field = static_cast<int>(row.fields().size()) - 1;
      const auto given = options_.Find(Key("ts-field"));
      if (given) merge.time_field = NestedField(row, *given, Key("ts-field"));
      const DataField& time = row.fields()[static_cast<size_t>(merge.time_field)];
      if (!time.type.IsString()) {
        throw InvalidArgument("The time field '{}' of column '{}' must be STRING but is {}: name another by '{}'",
                              time.name, field_.name, time.type.ToString(), Key("ts-field"));
      }
    }
    return merge;
  }

 private:
  std::string Key(std::string_view word) const { return "fields." + field_.name + "." + std::string(word); }

  FieldFunction Function(const std::string& name) const {
    for (const Named& known : kFunctions) {
      if (known.name == name) return known.function;
    }
    std::vector<std::string> names;
    for (const Named& known : kFunctions) names.emplace_back(known.name);
    throw InvalidArgument("Unknown aggregate function '{}' in '{}'{}. Known are: [{}]", name,
                          OptionOf(options_, field_.name), DidYouMean(name, names), Join(names, ", "));
  }

  int NestedField(const DataType& row, const std::string& name, const std::string& key) const {
    const int position = FindField(row.fields(), name);
    if (position < 0) {
      std::vector<std::string> names;
      for (const DataField& field : row.fields()) names.push_back(field.name);
      throw InvalidArgument("'{}' names '{}', which is not a field of column '{}': [{}]", key, name, field_.name,
                            Join(names, ", "));
    }
    return position;
  }

  void CheckType(FieldFunction function) const {
    const DataType& type = field_.type;
    const TypeRoot root = type.root();
    const auto need = [&](bool fits, std::string_view what) {
      if (fits) return;
      throw InvalidArgument("The aggregate function '{}' ('{}') needs {}, but column '{}' is {}",
                            FunctionName(function), OptionOf(options_, field_.name), what, field_.name,
                            type.ToString());
    };
    switch (function) {
      case FieldFunction::kSum:
      case FieldFunction::kProduct:
        return need(root >= TypeRoot::kDecimal && root <= TypeRoot::kDouble, "a number");
      case FieldFunction::kMax:
      case FieldFunction::kMin:
        return need(type.IsPrimitive() && root != TypeRoot::kBoolean, "a type with an order");
      case FieldFunction::kListagg:
        return need(root == TypeRoot::kVarchar && type.length() == DataType::kMaxLength, "STRING");
      case FieldFunction::kBoolAnd:
      case FieldFunction::kBoolOr:
        return need(root == TypeRoot::kBoolean, "BOOLEAN");
      case FieldFunction::kCollect:
        return need(root == TypeRoot::kArray, "an ARRAY");
      case FieldFunction::kMergeMap:
        return need(root == TypeRoot::kMap, "a MAP");
      case FieldFunction::kMergeMapWithKeyTime:
        return need(root == TypeRoot::kMap && type.value().root() == TypeRoot::kRow &&
                        type.value().fields().size() >= 2,
                    "a MAP whose values are ROWs of at least two fields");
      case FieldFunction::kNestedUpdate:
      case FieldFunction::kNestedPartialUpdate:
        return need(root == TypeRoot::kArray && type.element().root() == TypeRoot::kRow, "an ARRAY of ROWs");
      case FieldFunction::kRoaringBitmap32:
      case FieldFunction::kRoaringBitmap64:
        return need(root == TypeRoot::kVarbinary, "VARBINARY");
      case FieldFunction::kThetaSketch:
      case FieldFunction::kHllSketch:
        need(root == TypeRoot::kVarbinary, "VARBINARY");
        throw Unsupported("The aggregate function '{}' of column '{}' ('{}') is not supported yet",
                          FunctionName(function), field_.name, OptionOf(options_, field_.name));
      default:
        return;
    }
  }

  const TableOptions& options_;
  const DataField& field_;
};

MergeEngine EngineOf(const TableOptions& options) {
  const std::string name = ToLower(options.Text("merge-engine", "deduplicate"));
  if (name == "deduplicate") return MergeEngine::kDeduplicate;
  if (name == "partial-update") return MergeEngine::kPartialUpdate;
  if (name == "aggregation") return MergeEngine::kAggregation;
  if (name == "first-row") return MergeEngine::kFirstRow;
  throw InvalidArgument("Could not parse value '{}' for key 'merge-engine'.", name);
}

std::optional<std::string> FunctionOf(const TableOptions& options, const std::string& column) {
  if (auto own = options.Find("fields." + column + ".aggregate-function")) return own;
  return options.Find("fields.default-aggregate-function");
}

void ReadAggregation(const TableSchema& schema, const TableOptions& options, MergeOptions* merge) {
  merge->remove_record_on_delete = options.Bool("aggregation.remove-record-on-delete", false);
  for (size_t i = 0; i < schema.fields.size(); ++i) {
    const DataField& field = schema.fields[i];
    FieldMerge& rule = merge->fields[i];
    if (Holds(merge->sequence_fields, field.name)) {
      rule.function = FieldFunction::kLastValue;
      rule.ignore_retract = options.Bool("fields." + field.name + ".ignore-retract", false);
    } else if (Holds(schema.primary_keys, field.name)) {
      rule.function = FieldFunction::kResultRow;
    } else {
      rule = FieldReader(options, field).Read(FunctionOf(options, field.name).value_or("last_non_null_value"));
    }
    if (rule.ignore_retract && merge->remove_record_on_delete) {
      throw InvalidArgument(
          "aggregation.remove-record-on-delete and fields.{}.ignore-retract have conflicting behavior so should not be "
          "enabled at the same time.",
          field.name);
    }
  }
}

void ReadGroups(const TableSchema& schema, const TableOptions& options, MergeOptions* merge) {
  constexpr std::string_view kSuffix = ".sequence-group";
  const auto removing = SplitList(options.Text("partial-update.remove-record-on-sequence-group", ""), ',');
  const auto known = [&](const std::string& column) { return FindField(schema.fields, column) >= 0; };
  const auto claim = [&](const std::string& column, const std::string& key) -> FieldMerge& {
    const int position = FindField(schema.fields, column);
    if (Holds(schema.primary_keys, column)) {
      throw InvalidArgument("The primary key column '{}' cannot be part of a sequence group ('{}')", column, key);
    }
    FieldMerge& rule = merge->fields[static_cast<size_t>(position)];
    const int group = static_cast<int>(merge->groups.size()) - 1;
    if (rule.group >= 0 && rule.group != group) {
      throw InvalidArgument("Field {} is defined repeatedly by multiple groups: '{}' is one of them.", column, key);
    }
    rule.group = group;
    return rule;
  };
  for (const auto& [key, value] : options.raw()) {
    if (!key.starts_with("fields.") || !key.ends_with(kSuffix)) continue;
    const auto order = SplitList(key.substr(7, key.size() - 7 - kSuffix.size()), ',');
    // A schema of the past may not have all columns of today's options (what is created is checked before).
    if (!std::all_of(order.begin(), order.end(), known)) continue;
    SequenceGroup& group = merge->groups.emplace_back();
    group.order = order;
    for (const std::string& column : SplitList(value, ',')) {
      if (known(column)) claim(column, key).function = FieldFunction::kGroupField;
    }
    for (const std::string& column : group.order) {
      claim(column, key).function = FieldFunction::kGroupOrder;
      group.removes_record = group.removes_record || Holds(removing, column);
    }
  }
}

void ReadPartialUpdate(const TableSchema& schema, const TableOptions& options, MergeOptions* merge) {
  merge->remove_record_on_delete = options.Bool("partial-update.remove-record-on-delete", false);
  ReadGroups(schema, options, merge);
  for (size_t i = 0; i < schema.fields.size(); ++i) {
    const DataField& field = schema.fields[i];
    FieldMerge& rule = merge->fields[i];
    if (rule.function == FieldFunction::kGroupOrder) continue;
    if (Holds(schema.primary_keys, field.name)) {
      rule.function = FieldFunction::kResultRow;
      continue;
    }
    const auto name = FunctionOf(options, field.name);
    if (!name) continue;
    const int group = rule.group;
    FieldMerge aggregated = FieldReader(options, field).Read(*name);
    if (group < 0 && aggregated.function != FieldFunction::kLastNonNullValue) {
      throw InvalidArgument("Must use sequence group for aggregation functions but not found for field {} ('{}').",
                            field.name, OptionOf(options, field.name));
    }
    if (aggregated.function == FieldFunction::kResultRow) aggregated.function = FieldFunction::kGroupOrder;
    rule = std::move(aggregated);
    rule.group = group;
  }
}

}  // namespace

std::string_view FunctionName(FieldFunction function) {
  for (const Named& known : kFunctions) {
    if (known.function == function) return known.name;
  }
  return "(none)";
}

bool TakesRetracts(FieldFunction function) {
  switch (function) {
    case FieldFunction::kFirstValue:
    case FieldFunction::kFirstNonNullValue:
    case FieldFunction::kMax:
    case FieldFunction::kMin:
    case FieldFunction::kListagg:
    case FieldFunction::kBoolAnd:
    case FieldFunction::kBoolOr:
    case FieldFunction::kMergeMapWithKeyTime:
    case FieldFunction::kNestedPartialUpdate:
    case FieldFunction::kRoaringBitmap32:
    case FieldFunction::kRoaringBitmap64:
    case FieldFunction::kThetaSketch:
    case FieldFunction::kHllSketch:
      return false;
    default:
      return true;
  }
}

std::string MergeOptions::WhyNoRetract(const TableSchema& schema, bool deletes) const {
  if (ignore_delete) return {};
  switch (engine) {
    case MergeEngine::kDeduplicate:
      return {};
    case MergeEngine::kFirstRow:
      return "By default, First row merge engine can not accept DELETE/UPDATE_BEFORE records. You can config "
             "'ignore-delete' to ignore the DELETE/UPDATE_BEFORE records.";
    case MergeEngine::kPartialUpdate:
      if (!groups.empty() || remove_record_on_delete) return {};
      return "By default, Partial update can not accept delete records, you can choose one of the following solutions: "
             "1. Configure 'ignore-delete' to ignore delete records. 2. Configure "
             "'partial-update.remove-record-on-delete' to remove the whole row when receiving delete records. 3. "
             "Configure 'sequence-group's to retract partial columns. Also configure "
             "'partial-update.remove-record-on-sequence-group' to remove the whole row when receiving deleted records "
             "of `specified sequence group`.";
    case MergeEngine::kAggregation:
      if (deletes && remove_record_on_delete) return {};
      for (size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].ignore_retract || TakesRetracts(fields[i].function)) continue;
        return fmt::format(
            "Aggregate function '{}' of column '{}' does not support retraction, If you allow this function to ignore "
            "retraction messages, you can configure 'fields.{}.ignore-retract'='true'.",
            FunctionName(fields[i].function), schema.fields[i].name, schema.fields[i].name);
      }
      return {};
  }
  return {};
}

MergeOptions MergeOptionsOf(const TableSchema& schema) {
  const TableOptions options(schema.options);
  MergeOptions merge;
  merge.engine = EngineOf(options);
  merge.ignore_delete = options.Bool("ignore-delete", false);
  merge.ignore_update_before = options.Bool("ignore-update-before", false);
  for (const std::string& name : SplitList(options.Text("sequence.field", ""), ',')) {
    if (FindField(schema.fields, name) >= 0) merge.sequence_fields.push_back(name);
  }
  const std::string order = ToLower(options.Text("sequence.field.sort-order", "ascending"));
  if (order != "ascending" && order != "descending") {
    throw InvalidArgument(
        "Could not parse value '{}' for key 'sequence.field.sort-order'. Expected one of: [ascending, descending]",
        order);
  }
  merge.sequence_ascending = order == "ascending";
  merge.fields.resize(schema.fields.size());
  switch (merge.engine) {
    case MergeEngine::kDeduplicate:
    case MergeEngine::kFirstRow:
      for (FieldMerge& field : merge.fields) field.function = FieldFunction::kResultRow;
      break;
    case MergeEngine::kPartialUpdate:
      ReadPartialUpdate(schema, options, &merge);
      break;
    case MergeEngine::kAggregation:
      ReadAggregation(schema, options, &merge);
      break;
  }
  return merge;
}

}  // namespace mica
