// Record batches, one after another: what every reader of a data file hands out.
#pragma once

#include <memory>

#include <arrow/type_fwd.h>

namespace mica {

class BatchReader {
 public:
  virtual ~BatchReader() = default;
  // The next batch, never empty, with offset 0 at every level; nullptr at the end.
  virtual std::shared_ptr<arrow::RecordBatch> Next() = 0;
};

}  // namespace mica
