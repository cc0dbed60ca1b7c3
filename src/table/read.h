// Reads a split into batches of the requested columns: straight, or by merging its sorted runs (Engine 3.1).
#pragma once

#include <memory>
#include <vector>

#include "format/batch_reader.h"
#include "predicate/predicate.h"
#include "table/split.h"
#include "table/table.h"

namespace mica {

struct ReadRequest {
  // Columns of the reading schema, in the order wanted. For a split of one file that needs no merge also PositionField(),
  // and RowIdField() and SequenceNumberField() of tables with row tracking: then rows that do not match the predicate may
  // come out.
  std::vector<DataField> fields;
  PredicatePtr predicate;         // applied exactly: only matching rows come out. nullptr for all
  bool narrow_decimals = false;   // columns of NarrowDecimalType (format/conform.h) come in it
  int32_t batch_rows = 65536;
  int64_t merge_bytes = 4 << 20;  // of what the runs of a merge hold together, and of its batches
};

DataField PositionField();  // BIGINT NOT NULL: the row's position in its file
DataField RowIdField();     // BIGINT

// `table` carries the reading schema (Table::WithSchema for time travel).
std::unique_ptr<BatchReader> ReadSplit(const Table& table, const Split& split, const ReadRequest& request);

// Rows of one file of a split that its statistics and page indexes leave for a predicate: opens the file, reads no data.
// The split must be raw convertible.
int64_t RowsToRead(const Table& table, const Split& split, const DataFileMeta& file, const PredicatePtr& predicate);

}  // namespace mica
