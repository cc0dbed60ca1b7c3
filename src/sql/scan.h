// The scan of a table: DuckDB's multi-file Parquet scan with our list of splits, our mapping of columns and our readers.
// Splits that need no merge and lie in Parquet go through DuckDB's own reader; all others through SplitReader.
#pragma once

#include "sql/attached_catalog.h"

namespace mica::sql {

// The scan function of an entry, bound.
duckdb::TableFunction BindTableScan(duckdb::ClientContext& context, MicaTableEntry& entry,
                                    duckdb::unique_ptr<duckdb::FunctionData>& bind_data);

// Columns that are selected by name only (M-0502): __paimon_file_path, __paimon_partition, __paimon_bucket,
// __paimon_row_index.
duckdb::virtual_column_map_t ScanVirtualColumns(const TableSchema& schema);

}  // namespace mica::sql
