// Merges sorted runs of primary-key rows given as Arrow batches (Engine 3.1, deduplicate). Not thread safe.
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
  std::vector<int> output_columns;
  bool drop_deletes = true;    // leave out keys whose newest row is -U or -D
  int64_t batch_rows = 65536;  // of the output, at most; cut earlier when rows are very wide
};

// Rows in key order, one a key. Each run is sorted by key with every key once; files of one run are concatenated by the
// caller. Holds one batch a run and what the next output batch needs.
std::unique_ptr<BatchReader> MergeRuns(std::vector<std::unique_ptr<BatchReader>> runs, MergeSpec spec);

// Readers one after another, e.g. the files of a run or the sections of a split. Opened when they are reached.
std::unique_ptr<BatchReader> ConcatenateReaders(std::vector<std::function<std::unique_ptr<BatchReader>()>> open);

// The ranks of runs whose [min, max] sequence numbers do not overlap, so that _SEQUENCE_NUMBER need not be read;
// nothing when some do. A run of several files has the range that spans them.
std::optional<std::vector<int32_t>> RanksBySequence(std::span<const std::pair<int64_t, int64_t>> ranges);

}  // namespace mica
