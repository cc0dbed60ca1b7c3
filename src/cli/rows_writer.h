// Rows of procedures in the formats of --format, without the SQL library.
#pragma once

#include <cstdio>
#include <vector>

#include "procedures/registry.h"
#include "procedures/sql_session.h"

namespace mica::cli {

std::string FormatRows(const std::vector<DataField>& columns, const std::vector<ProcedureRow>& rows, RenderFormat format);

}  // namespace mica::cli
