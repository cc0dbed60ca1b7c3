#include "format/made_reader.h"

#include <arrow/api.h>

namespace mica {

namespace {

class FunctionReader final : public BatchReader {
 public:
  explicit FunctionReader(std::function<std::shared_ptr<arrow::RecordBatch>()> next) : next_(std::move(next)) {}
  std::shared_ptr<arrow::RecordBatch> Next() override { return next_(); }

 private:
  std::function<std::shared_ptr<arrow::RecordBatch>()> next_;
};

}  // namespace

std::unique_ptr<BatchReader> MakeReader(std::function<std::shared_ptr<arrow::RecordBatch>()> next) {
  return std::make_unique<FunctionReader>(std::move(next));
}

}  // namespace mica
