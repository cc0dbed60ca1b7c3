// INSERT INTO and INSERT OVERWRITE: a sink that turns the query's rows into batches and gives them to table/write. What it
// wrote waits in the transaction for the commit.
#pragma once

#include "sql/attached_catalog.h"

namespace mica::sql {

duckdb::PhysicalOperator& PlanMicaInsert(duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
                                         duckdb::LogicalInsert& op, duckdb::optional_ptr<duckdb::PhysicalOperator> plan);

}  // namespace mica::sql
