#include "merge/row_selection.h"

#include <arrow/api.h>
#include <arrow/compute/api.h>
#include <arrow/compute/initialize.h>

#include "base/arrow.h"

namespace mica {

std::shared_ptr<arrow::RecordBatch> SelectRows(const std::shared_ptr<arrow::RecordBatch>& batch,
                                               const std::vector<int32_t>& rows) {
  static const arrow::Status initialized = arrow::compute::Initialize();
  Check(initialized);
  auto buffer = arrow::Buffer::Wrap(rows);
  arrow::Int32Array indices(static_cast<int64_t>(rows.size()), buffer);
  return Take(arrow::compute::Take(batch, indices.Slice(0), arrow::compute::TakeOptions::NoBoundsCheck())).record_batch();
}

}  // namespace mica
