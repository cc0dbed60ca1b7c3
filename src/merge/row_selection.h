// Picks rows of a batch by position.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

namespace mica {

std::shared_ptr<arrow::RecordBatch> SelectRows(const std::shared_ptr<arrow::RecordBatch>& batch,
                                               const std::vector<int32_t>& rows);

}  // namespace mica
