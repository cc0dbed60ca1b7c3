// Calls of Spark's functions whose arguments, most of them lambdas, the engine takes in another order or number:
//
//   aggregate(a, 0, (acc, x) -> acc + x)    struct_extract(list_reduce(list_transform(a, ...), lambda ...), 'sum')
//   array_sort(a, (x, y) -> x - y)          list_reduce(list_transform(a, ...), lambda ...: list_concat(...))
//   zip_with(a, b, (x, y) -> x + y)         list_transform(mica_zip(a, b), lambda z: struct_extract(z, 1) + ...)
//   struct(a AS x, b)                       struct("x" := a, b)
//   transform_values(m, (k, v) -> v + 1)    map_from_entries(list_transform(map_entries(m), lambda z: ...))
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dialect/table_clause.h"

namespace mica::dialect {

// Names that stand for another text, as parameters of a lambda do.
using Substitutions = std::vector<std::pair<std::string, std::string>>;

struct LambdaCall {
  std::string text;
  size_t end = 0;  // position after the call
};

// Rewrites the tokens [begin, end), in which the names are replaced.
using RewritePart = std::function<std::string(size_t begin, size_t end, const Substitutions&)>;

// The call whose name is at i; nothing where it is none of these. Throws a syntax error where its arguments are not
// those of the function.
std::optional<LambdaCall> RewriteLambdaCall(const TokenSlice& tokens, size_t i, const RewritePart& rewrite);

}  // namespace mica::dialect
