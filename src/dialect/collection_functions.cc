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
    {"array_size", kSpark, "array_size(x)", "elements of an array", kAlias, "len"},
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
    {"array_intersect", kSpark, "array_intersect(a, b)", "elements of both, each once", kMacro,
     "(a, b) AS list_filter(mica_once(a), lambda v: coalesce($list_position(b, v), 0) > 0)"},
    {"array_except", kBoth, "array_except(a, b)", "elements of a that are not in b, each once", kMacro,
     "(a, b) AS list_filter(mica_once(a), lambda v: coalesce($list_position(b, v), 0) = 0)"},
    {"array_join", kBoth, "array_join(a, separator [, for_null])", "elements joined to a text; NULL left out", kMacro,
     "(a, s) AS array_to_string(a, s), "
     "(a, s, n) AS array_to_string(list_transform(a, lambda v: coalesce(CAST(v AS VARCHAR), n)), s)"},
    {"array_max", kBoth, "array_max(a)", "the greatest element", kAlias, "list_max"},
    {"array_min", kBoth, "array_min(a)", "the smallest element", kAlias, "list_min"},
    {"array_repeat", kSpark, "array_repeat(x, n)", "array of n times x", kMacro,
     "(x, n) AS list_transform(range(n), lambda i: x)"},
    {"array_reverse", kFlink, "array_reverse(a)", "a backwards", kAlias, "list_reverse"},
    {"array_sort", kSpark, "array_sort(a)", "a in order, NULL last", kMacro,
     "(a) AS list_sort(a, 'ASC', 'NULLS LAST')"},
    {"sort_array", kSpark, "sort_array(a [, ascending])", "a in order, NULL first; or backwards, NULL last", kMacro,
     "(a) AS list_sort(a, 'ASC', 'NULLS FIRST'), (a, u) AS CASE WHEN u THEN list_sort(a, 'ASC', 'NULLS FIRST') "
     "ELSE list_sort(a, 'DESC', 'NULLS LAST') END"},
    {"array_sort", kFlink, "array_sort(a [, ascending])", "a in order, NULL first; or backwards, NULL last", kMacro,
     "(a) AS list_sort(a, 'ASC', 'NULLS FIRST'), (a, u) AS CASE WHEN u THEN list_sort(a, 'ASC', 'NULLS FIRST') "
     "ELSE list_sort(a, 'DESC', 'NULLS LAST') END"},
    {"array_slice", kFlink, "array_slice(a, from, to)", "elements from one place to another, both included"},
    {"slice", kSpark, "slice(a, from, length)", "part of an array, counted from 1, from the end for negative from",
     kMacro, "(a, f, n) AS CASE WHEN f > 0 THEN a[f:f + n - 1] ELSE a[len(a) + f + 1:len(a) + f + n] END"},
    {"arrays_overlap", kSpark, "arrays_overlap(a, b)", "whether they have an element in common", kAlias,
     "list_has_any"},
    {"arrays_zip", kSpark, "arrays_zip(a, b)", "array of structs of the elements at the same place", kAlias,
     "list_zip"},
    {"flatten", kSpark, "flatten(a)", "elements of the elements"},
    {"sequence", kSpark, "sequence(from, to [, step])", "array of whole numbers or dates, both ends included", kMacro,
     "(a BIGINT, b BIGINT) AS CASE WHEN a <= b THEN $generate_series(a, b) ELSE $generate_series(a, b, -1) END, "
     "(a BIGINT, b BIGINT, s BIGINT) AS $generate_series(a, b, s), "
     "(a DATE, b DATE) AS list_transform($generate_series(a, b, INTERVAL 1 DAY), lambda d: CAST(d AS DATE)), "
     "(a DATE, b DATE, s INTERVAL) AS list_transform($generate_series(a, b, s), lambda d: CAST(d AS DATE))"},
    {"transform", kSpark, "transform(a, x -> ...), transform(a, (x, i) -> ...)",
     "the expression of each element; i counts from 0", kAlias, "list_transform"},
    {"filter", kSpark, "filter(a, x -> ...)", "elements for which the condition holds", kRewritten, "list_filter|"},
    {"exists", kSpark, "exists(a, x -> ...)", "whether the condition holds for an element", kRewritten,
     "list_bool_or(list_transform|)"},
    {"forall", kSpark, "forall(a, x -> ...)", "whether the condition holds for all elements", kRewritten,
     "list_bool_and(list_transform|)"},
    {"explode", kSpark, "explode(a), LATERAL VIEW explode(a) t AS x", "a row for each element", kRewritten, "unnest|"},
    {"explode_outer", kSpark, "explode_outer(a)", "a row for each element, one with NULL when there is none",
     kRewritten, "unnest(mica_at_least_one|)"},
    {"mica_at_least_one", kBoth, "", "", kMacro, "(a) AS CASE WHEN len(a) > 0 THEN a ELSE list_value(NULL) END"},
    {"unnest", kFlink, "CROSS JOIN UNNEST(a) AS t(x)", "a row for each element"},
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
