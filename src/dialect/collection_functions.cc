#include "dialect/function_list.h"

namespace mica::dialect {
namespace {

using enum FunctionKind;
using enum FunctionScope;

constexpr SqlFunction kCollections[] = {
    {"array", kSpark, "array(a, ...)", "array of the values", kAlias, "list_value"},
    {"array", kFlink, "ARRAY[a, ...]", "array of the values"},
    {"map", kSpark, "map(k, v, ...)", "map of keys and values in turn", kNative},
    {"map", kFlink, "MAP[k, v, ...]", "map of keys and values in turn", kNative},
    {"named_struct", kSpark, "named_struct('a', x, ...)", "struct of names and values in turn", kNative},
    {"struct", kSpark, "struct(a, ...)", "struct of the values, named as the columns they are, else col1, col2, ...",
     kNative},
    {"row", kFlink, "ROW(a, ...)", "row of the values"},
    {"size", kSpark, "size(x)", "elements of an array or map; -1 for NULL", kNative},
    {"cardinality", kSpark, "cardinality(x)", "elements of an array or map; -1 for NULL", kNative},
    {"array_size", kSpark, "array_size(x)", "elements of an array", kMacro, "(a) AS CAST($len(a) AS INTEGER)"},
    {"cardinality", kFlink, "cardinality(x)", "elements of an array or map", kNative},
    {"array_extract", kSpark, "a[n], m[key]", "element n of an array, counted from 0, or the value of a key", kNative},
    {"element_at", kSpark, "element_at(a, n), element_at(m, key)",
     "element n of an array, counted from 1, from the end for negative n, or the value of a key", kNative},
    {"try_element_at", kSpark, "try_element_at(a, n)", "as element_at", kNative},
    {"get", kSpark, "get(a, n)", "element n of an array, counted from 0; NULL when there is none", kMacro,
     "(a, n) AS CASE WHEN n < 0 THEN NULL ELSE list_extract(a, n + 1) END"},
    {"element", kFlink, "element(a)", "the only element of an array", kMacro,
     "(a) AS CASE WHEN len(a) > 1 THEN error('element() of an array with more than one') ELSE list_extract(a, 1) END"},
    {"array_contains", kBoth, "array_contains(a, x)", "whether x is an element", kMacro,
     "(a, x) AS CASE WHEN x IS NULL OR a IS NULL THEN NULL WHEN $list_contains(a, x) THEN TRUE "
     "WHEN len(a) > list_count(a) THEN NULL ELSE FALSE END"},
    {"array_position", kBoth, "array_position(a, x)", "where x first is, counted from 1; 0 when it is not", kMacro,
     "(a, x) AS CASE WHEN a IS NULL OR x IS NULL THEN NULL ELSE coalesce($list_position(a, x), 0) END"},
    {"array_append", kBoth, "array_append(a, x)", "a with x at its end"},
    {"array_prepend", kBoth, "array_prepend(a, x)", "a with x at its start", kMacro, "(a, x) AS $list_prepend(x, a)"},
    {"array_concat", kFlink, "array_concat(a, b, ...)", "arrays one after the other", kAlias, "list_concat"},
    {"array_remove", kBoth, "array_remove(a, x)", "a without the elements equal to x", kMacro,
     "(a, x) AS list_filter(a, lambda v: v IS DISTINCT FROM x)"},
    {"array_compact", kSpark, "array_compact(a)", "a without its NULL elements", kMacro,
     "(a) AS list_filter(a, lambda v: v IS NOT NULL)"},
    {"array_distinct", kBoth, "array_distinct(a)", "each element once, in order", kMacro, "(a) AS mica_once(a)"},
    {"mica_once", kBoth, "", "", kMacro,
     "(a) AS list_filter(a, lambda v, i: coalesce($list_position(a[1:i - 1], v), 0) = 0)"},
    {"array_union", kBoth, "array_union(a, b)", "elements of either, each once", kMacro,
     "(a, b) AS mica_once(list_concat(a, b))"},
    {"array_intersect", kBoth, "array_intersect(a, b)", "elements of both, each once", kMacro,
     "(a, b) AS list_filter(mica_once(a), lambda v: coalesce($list_position(b, v), 0) > 0)"},
    {"array_except", kBoth, "array_except(a, b)", "elements of a that are not in b, each once", kMacro,
     "(a, b) AS list_filter(mica_once(a), lambda v: coalesce($list_position(b, v), 0) = 0)"},
    {"array_join", kBoth, "array_join(a, separator [, for_null])", "elements joined to a text; NULL left out", kMacro,
     "(a, s) AS array_to_string(a, s), "
     "(a, s, n) AS array_to_string(list_transform(a, lambda v: coalesce(CAST(v AS VARCHAR), n)), s)"},
    {"array_insert", kSpark, "array_insert(a, n, x)",
     "a with x at place n, counted from 1, or from the end for negative n; NULL between", kMacro,
     "(a, n, x) AS CASE WHEN a IS NULL OR n IS NULL THEN NULL "
     "WHEN n = 0 THEN error('array_insert counts places from 1, or from the end for negative ones') "
     "WHEN n > 0 THEN list_concat(list_append(list_resize(a[1:n - 1], n - 1), x), a[n:]) "
     "WHEN len(a) + n + 2 > 0 THEN list_concat(list_append(a[1:len(a) + n + 1], x), a[len(a) + n + 2:]) "
     "ELSE list_concat(list_resize(list_value(x), -n - len(a)), a) END"},
    {"array_max", kBoth, "array_max(a)", "the greatest element", kAlias, "list_max"},
    {"array_min", kBoth, "array_min(a)", "the smallest element", kAlias, "list_min"},
    {"array_repeat", kSpark, "array_repeat(x, n)", "array of n times x", kMacro,
     "(x, n) AS list_transform(range(n), lambda i: x)"},
    {"array_reverse", kFlink, "array_reverse(a)", "a backwards", kAlias, "list_reverse"},
    {"array_sort", kSpark, "array_sort(a [, (x, y) -> ...])",
     "a in order, NULL last; or in the order of a lambda that is negative where x comes before y", kMacro,
     "(a) AS list_sort(a, 'ASC', 'NULLS LAST')"},
    {"sort_array", kSpark, "sort_array(a [, ascending])", "a in order, NULL first; or backwards, NULL last", kMacro,
     "(a) AS list_sort(a, 'ASC', 'NULLS FIRST'), (a, u) AS CASE WHEN u THEN list_sort(a, 'ASC', 'NULLS FIRST') "
     "ELSE list_sort(a, 'DESC', 'NULLS LAST') END"},
    {"array_sort", kFlink, "array_sort(a [, ascending])", "a in order, NULL first; or backwards, NULL last", kMacro,
     "(a) AS list_sort(a, 'ASC', 'NULLS FIRST'), (a, u) AS CASE WHEN u THEN list_sort(a, 'ASC', 'NULLS FIRST') "
     "ELSE list_sort(a, 'DESC', 'NULLS LAST') END"},
    {"array_slice", kFlink, "array_slice(a, from, to)", "elements from one place to another, both included"},
    {"shuffle", kSpark, "shuffle(a)", "a in random order", kMacro,
     "(a) AS list_transform(list_sort(list_transform(a, lambda x: {'place': $random(), 'x': x})), lambda pair: pair.x)"},
    {"slice", kSpark, "slice(a, from, length)", "part of an array, counted from 1, from the end for negative from",
     kMacro, "(a, f, n) AS CASE WHEN f > 0 THEN a[f:f + n - 1] ELSE a[len(a) + f + 1:len(a) + f + n] END"},
    {"arrays_overlap", kSpark, "arrays_overlap(a, b)",
     "whether they have an element in common; NULL where only a NULL could be", kMacro,
     "(a, b) AS CASE WHEN list_has_any(a, b) THEN TRUE WHEN a IS NULL OR b IS NULL THEN NULL WHEN $len(a) > 0 AND "
     "$len(b) > 0 AND (list_count(a) < $len(a) OR list_count(b) < $len(b)) THEN NULL ELSE FALSE END"},
    {"arrays_zip", kSpark, "arrays_zip(a, b)", "array of structs of the elements at the same place", kAlias,
     "list_zip"},
    {"flatten", kSpark, "flatten(a)", "elements of the elements; NULL where one is NULL", kMacro,
     "(a) AS CASE WHEN list_count(a) = $len(a) THEN $flatten(a) END"},
    {"sequence", kSpark, "sequence(from, to [, step])", "array of whole numbers, dates or times, both ends included",
     kMacro,
     "(a INTEGER, b INTEGER) AS CAST(CASE WHEN a <= b THEN $generate_series(a, b) ELSE $generate_series(a, b, -1) END "
     "AS "
     "INTEGER[]), (a INTEGER, b INTEGER, s INTEGER) AS CAST($generate_series(a, b, s) AS INTEGER[]), "
     "(a BIGINT, b BIGINT) AS CASE WHEN a <= b THEN $generate_series(a, b) ELSE $generate_series(a, b, -1) END, "
     "(a BIGINT, b BIGINT, s BIGINT) AS $generate_series(a, b, s), "
     "(a DATE, b DATE) AS list_transform($generate_series(a, b, INTERVAL 1 DAY), lambda d: CAST(d AS DATE)), "
     "(a DATE, b DATE, s INTERVAL) AS list_transform($generate_series(a, b, s), lambda d: CAST(d AS DATE)), "
     "(a TIMESTAMP, b TIMESTAMP, s INTERVAL) AS $generate_series(a, b, s), "
     "(a TIMESTAMPTZ, b TIMESTAMPTZ, s INTERVAL) AS $generate_series(a, b, s)"},
    {"transform", kSpark, "transform(a, x -> ...), transform(a, (x, i) -> ...)",
     "the expression of each element; i counts from 0", kAlias, "list_transform"},
    {"filter", kSpark, "filter(a, x -> ...)", "elements for which the condition holds", kRewritten, "list_filter|"},
    {"aggregate", kSpark, "aggregate(a, start, (sum, x) -> ... [, sum -> ...])",
     "what the lambda makes of the elements one after the other; the result by another lambda", kRewritten,
     "list_reduce|"},
    {"reduce", kSpark, "reduce(a, start, (sum, x) -> ... [, sum -> ...])", "as aggregate", kRewritten, "list_reduce|"},
    {"zip_with", kSpark, "zip_with(a, b, (x, y) -> ...)",
     "the expression of the elements at each place; NULL beyond the end", kRewritten, "mica_zip|"},
    {"mica_zip", kBoth, "", "", kMacro, "(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE list_zip(a, b) END"},
    {"transform_keys", kSpark, "transform_keys(m, (k, v) -> ...)", "map with the expressions as keys", kRewritten,
     "map|"},
    {"transform_values", kSpark, "transform_values(m, (k, v) -> ...)", "map with the expressions as values", kRewritten,
     "map|"},
    {"map_filter", kSpark, "map_filter(m, (k, v) -> ...)", "the pairs for which the condition holds", kRewritten,
     "map|"},
    {"map_zip_with", kSpark, "map_zip_with(a, b, (k, x, y) -> ...)",
     "map of the expressions of each key's values; NULL where one has no such key", kRewritten, "mica_zip_maps|"},
    {"mica_zip_maps", kBoth, "", "", kMacro,
     "(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE list_transform(mica_once(list_concat("
     "$map_keys(a), $map_keys(b))), lambda k: struct_pack(k := k, x := map_extract_value(a, k), "
     "y := map_extract_value(b, k))) END"},
    {"exists", kSpark, "exists(a, x -> ...)", "whether the condition holds for an element", kRewritten,
     "mica_any(list_transform|)"},
    {"forall", kSpark, "forall(a, x -> ...)", "whether the condition holds for all elements", kRewritten,
     "mica_all(list_transform|)"},
    // As OR and AND of the values.
    {"mica_any", kBoth, "", "", kMacro,
     "(a) AS CASE WHEN a IS NULL THEN NULL WHEN list_bool_or(a) THEN TRUE WHEN list_count(a) < $len(a) THEN NULL "
     "ELSE FALSE END"},
    {"mica_all", kBoth, "", "", kMacro,
     "(a) AS CASE WHEN a IS NULL THEN NULL WHEN NOT list_bool_and(a) THEN FALSE WHEN list_count(a) < $len(a) THEN NULL "
     "ELSE TRUE END"},
    {"explode", kSpark, "explode(x), LATERAL VIEW explode(x) t AS a",
     "a row for each element of an array, or for each key and value of a map", kGenerator, "mica_explode"},
    {"explode_outer", kSpark, "explode_outer(x)", "as explode, and a row with NULL when there is no element",
     kGenerator, "mica_at_least_one(mica_explode"},
    {"posexplode", kSpark, "posexplode(x)", "as explode, with the position of the element, counted from 0, before it",
     kGenerator, "mica_posexplode"},
    {"posexplode_outer", kSpark, "posexplode_outer(x)", "as posexplode, and a row with NULL when there is no element",
     kGenerator, "mica_at_least_one(mica_posexplode"},
    {"inline", kSpark, "inline(a)", "a row for each struct of an array, its fields as columns", kGenerator,
     "mica_inline"},
    {"inline_outer", kSpark, "inline_outer(a)", "as inline, and a row with NULL when there is no struct", kGenerator,
     "mica_at_least_one(mica_inline"},
    {"stack", kSpark, "stack(n, a, b, ...)", "the values in n rows", kGenerator, "mica_stack"},
    {"json_tuple", kSpark, "json_tuple(s, 'a', 'b', ...)", "a row of what a JSON text has under these keys", kGenerator,
     "mica_json_tuple"},
    {"mica_explode", kBoth, "", "", kNative},
    {"mica_posexplode", kBoth, "", "", kNative},
    {"mica_inline", kBoth, "", "", kNative},
    {"mica_stack", kBoth, "", "", kNative},
    {"mica_json_tuple", kBoth, "", "", kNative},
    {"mica_named", kBoth, "", "", kNative},
    {"mica_tuple", kBoth, "", "", kNative},
    {"mica_at_least_one", kBoth, "", "", kMacro, "(a) AS CASE WHEN len(a) > 0 THEN a ELSE list_value(NULL) END"},
    {"unnest", kFlink, "CROSS JOIN UNNEST(x) [WITH ORDINALITY] AS t(a, ...)",
     "a row for each element of an array, of which the fields of rows are columns, or for each key and value of a map",
     kGenerator, "mica_unnest"},
    {"mica_unnest", kFlink, "", "", kNative},
    {"mica_unnest_counted", kFlink, "", "", kNative},
    {"map_keys", kBoth, "map_keys(m)", "keys of a map"},
    {"map_values", kBoth, "map_values(m)", "values of a map"},
    {"map_entries", kBoth, "map_entries(m)", "array of the pairs of a map"},
    {"map_from_arrays", kBoth, "map_from_arrays(keys, values)", "map of two arrays", kAlias, "map"},
    {"map_from_entries", kSpark, "map_from_entries(a)", "map of an array of pairs"},
    {"map_concat", kSpark, "map_concat(a, b, ...)", "maps put together"},
    {"map_union", kFlink, "map_union(a, b, ...)", "maps put together", kAlias, "map_concat"},
    {"map_contains_key", kSpark, "map_contains_key(m, key)", "whether a map has a key", kMacro,
     "(m, k) AS $list_contains($map_keys(m), k)"},
};

constexpr SqlFunction kConditions[] = {
    {"coalesce", kBoth, "coalesce(a, b, ...)", "the first that is not NULL"},
    {"nvl", kSpark, "nvl(a, b)", "a, or b when a is NULL", kRewritten, "coalesce|"},
    {"ifnull", kBoth, "ifnull(a, b)", "a, or b when a is NULL"},
    {"nvl2", kSpark, "nvl2(a, b, c)", "b when a is not NULL, else c", kMacro,
     "(a, b, c) AS CASE WHEN a IS NOT NULL THEN b ELSE c END"},
    {"nullif", kBoth, "nullif(a, b)", "a; NULL when a equals b"},
    {"if", kBoth, "if(condition, a, b)", "a when the condition holds, else b"},
    {"nullifzero", kSpark, "nullifzero(a)", "a; NULL when a is 0", kMacro, "(a) AS nullif(a, 0)"},
    {"zeroifnull", kSpark, "zeroifnull(a)", "a, or 0 when a is NULL", kMacro, "(a) AS coalesce(a, 0)"},
    {"equal_null", kSpark, "equal_null(a, b)", "whether a equals b; NULL equals NULL", kMacro,
     "(a, b) AS a IS NOT DISTINCT FROM b"},
    {"raise_error", kSpark, "raise_error(message)", "fails with the message", kMacro, "(m) AS error(m)"},
    {"assert_true", kSpark, "assert_true(condition [, message])", "NULL; fails when the condition does not hold",
     kMacro,
     "(c) AS CASE WHEN c THEN NULL ELSE error('assert_true: the condition does not hold') END, "
     "(c, m) AS CASE WHEN c THEN NULL ELSE error(m) END"},
    {"typeof", kSpark, "typeof(x)", "the name of the type of x", kNative},
    {"isnull", kSpark, "isnull(a)", "whether a is NULL", kMacro, "(a) AS a IS NULL"},
    {"isnotnull", kSpark, "isnotnull(a)", "whether a is not NULL", kMacro, "(a) AS a IS NOT NULL"},
    {"greatest", kSpark, "greatest(a, b, ...)", "the greatest; NULL is left out"},
    {"least", kSpark, "least(a, b, ...)", "the smallest; NULL is left out"},
    {"greatest", kFlink, "greatest(a, b, ...)", "the greatest; NULL when one of them is", kNative},
    {"least", kFlink, "least(a, b, ...)", "the smallest; NULL when one of them is", kNative},
    {"is_alpha", kFlink, "is_alpha(s)", "whether s holds letters only", kMacro,
     "(s) AS coalesce($regexp_full_match(s, '[a-zA-Z]+'), FALSE)"},
    {"is_digit", kFlink, "is_digit(s)", "whether s holds digits only", kMacro,
     "(s) AS coalesce($regexp_full_match(s, '[0-9]+'), FALSE)"},
    {"is_decimal", kFlink, "is_decimal(s)", "whether s is a number", kMacro,
     "(s) AS coalesce($regexp_full_match(s, '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)'), FALSE)"},
    {"current_database", kBoth, "current_database()", "the database in use", kMacro, "() AS $current_schema()"},
    {"current_schema", kSpark, "current_schema()", "the database in use"},
    {"current_user", kSpark, "current_user()", "the user of the operating system", kNative},
    {"user", kSpark, "user()", "as current_user", kRewritten, "current_user|"},
    {"current_catalog", kSpark, "current_catalog()", "the catalog in use", kMacro, "() AS $current_database()"},
};

}  // namespace

std::span<const SqlFunction> CollectionFunctions() {
  return kCollections;
}

std::span<const SqlFunction> ConditionFunctions() {
  return kConditions;
}

}  // namespace mica::dialect
