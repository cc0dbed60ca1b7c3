// A few rows of a flat Parquet column, read without making arrays of the rows before them.
#pragma once

#include <cstdint>
#include <memory>

namespace arrow {
class Array;
class DataType;
}  // namespace arrow
namespace parquet {
class RowGroupReader;
}  // namespace parquet

namespace mica {

// Whether ReadFewRows knows how a leaf of that physical type (parquet::Type::type) becomes an array of the type.
bool CanReadFewRows(int physical_type, const arrow::DataType& type);

// `rows` rows after `skip` of a leaf that repeats nothing, as the type that the library's reader gives. Throws Corrupt
// when there are fewer.
std::shared_ptr<arrow::Array> ReadFewRows(parquet::RowGroupReader& group, int leaf,
                                          const std::shared_ptr<arrow::DataType>& type, int64_t skip, int64_t rows);

}  // namespace mica
