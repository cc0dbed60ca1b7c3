// Copies stretches of rows of several Arrow batches into one: how the winners of a merge or a sort become columns.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <arrow/type_fwd.h>

#include "merge/run_merge.h"

namespace mica {

// One column: rows of `sources` (Segment::source is the index; unused ones may be nullptr), which all have `type`.
// The result has offset 0. Throws Unsupported when text would pass 2 GB: ask for fewer rows.
std::shared_ptr<arrow::Array> GatherColumn(std::span<const arrow::Array* const> sources,
                                           std::span<const Segment> segments, int64_t row_count,
                                           const std::shared_ptr<arrow::DataType>& type);

int64_t CountRows(std::span<const Segment> segments);

// Bytes of a batch's rows, without what its buffers hold beyond them; an estimate for nested columns.
int64_t RowBytes(const arrow::RecordBatch& batch);

}  // namespace mica
