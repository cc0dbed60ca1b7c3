// UPDATE, DELETE and MERGE INTO of tables without a primary key: a sink that takes changed rows and the places of those that
// go. At the end the files with such rows are written anew, or get deletion vectors; the transaction commits it all.
#pragma once

#include "sql/attached_catalog.h"

namespace mica::sql {

// `rows` gives the columns of changed_table.h. `table` carries the options of the statement.
duckdb::PhysicalOperator& PlanRowChanges(duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
                                         MicaTableEntry& entry, TablePtr table, duckdb::PhysicalOperator& rows,
                                         const duckdb::vector<duckdb::LogicalType>& result_types);

}  // namespace mica::sql
