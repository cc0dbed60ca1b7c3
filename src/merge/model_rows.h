// For the tests of this layer: random rows of every key type as plain values with an order of their own, and as Arrow.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <arrow/api.h>

#include "base/arrow.h"
#include "base/error.h"
#include "format/batch_reader.h"
#include "types/data_type.h"
#include "types/value.h"

namespace mica {

// monostate is NULL; numbers of all integer-like types are Int128.
using ModelValue = std::variant<std::monostate, Int128, double, std::string>;
using ModelRow = std::vector<ModelValue>;

inline int CompareModel(const ModelValue& a, const ModelValue& b) {
  if (a.index() != b.index()) return a.index() < b.index() ? -1 : 1;
  const auto sign = [](bool less, bool greater) { return less ? -1 : greater ? 1 : 0; };
  if (const auto* x = std::get_if<Int128>(&a)) return sign(*x<std::get<Int128>(b), *x> std::get<Int128>(b));
  if (const auto* x = std::get_if<double>(&a)) {
    const double y = std::get<double>(b);
    if (std::isnan(*x) || std::isnan(y)) return sign(!std::isnan(*x), !std::isnan(y));
    if (*x != y) return sign(*x<y, *x> y);
    return sign(std::signbit(*x) && !std::signbit(y), !std::signbit(*x) && std::signbit(y));
  }
  if (const auto* x = std::get_if<std::string>(&a)) {
    const int order = x->compare(std::get<std::string>(b));
    return sign(order < 0, order > 0);
  }
  return 0;
}

inline int CompareModel(const ModelRow& a, const ModelRow& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    const int order = CompareModel(a[i], b[i]);
    if (order != 0) return order;
  }
  return 0;
}

struct ModelRowLess {
  bool operator()(const ModelRow& a, const ModelRow& b) const { return CompareModel(a, b) < 0; }
};

inline std::vector<DataType> ModelTypes() {
  return {DataType(TypeRoot::kBoolean),
          DataType(TypeRoot::kTinyInt),
          DataType(TypeRoot::kSmallInt),
          DataType::Int(),
          DataType::BigInt(),
          DataType(TypeRoot::kFloat),
          DataType(TypeRoot::kDouble),
          DataType(TypeRoot::kDate),
          DataType(TypeRoot::kTime, true, 3),
          DataType::Decimal(10, 2),
          DataType::Decimal(38, 5),
          DataType::Timestamp(3),
          DataType::TimestampLtz(6),
          DataType::String(),
          DataType::Char(4),
          DataType::Bytes()};
}

inline std::shared_ptr<arrow::DataType> ModelArrowType(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return arrow::boolean();
    case TypeRoot::kTinyInt:
      return arrow::int8();
    case TypeRoot::kSmallInt:
      return arrow::int16();
    case TypeRoot::kInt:
      return arrow::int32();
    case TypeRoot::kBigInt:
      return arrow::int64();
    case TypeRoot::kFloat:
      return arrow::float32();
    case TypeRoot::kDouble:
      return arrow::float64();
    case TypeRoot::kDate:
      return arrow::date32();
    case TypeRoot::kTime:
      return arrow::time32(arrow::TimeUnit::MILLI);
    case TypeRoot::kDecimal:
      return arrow::decimal128(type.precision(), type.scale());
    case TypeRoot::kTimestamp:
      return arrow::timestamp(arrow::TimeUnit::MILLI);
    case TypeRoot::kTimestampLtz:
      return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      return arrow::utf8();
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      return arrow::binary();
    default:
      throw Unsupported("'{}' in the model", type.ToString());
  }
}

// `spread` widens the domain: 1 gives a handful of values, edge cases included.
inline ModelValue RandomModelValue(const DataType& type, std::mt19937& random, uint32_t spread) {
  const auto below = [&](uint32_t n) { return static_cast<int64_t>(random() % n); };
  const auto edge_or_near = [&](Int128 least, Int128 greatest) -> Int128 {
    switch (below(8)) {
      case 0:
        return least;
      case 1:
        return greatest;
      default: {
        const Int128 value = below(6 * spread) - static_cast<int64_t>(3 * spread);
        return value < least ? least : value > greatest ? greatest : value;
      }
    }
  };
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return Int128(below(2));
    case TypeRoot::kTinyInt:
      return edge_or_near(-128, 127);
    case TypeRoot::kSmallInt:
      return edge_or_near(-32768, 32767);
    case TypeRoot::kInt:
    case TypeRoot::kDate:
      return edge_or_near(INT32_MIN, INT32_MAX);
    case TypeRoot::kTime:
      return edge_or_near(0, 86399999);
    case TypeRoot::kBigInt:
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return edge_or_near(INT64_MIN, INT64_MAX);
    case TypeRoot::kDecimal: {
      if (type.IsCompactDecimal()) return edge_or_near(-9999999999, 9999999999);
      const Int128 big = static_cast<Int128>(INT64_MAX) * 1000000007;
      return edge_or_near(-big, big) * (below(2) == 0 ? 1 : static_cast<Int128>(1) << 30);
    }
    case TypeRoot::kFloat:
    case TypeRoot::kDouble: {
      const double edges[] = {-0.0, 0.0, NAN, -NAN, INFINITY, -INFINITY};
      return below(3) == 0 ? edges[below(6)] : (below(6 * spread) - 3.0 * spread) / 2;
    }
    default: {
      const bool text = type.IsString();
      std::string value;
      if (below(3) == 0) value = "a common prefix ";
      for (int64_t length = below(text && type.root() == TypeRoot::kChar ? 5 : 11); length > 0; --length) {
        value += text ? static_cast<char>('a' + below(2 + spread % 20)) : static_cast<char>(below(2) == 0 ? 0 : 255);
      }
      return value;
    }
  }
}

inline std::shared_ptr<arrow::Array> ModelArray(const DataType& type, const std::vector<ModelValue>& values) {
  const auto arrow_type = ModelArrowType(type);
  const auto builder = Take(arrow::MakeBuilder(arrow_type));
  for (const ModelValue& value : values) {
    if (value.index() == 0) {
      Check(builder->AppendNull());
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      Check(static_cast<arrow::BinaryBuilder&>(*builder).Append(*text));
    } else if (const auto* number = std::get_if<double>(&value)) {
      if (arrow_type->id() == arrow::Type::FLOAT) {
        Check(static_cast<arrow::FloatBuilder&>(*builder).Append(static_cast<float>(*number)));
      } else {
        Check(static_cast<arrow::DoubleBuilder&>(*builder).Append(*number));
      }
    } else {
      const Int128 integer = std::get<Int128>(value);
      const auto small = static_cast<int64_t>(integer);
      if (arrow_type->id() == arrow::Type::DECIMAL128) {
        Check(static_cast<arrow::Decimal128Builder&>(*builder).Append(
            arrow::Decimal128(static_cast<int64_t>(integer >> 64), static_cast<uint64_t>(integer))));
      } else if (arrow_type->id() == arrow::Type::BOOL) {
        Check(static_cast<arrow::BooleanBuilder&>(*builder).Append(small != 0));
      } else {
        switch (arrow_type->bit_width()) {
          case 8:
            Check(static_cast<arrow::Int8Builder&>(*builder).Append(static_cast<int8_t>(small)));
            break;
          case 16:
            Check(static_cast<arrow::Int16Builder&>(*builder).Append(static_cast<int16_t>(small)));
            break;
          case 32:
            Check(static_cast<arrow::Int32Builder&>(*builder).Append(static_cast<int32_t>(small)));
            break;
          default:
            Check(static_cast<arrow::Int64Builder&>(*builder).Append(small));
        }
      }
    }
  }
  return Take(builder->Finish());
}

// A batch of rows, one value a type.
inline std::shared_ptr<arrow::RecordBatch> ModelBatch(const std::vector<DataType>& types,
                                                      const std::vector<ModelRow>& rows) {
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  for (size_t c = 0; c < types.size(); ++c) {
    std::vector<ModelValue> values;
    for (const ModelRow& row : rows) values.push_back(row[c]);
    fields.push_back(arrow::field("c" + std::to_string(c), ModelArrowType(types[c])));
    columns.push_back(ModelArray(types[c], values));
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), static_cast<int64_t>(rows.size()), columns);
}

class BatchList final : public BatchReader {
 public:
  explicit BatchList(std::vector<std::shared_ptr<arrow::RecordBatch>> batches) : batches_(std::move(batches)) {}
  std::shared_ptr<arrow::RecordBatch> Next() override { return next_ < batches_.size() ? batches_[next_++] : nullptr; }

 private:
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches_;
  size_t next_ = 0;
};

}  // namespace mica
