// A reader of batches that a function makes one at a time.
#pragma once

#include <functional>
#include <memory>

#include <arrow/type_fwd.h>

#include "format/batch_reader.h"

namespace mica {

// `next` gives the next batch, never empty; nullptr at the end.
std::unique_ptr<BatchReader> MakeReader(std::function<std::shared_ptr<arrow::RecordBatch>()> next);

}  // namespace mica
