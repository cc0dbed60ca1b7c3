// Rows together with what is known of them beside their columns: where they lie in their file, and the ids and sequence
// numbers of tables with row tracking (Format 8.1), which are stored in a file that a rewrite made and counted otherwise.
#pragma once

#include <memory>
#include <vector>

#include "format/batch_reader.h"
#include "table/read.h"

namespace mica {

// Whether one of the fields is PositionField(), RowIdField() or, of a table without primary key, SequenceNumberField().
bool AskForLocation(const TableSchema& schema, const std::vector<DataField>& fields);

// The fields of the request in its order, for a split of one file that needs no merge.
std::unique_ptr<BatchReader> ReadLocatedRows(const Table& table, const Split& split, const ReadRequest& request);

}  // namespace mica
