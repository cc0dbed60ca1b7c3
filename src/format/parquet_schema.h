// The physical schema of Parquet files as Java Paimon writes it (Format 8.2), and statistics of column chunks as
// values.
#pragma once

#include <memory>
#include <vector>

#include <parquet/type_fwd.h>

namespace parquet {
class ColumnChunkMetaData;
class ColumnDescriptor;
}  // namespace parquet

#include "format/data_file.h"
#include "types/data_type.h"

namespace parquet::schema {
class Node;
class GroupNode;
}  // namespace parquet::schema

namespace mica {

// The message `paimon_schema` with field ids. Throws Unsupported naming a column that Parquet files cannot hold.
std::shared_ptr<parquet::schema::GroupNode> ToParquetSchema(const std::vector<DataField>& fields);

// Minimum, maximum and null count of a chunk of a top-level column of this type; what is not there, or not to be
// trusted (INT96, binary, NaN, unexpected physical types), is left out.
ColumnStats ChunkStats(const parquet::ColumnChunkMetaData& chunk, const parquet::ColumnDescriptor& column,
                       const DataType& type);

// A bound as statistics and column indexes encode it; nothing for what is not to be trusted.
std::optional<Value> DecodeBound(const std::string& encoded, const parquet::ColumnDescriptor& column,
                                 const DataType& type);

}  // namespace mica
