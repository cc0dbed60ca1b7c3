// Brings incoming batches into the form that is stored and refuses rows that break the schema, before anything is written
// (P-12, P-23): NOT NULL at every depth, lengths of text and binary, CHAR padded with blanks.
#pragma once

#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "types/data_type.h"

namespace mica {

// The columns of `batch` are the fields in order, further columns are passed on. Throws InvalidArgument naming the column.
std::shared_ptr<arrow::RecordBatch> CheckRows(const std::shared_ptr<arrow::RecordBatch>& batch,
                                              const std::vector<DataField>& fields);

}  // namespace mica
