// What is grouped by, in the words of Hive and Spark that stand behind it: GROUP BY a, b WITH ROLLUP.
#pragma once

#include <cstddef>
#include <string_view>

#include "dialect/table_clause.h"

namespace mica::dialect {

struct GroupList {
  size_t end = 0;         // token position after the expressions
  std::string_view with;  // ROLLUP or CUBE, where WITH and this word come there
  bool sets = false;      // GROUPING SETS comes there
};

// The list that begins at i, behind GROUP BY.
GroupList ParseGroupList(const TokenSlice& tokens, size_t i);

// The position where the list ends that begins at i, behind DISTRIBUTE BY, SORT BY or CLUSTER BY.
size_t EndOfSortList(const TokenSlice& tokens, size_t i);

}  // namespace mica::dialect
