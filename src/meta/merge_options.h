// How a primary-key table merges rows of one key, as its options say (Engine 2.1, 3; M-0405): read once from the
// schema. Immutable afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "meta/table_schema.h"

namespace mica {

enum class MergeEngine { kDeduplicate, kPartialUpdate, kAggregation, kFirstRow };

// What becomes of one column of rows that share a key.
enum class FieldFunction : uint8_t {
  // Of the row that the result takes its sequence number from: keys, and all columns of deduplicate and first-row.
  kResultRow,
  kResultKind,  // the column is _VALUE_KIND
  kGroupOrder,  // decides which row of a sequence group is newer
  kGroupField,  // a plain column of a sequence group
  // Aggregate functions by their names in options.
  kLastValue,
  kLastNonNullValue,
  kFirstValue,
  kFirstNonNullValue,
  kSum,
  kProduct,
  kMax,
  kMin,
  kListagg,
  kBoolAnd,
  kBoolOr,
  kCollect,
  kMergeMap,
  kMergeMapWithKeyTime,
  kNestedUpdate,
  kNestedPartialUpdate,
  kRoaringBitmap32,
  kRoaringBitmap64,
  kThetaSketch,
  kHllSketch,
};

// The name in options, for messages.
std::string_view FunctionName(FieldFunction function);

// Whether the function can take a value back (-U, -D).
bool TakesRetracts(FieldFunction function);

struct FieldMerge {
  FieldFunction function = FieldFunction::kLastNonNullValue;
  int group = -1;                     // the sequence group it belongs to
  bool ignore_retract = false;        // fields.<f>.ignore-retract
  bool distinct = false;              // fields.<f>.distinct
  std::string delimiter = ",";        // fields.<f>.list-agg-delimiter
  std::vector<int> nested_key;        // fields.<f>.nested-key, positions in the nested row
  int64_t count_limit = INT32_MAX;    // fields.<f>.count-limit
  int time_field = -1;                // fields.<f>.ts-field, a position in the nested row
};

struct SequenceGroup {
  std::vector<std::string> order;  // ordering columns
  bool removes_record = false;     // partial-update.remove-record-on-sequence-group names one of them
};

struct MergeOptions {
  MergeEngine engine = MergeEngine::kDeduplicate;
  bool ignore_delete = false;         // -U and -D rows
  bool ignore_update_before = false;  // -U rows, while writing
  bool remove_record_on_delete = false;
  std::vector<std::string> sequence_fields;
  bool sequence_ascending = true;
  std::vector<SequenceGroup> groups;
  std::vector<FieldMerge> fields;  // one for each column of the table

  // What is wrong with writing a row of kind -U or -D (`deletes`), which no merge could take; empty: nothing.
  std::string WhyNoRetract(const TableSchema& schema, bool deletes) const;

  // Whether the newest row of a key is the result, whatever the others are.
  bool newest_row_wins() const { return engine == MergeEngine::kDeduplicate && !ignore_delete; }
};

// Throws InvalidArgument or Unsupported that names the option: an unknown function, a type that it does not take,
// sequence groups that contradict each other.
MergeOptions MergeOptionsOf(const TableSchema& schema);

}  // namespace mica
