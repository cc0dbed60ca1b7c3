// Paimon types as Arrow types and back, and single values in and out of Arrow arrays.
//
// The in-memory mapping that every layer shares:
//   CHAR, VARCHAR -> utf8; BINARY, VARBINARY, BLOB -> binary; BOOLEAN -> bool; TINYINT..BIGINT -> int8..int64;
//   FLOAT, DOUBLE -> float, double; DECIMAL -> decimal128(p,s); DATE -> date32; TIME -> time32(ms);
//   TIMESTAMP(0..3) -> timestamp(ms), (4..6) -> timestamp(us), (7..9) -> timestamp(ns); TIMESTAMP_LTZ the same with
//   zone "UTC"; ARRAY -> list; MAP -> map; MULTISET -> map<T, int32 not null>; ROW -> struct; VARIANT -> struct<value:
//   binary not null, metadata: binary not null>.
// Field nullability follows the type; map keys are never null.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <arrow/type_fwd.h>

#include "types/binary_row.h"
#include "types/data_type.h"
#include "types/value.h"

namespace mica {

std::shared_ptr<arrow::DataType> ToArrowType(const DataType& type);
std::shared_ptr<arrow::Field> ToArrowField(const DataField& field);
std::shared_ptr<arrow::Schema> ToArrowSchema(const std::vector<DataField>& fields);

// The Paimon type of an Arrow field as users' data (Arrow stream, Parquet, CSV) brings it; ids are not set.
// Throws Unsupported naming the field.
DataField FromArrowField(const arrow::Field& field);

// The value at a row (of the mapping above; also large/view strings and dictionary are not needed here).
Value ValueAt(const arrow::Array& array, int64_t row, const DataType& type);
// Appends a value to a builder of the mapping's type. Throws Unsupported for a timestamp that the unit cannot hold
// (nanoseconds reach from 1677 to 2262).
void AppendValue(const Value& value, const DataType& type, arrow::ArrayBuilder* builder);
// An array of `length` equal values (partition columns of a file).
std::shared_ptr<arrow::Array> RepeatValue(const Value& value, const DataType& type, int64_t length);

// Bucket hashes (Format 7.1) of every row over the given columns of a batch, in order. One pass a column for
// fixed-width types, no per-row allocation. `hashes` gets batch.num_rows() values.
void HashRows(const arrow::RecordBatch& batch, std::span<const int> columns, std::span<const DataType> types,
              std::vector<int32_t>* hashes);
// BinaryRow of one row's columns.
BinaryRow RowAt(const arrow::RecordBatch& batch, int64_t row, std::span<const int> columns,
                std::span<const DataType> types);

}  // namespace mica
