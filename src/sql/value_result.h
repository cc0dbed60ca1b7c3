// Rows of typed values that Mica made itself: what procedures give.
#pragma once

#include <memory>
#include <vector>

#include "sql/result.h"
#include "types/value.h"

namespace mica::sql {

std::unique_ptr<DuckResult> ValueResult(const duckdb::shared_ptr<duckdb::ClientContext>& context,
                                        const std::vector<DataField>& columns, const std::vector<std::vector<Value>>& rows);

}  // namespace mica::sql
