#include "merge/row_sorter.h"

#include <cstring>

#include <arrow/api.h>
#include <arrow/util/bit_util.h>

#include "base/arrow.h"
#include "types/arrow_types.h"

namespace mica {

namespace {

// The column with a fixed value in the place of every NULL, so that it can be part of a key.
std::shared_ptr<arrow::Array> WithoutNulls(const std::shared_ptr<arrow::Array>& column) {
  if (column->null_count() == 0) return column;
  const arrow::ArrayData& from = *column->data();
  const int64_t rows = from.length;
  if (arrow::is_base_binary_like(from.type->id())) {
    // Text and binary: builders copy the values that are there.
    auto builder = Take(arrow::MakeBuilder(from.type));
    const auto& values = static_cast<const arrow::BinaryArray&>(*column);
    for (int64_t i = 0; i < rows; ++i) {
      if (values.IsValid(i)) {
        Check(builder->AppendArraySlice(arrow::ArraySpan(from), i, 1));
      } else {
        Check(builder->AppendEmptyValue());
      }
    }
    return Take(builder->Finish());
  }
  const int bits = static_cast<const arrow::FixedWidthType&>(*from.type).bit_width();
  std::shared_ptr<arrow::Buffer> values = Take(arrow::AllocateBuffer(arrow::bit_util::BytesForBits(rows * bits)));
  uint8_t* to = values->mutable_data();
  std::memset(to, 0, static_cast<size_t>(values->size()));
  const uint8_t* source = from.buffers[1]->data();
  for (int64_t i = 0; i < rows; ++i) {
    if (column->IsNull(i)) continue;
    if (bits == 1) {
      arrow::bit_util::SetBitTo(to, i, arrow::bit_util::GetBit(source, from.offset + i));
    } else {
      std::memcpy(to + i * bits / 8, source + (from.offset + i) * bits / 8, static_cast<size_t>(bits) / 8);
    }
  }
  return arrow::MakeArray(arrow::ArrayData::Make(from.type, rows, {nullptr, std::move(values)}, 0));
}

std::shared_ptr<arrow::Array> IsValid(const arrow::Array& column) {
  arrow::BooleanBuilder builder;
  Check(builder.Reserve(column.length()));
  for (int64_t i = 0; i < column.length(); ++i) builder.UnsafeAppend(column.IsValid(i));
  return Take(builder.Finish());
}

}  // namespace

RowSorter::RowSorter(const std::vector<DataField>& fields, const std::vector<int>& columns, int64_t next_sequence)
    : columns_(columns), field_count_(static_cast<int>(fields.size())) {
  SortBufferSpec spec;
  arrow::FieldVector all = ToArrowSchema(fields)->fields();
  auto sort_by = [&](const DataType& type, std::shared_ptr<arrow::DataType> arrow_type) {
    spec.key_columns.push_back(static_cast<int>(all.size()));
    spec.key_types.push_back(type);
    all.push_back(arrow::field("_SORT_" + std::to_string(all.size()), std::move(arrow_type), false));
  };
  for (int column : columns) {
    const DataField& field = fields[static_cast<size_t>(column)];
    if (field.type.nullable()) sort_by(DataType(TypeRoot::kBoolean), arrow::boolean());
    sort_by(field.type, all[static_cast<size_t>(column)]->type());
  }
  // The arrival number makes each key unique.
  sort_by(DataType::BigInt(), arrow::int64());
  schema_ = arrow::schema(std::move(all));
  spec.schema = schema_;
  spec.next_sequence = next_sequence;
  spec.thin = true;
  sorted_ = std::make_unique<SortBuffer>(std::move(spec));
}

void RowSorter::Add(const arrow::RecordBatch& batch, const arrow::Array* kinds) {
  arrow::ArrayVector columns = batch.columns();
  for (int column : columns_) {
    // As the constructor laid them out.
    if (schema_->field(column)->nullable()) columns.push_back(IsValid(*batch.column(column)));
    columns.push_back(WithoutNulls(batch.column(column)));
  }
  arrow::Int64Builder arrival;
  Check(arrival.Reserve(batch.num_rows()));
  for (int64_t i = 0; i < batch.num_rows(); ++i) arrival.UnsafeAppend(arrived_++);
  columns.push_back(Take(arrival.Finish()));
  sorted_->Add(*arrow::RecordBatch::Make(schema_, batch.num_rows(), std::move(columns)), kinds);
}

void RowSorter::Flush(const SortBuffer::Consumer& consumer) {
  sorted_->Flush([&](const std::shared_ptr<arrow::RecordBatch>& batch) {
    // _SEQUENCE_NUMBER and _VALUE_KIND stand in front.
    const auto columns = batch->columns();
    const auto fields = batch->schema()->fields();
    const auto count = static_cast<std::ptrdiff_t>(field_count_ + 2);
    consumer(arrow::RecordBatch::Make(arrow::schema(arrow::FieldVector(fields.begin(), fields.begin() + count)),
                                      batch->num_rows(),
                                      arrow::ArrayVector(columns.begin(), columns.begin() + count)));
  });
  arrived_ = 0;
}

}  // namespace mica
