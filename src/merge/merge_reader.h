// Merges sorted runs of primary-key rows given as Arrow batches, under any merge engine (Engine 3). Not thread safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>

#include "format/batch_reader.h"
#include "merge/merge_rules.h"
#include "types/data_type.h"

namespace mica {

struct MergeSpec {
  // Columns of the runs' batches, which all have one schema, by position.
  std::vector<int> key_columns;
  std::vector<DataType> key_types;
  std::optional<int> sequence_column;      // absent: `ranks` decide, see RanksBySequence
  std::optional<int> kind_column;          // absent: all rows are inserts
  std::vector<int> user_sequence_columns;  // `sequence.field`
  std::vector<DataType> user_sequence_types;
  bool user_sequence_ascending = true;  // `sequence.field.sort-order`
  std::vector<int32_t> ranks;           // one a run, newer ones greater; empty: later runs are newer
  // How rows of one key become one, for the columns of the batches; nullptr: the newest stays.
  std::shared_ptr<const MergeRules> rules;
  bool merge_lone_rows = false;  // the rules apply to keys with one row too
  std::vector<int> output_columns;
  bool drop_deletes = true;        // leave out keys whose result is -U or -D
  int64_t batch_rows = 65536;      // of the output, at most; cut earlier when rows are very wide
  int64_t batch_bytes = 16 << 20;  // of the output, about
};

// What a merge has to read beside `wanted` (columns of the table, `_SEQUENCE_NUMBER`, `_VALUE_KIND`): the keys as
// `_KEY_<column>` in front, then `wanted`, then missing sequence fields and ordering columns of sequence groups.
std::vector<DataField> MergeInput(const TableSchema& schema, const MergeOptions& options,
                                  const std::vector<DataField>& wanted);

// The merge of a table for runs whose batches have the columns `input` of MergeInput, with the first `wanted` of them
// behind the keys as output: used for reading, for compaction (with `drop_deletes` as Engine 2.5 says) and for lookups.
// `ranks` are the caller's to give when there is no _SEQUENCE_NUMBER among the columns.
MergeSpec MakeMergeSpec(const TableSchema& schema, const MergeOptions& options, const std::vector<DataField>& input,
                        size_t wanted);

// Rows in key order, one a key. Each run is sorted by key with every key once; files of one run are concatenated by the
// caller. Holds one batch a run and what the next output batch needs.
std::unique_ptr<BatchReader> MergeRuns(std::vector<std::unique_ptr<BatchReader>> runs, MergeSpec spec);

// Readers one after another, e.g. the files of a run or the sections of a split. Opened when they are reached.
std::unique_ptr<BatchReader> ConcatenateReaders(std::vector<std::function<std::unique_ptr<BatchReader>()>> open);

// The ranks of runs whose [min, max] sequence numbers do not overlap, so that _SEQUENCE_NUMBER need not be read;
// nothing when some do. A run of several files has the range that spans them.
std::optional<std::vector<int32_t>> RanksBySequence(std::span<const std::pair<int64_t, int64_t>> ranges);

}  // namespace mica
