// The scan of a system table: its reader's batches as DuckDB's rows.
#pragma once

#include <functional>

#include "sql/attached_catalog.h"

namespace mica::sql {

duckdb::TableFunction BindSystemScan(duckdb::ClientContext& context, SystemTableEntry& entry,
                                     duckdb::unique_ptr<duckdb::FunctionData>& bind_data);

// The scan of any reader of these columns; it is opened when the scan starts, and told which of them are wanted.
duckdb::TableFunction BindReader(std::vector<DataField> fields, std::function<std::unique_ptr<BatchReader>(const std::vector<bool>& wanted)> open,
                                 duckdb::unique_ptr<duckdb::FunctionData>& bind_data);

}  // namespace mica::sql
