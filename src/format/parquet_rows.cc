#include "format/parquet_rows.h"

#include <vector>

#include <arrow/api.h>
#include <arrow/util/decimal.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>

#include "base/arrow.h"
#include "base/error.h"

namespace mica {

namespace {

// Calls append with each value, and append_null.
template <typename Type, typename Append, typename AppendNull>
void ForEachValue(parquet::ColumnReader& column, int64_t skip, int64_t rows, Append&& append,
                  AppendNull&& append_null) {
  auto& reader = static_cast<parquet::TypedColumnReader<Type>&>(column);
  if (reader.Skip(skip) != skip) throw Corrupt("The pages of a column end too early");
  const bool optional = column.descr()->max_definition_level() > 0;
  std::vector<int16_t> levels(static_cast<size_t>(rows));
  // Not a vector, which would pack bools.
  auto values = std::make_unique<typename Type::c_type[]>(static_cast<size_t>(rows));
  for (int64_t done = 0; done < rows;) {
    int64_t value_count = 0;
    const int64_t count = reader.ReadBatch(rows - done, levels.data(), nullptr, values.get(), &value_count);
    if (count == 0) throw Corrupt("The pages of a column end too early");
    const auto* next = values.get();
    for (int64_t i = 0; i < count; ++i) {
      if (optional && levels[static_cast<size_t>(i)] == 0) {
        append_null();
      } else {
        append(*next++);
      }
    }
    done += count;
  }
}

template <typename Type, typename Builder, typename Convert>
std::shared_ptr<arrow::Array> Build(parquet::ColumnReader& column, const std::shared_ptr<arrow::DataType>& type,
                                    int64_t skip, int64_t rows, Convert&& convert) {
  auto builder = Take(arrow::MakeBuilder(type));
  auto& to = static_cast<Builder&>(*builder);
  Check(to.Reserve(rows));
  ForEachValue<Type>(
      column, skip, rows, [&](const auto& value) { Check(to.Append(convert(value))); },
      [&] { Check(to.AppendNull()); });
  return Take(to.Finish());
}

template <typename Type, typename Convert>
std::shared_ptr<arrow::Array> BuildDecimal(parquet::ColumnReader& column, const std::shared_ptr<arrow::DataType>& type,
                                           int64_t skip, int64_t rows, Convert&& convert) {
  switch (type->id()) {
    case arrow::Type::DECIMAL32:
      return Build<Type, arrow::Decimal32Builder>(column, type, skip, rows, [&](const auto& value) {
        return arrow::Decimal32(static_cast<int32_t>(static_cast<int64_t>(convert(value))));
      });
    case arrow::Type::DECIMAL64:
      return Build<Type, arrow::Decimal64Builder>(column, type, skip, rows, [&](const auto& value) {
        return arrow::Decimal64(static_cast<int64_t>(convert(value)));
      });
    default:
      return Build<Type, arrow::Decimal128Builder>(column, type, skip, rows, convert);
  }
}

bool IsDecimal(arrow::Type::type type) {
  return type == arrow::Type::DECIMAL32 || type == arrow::Type::DECIMAL64 || type == arrow::Type::DECIMAL128;
}

}  // namespace

bool CanReadFewRows(int physical_type, const arrow::DataType& type) {
  using arrow::Type;
  const Type::type to = type.id();
  switch (physical_type) {
    case parquet::Type::BOOLEAN:
      return to == Type::BOOL;
    case parquet::Type::INT32:
      return to == Type::INT8 || to == Type::INT16 || to == Type::INT32 || to == Type::DATE32 || to == Type::TIME32 ||
             to == Type::DECIMAL32 || to == Type::DECIMAL128;
    case parquet::Type::INT64:
      return to == Type::INT64 || to == Type::TIMESTAMP || to == Type::DECIMAL64 || to == Type::DECIMAL128;
    case parquet::Type::FLOAT:
      return to == Type::FLOAT;
    case parquet::Type::DOUBLE:
      return to == Type::DOUBLE;
    case parquet::Type::BYTE_ARRAY:
      return to == Type::STRING || to == Type::BINARY;
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return to == Type::DECIMAL128;
    default:
      return false;
  }
}

std::shared_ptr<arrow::Array> ReadFewRows(parquet::RowGroupReader& group, int leaf,
                                          const std::shared_ptr<arrow::DataType>& type, int64_t skip, int64_t rows) {
  auto column = group.Column(leaf);
  const auto same = [](const auto& value) { return value; };
  const auto wide = [](const auto& value) { return arrow::Decimal128(value); };
  switch (column->type()) {
    case parquet::Type::BOOLEAN:
      return Build<parquet::BooleanType, arrow::BooleanBuilder>(*column, type, skip, rows, same);
    case parquet::Type::INT32:
      if (IsDecimal(type->id())) return BuildDecimal<parquet::Int32Type>(*column, type, skip, rows, wide);
      switch (type->id()) {
        case arrow::Type::INT8:
          return Build<parquet::Int32Type, arrow::Int8Builder>(
              *column, type, skip, rows, [](int32_t value) { return static_cast<int8_t>(value); });
        case arrow::Type::INT16:
          return Build<parquet::Int32Type, arrow::Int16Builder>(
              *column, type, skip, rows, [](int32_t value) { return static_cast<int16_t>(value); });
        case arrow::Type::DATE32:
          return Build<parquet::Int32Type, arrow::Date32Builder>(*column, type, skip, rows, same);
        case arrow::Type::TIME32:
          return Build<parquet::Int32Type, arrow::Time32Builder>(*column, type, skip, rows, same);
        default:
          return Build<parquet::Int32Type, arrow::Int32Builder>(*column, type, skip, rows, same);
      }
    case parquet::Type::INT64:
      if (IsDecimal(type->id())) return BuildDecimal<parquet::Int64Type>(*column, type, skip, rows, wide);
      if (type->id() == arrow::Type::TIMESTAMP) {
        return Build<parquet::Int64Type, arrow::TimestampBuilder>(*column, type, skip, rows, same);
      }
      return Build<parquet::Int64Type, arrow::Int64Builder>(*column, type, skip, rows, same);
    case parquet::Type::FLOAT:
      return Build<parquet::FloatType, arrow::FloatBuilder>(*column, type, skip, rows, same);
    case parquet::Type::DOUBLE:
      return Build<parquet::DoubleType, arrow::DoubleBuilder>(*column, type, skip, rows, same);
    case parquet::Type::BYTE_ARRAY: {
      auto array = Build<parquet::ByteArrayType, arrow::BinaryBuilder>(
          *column, type, skip, rows, [](const parquet::ByteArray& value) {
            return std::string_view(reinterpret_cast<const char*>(value.ptr), value.len);
          });
      Check(array->ValidateFull());  // UTF-8
      return array;
    }
    case parquet::Type::FIXED_LEN_BYTE_ARRAY: {
      const int32_t bytes = column->descr()->type_length();
      return Build<parquet::FLBAType, arrow::Decimal128Builder>(
          *column, type, skip, rows, [&](const parquet::FixedLenByteArray& value) {
            return Take(arrow::Decimal128::FromBigEndian(value.ptr, bytes));
          });
    }
    default:
      throw Internal("A leaf of type '{}' cannot be read row by row", static_cast<int>(column->type()));
  }
}

}  // namespace mica
