// The rows that MERGE INTO brings: what stands after USING, under one name.
#pragma once

#include <string>

#include "sql/expression_text.h"

namespace mica::sql {

struct MergeSource {
  std::string from;   // what stands after FROM
  ColumnScope scope;  // its name and columns
};

}  // namespace mica::sql
