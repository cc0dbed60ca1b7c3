// Columns that are named by a word which the engine reserves and Spark does not: `SELECT at, end FROM t WHERE at > 1`.
// They are known by where they stand: a value is expected, and what follows goes on after a value.
#pragma once

#include <cstddef>

#include "dialect/table_clause.h"

namespace mica::dialect {

bool IsBareColumn(const TokenSlice& tokens, size_t i);

}  // namespace mica::dialect
