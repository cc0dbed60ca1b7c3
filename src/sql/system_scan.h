// The scan of a system table: its reader's batches as DuckDB's rows.
#pragma once

#include "sql/attached_catalog.h"

namespace mica::sql {

duckdb::TableFunction BindSystemScan(duckdb::ClientContext& context, SystemTableEntry& entry,
                                     duckdb::unique_ptr<duckdb::FunctionData>& bind_data);

}  // namespace mica::sql
