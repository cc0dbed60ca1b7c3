#include "system/row_batch.h"

#include <arrow/api.h>

#include "base/arrow.h"
#include "types/arrow_types.h"

namespace mica {

RowBatch::RowBatch(std::vector<DataField> fields) : fields_(std::move(fields)) {
  for (const DataField& field : fields_) {
    builders_.push_back(mica::Take(arrow::MakeBuilder(ToArrowType(field.type))));
  }
}

RowBatch::RowBatch(RowBatch&&) noexcept = default;
RowBatch::~RowBatch() = default;

void RowBatch::Add(const std::vector<Value>& values) {
  MICA_CHECK(values.size() == fields_.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (IsNull(values[i])) {
      Check(builders_[i]->AppendNull());
    } else {
      AppendValue(values[i], fields_[i].type, builders_[i].get());
    }
  }
  ++row_count_;
}

void RowBatch::AddWithList(const std::vector<Value>& values, const std::vector<std::string>& last) {
  MICA_CHECK(values.size() + 1 == fields_.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (IsNull(values[i])) {
      Check(builders_[i]->AppendNull());
    } else {
      AppendValue(values[i], fields_[i].type, builders_[i].get());
    }
  }
  auto& list = static_cast<arrow::ListBuilder&>(*builders_.back());
  Check(list.Append());
  auto& text = static_cast<arrow::StringBuilder&>(*list.value_builder());
  for (const std::string& item : last) Check(text.Append(item));
  ++row_count_;
}

std::shared_ptr<arrow::RecordBatch> RowBatch::Take() {
  arrow::ArrayVector arrays;
  for (auto& builder : builders_) arrays.push_back(mica::Take(builder->Finish()));
  int64_t rows = std::exchange(row_count_, 0);
  return arrow::RecordBatch::Make(ToArrowSchema(fields_), rows, std::move(arrays));
}

std::unique_ptr<BatchReader> OneBatch(RowBatch rows) {
  std::shared_ptr<arrow::RecordBatch> batch = rows.row_count() > 0 ? rows.Take() : nullptr;
  return MakeReader([batch]() mutable { return std::exchange(batch, nullptr); });
}

DataField NotNull(std::string name, DataType type) { return {-1, std::move(name), type.WithNullable(false), {}, {}}; }
DataField Nullable(std::string name, DataType type) { return {-1, std::move(name), type.WithNullable(true), {}, {}}; }
Value OrNull(const std::optional<int64_t>& value) { return value ? Value(*value) : Value(); }
Value OrNull(const std::optional<std::string>& value) { return value ? Value(*value) : Value(); }
Value Timestamp3(int64_t wall_millis) { return TimestampValue{wall_millis, 0}; }

}  // namespace mica
