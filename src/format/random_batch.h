// For tests: random batches of any types, nested ones too.
#pragma once

#include <memory>
#include <vector>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/arrow.h"
#include "types/arrow_types.h"
#include "types/random_values.h"
#include "types/text_length.h"

namespace mica {

class RandomBatches {
 public:
  explicit RandomBatches(uint32_t seed) : values_(seed) {}

  // ORC cannot hold fractions of the last second before 1970.
  bool whole_seconds_before_1970 = false;

  std::shared_ptr<arrow::RecordBatch> Make(const std::vector<DataField>& fields, int64_t rows) {
    arrow::ArrayVector columns;
    for (const DataField& field : fields) columns.push_back(Array(field.type, rows));
    return arrow::RecordBatch::Make(ToArrowSchema(fields), rows, std::move(columns));
  }

  std::shared_ptr<arrow::Array> Array(const DataType& type, int64_t rows) {
    switch (type.root()) {
      case TypeRoot::kArray: {
        auto [offsets, validity, nulls, count] = Lists(type, rows);
        return std::make_shared<arrow::ListArray>(ToArrowType(type), rows, offsets, Array(type.element(), count),
                                                  validity, nulls);
      }
      case TypeRoot::kMultiset:
      case TypeRoot::kMap: {
        const bool multiset = type.root() == TypeRoot::kMultiset;
        auto [offsets, validity, nulls, count] = Lists(type, rows);
        auto keys = Array((multiset ? type.element() : type.key()).WithNullable(false), count);
        auto items = Array(multiset ? DataType::Int().WithNullable(false) : type.value(), count);
        return std::make_shared<arrow::MapArray>(ToArrowType(type), rows, offsets, keys, items, validity, nulls);
      }
      case TypeRoot::kRow: {
        arrow::ArrayVector children;
        for (const DataField& field : type.fields()) children.push_back(Array(field.type, rows));
        auto [validity, nulls] = Validity(type, rows);
        return std::make_shared<arrow::StructArray>(ToArrowType(type), rows, children, validity, nulls);
      }
      default:
        return Flat(type, rows);
    }
  }

 private:
  std::shared_ptr<arrow::Array> Flat(const DataType& type, int64_t rows) {
    std::vector<Value> values = values_.Some(type, static_cast<size_t>(rows), type.nullable());
    for (Value& value : values) {
      if (auto* text = std::get_if<std::string>(&value)) *text = FitLength(*text, type);
      auto* timestamp = std::get_if<TimestampValue>(&value);
      if (!timestamp) continue;
      if (type.precision() == 7) timestamp->nanos_of_milli -= timestamp->nanos_of_milli % 100;
      if (type.precision() == 0) *timestamp = {timestamp->millis - timestamp->millis % 1000, 0};
      if (whole_seconds_before_1970 && timestamp->millis < 0) *timestamp = {timestamp->millis / 1000 * 1000, 0};
    }
    return ToArray(values, type);
  }

  std::pair<std::shared_ptr<arrow::Buffer>, int64_t> Validity(const DataType& type, int64_t rows) {
    if (!type.nullable()) return {nullptr, 0};
    arrow::TypedBufferBuilder<bool> bits;
    for (int64_t i = 0; i < rows; ++i) Check(bits.Append(!values_.OneIn(5)));
    int64_t nulls = bits.false_count();
    return {Take(bits.Finish()), nulls};
  }

  struct ListParts {
    std::shared_ptr<arrow::Buffer> offsets;
    std::shared_ptr<arrow::Buffer> validity;
    int64_t nulls;
    int64_t count;
  };
  ListParts Lists(const DataType& type, int64_t rows) {
    arrow::TypedBufferBuilder<bool> bits;
    arrow::TypedBufferBuilder<int32_t> offsets;
    int32_t at = 0;
    Check(offsets.Append(0));
    for (int64_t i = 0; i < rows; ++i) {
      const bool valid = !type.nullable() || !values_.OneIn(5);
      Check(bits.Append(valid));
      if (valid) at += static_cast<int32_t>(values_.Next() % 4);
      Check(offsets.Append(at));
    }
    int64_t nulls = bits.false_count();
    return {Take(offsets.Finish()), type.nullable() ? Take(bits.Finish()) : nullptr, nulls, at};
  }

  RandomValues values_;
};

inline void ExpectOffsetZero(const arrow::ArrayData& data) {
  EXPECT_EQ(data.offset, 0);
  for (const auto& child : data.child_data) ExpectOffsetZero(*child);
}

}  // namespace mica
