// Rows of a sort buffer in memory, and how they leave it once their order is known: the table's columns, then
// _SEQUENCE_NUMBER and _VALUE_KIND.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "format/batch_reader.h"
#include "merge/key_layout.h"
#include "merge/merge_rules.h"
#include "merge/run_merge.h"

namespace mica {

// In order of arrival. Keys are encoded on arrival.
struct Chunk {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  std::vector<int8_t> kinds;  // empty: all +I
  int64_t first_sequence = 0;
  int64_t row_count = 0;
  int64_t bytes = 0;
  EncodedRows keys;
  EncodedRows user_sequence;
  std::vector<EncodedRows> group_orders;  // of each sequence group
};

// Of one output batch, at most; the bytes are about.
struct BatchSize {
  int64_t rows;
  int64_t bytes;
};

// The rows that won. The chunks must outlive the reader.
std::unique_ptr<BatchReader> GatherChunks(const std::vector<Chunk>& chunks, std::shared_ptr<arrow::Schema> schema,
                                          std::vector<Segment> winners, BatchSize size);

// Groups made into rows; retracts stay.
std::unique_ptr<BatchReader> MergeChunks(const std::vector<Chunk>& chunks, std::shared_ptr<arrow::Schema> schema,
                                         KeyGroups groups, std::shared_ptr<const MergeRules> rules, BatchSize size);

}  // namespace mica
