#include "dialect/function_list.h"

namespace mica::dialect {
namespace {

using enum FunctionKind;
using enum FunctionScope;

constexpr std::string_view kNotNullList =
    "list_filter(coalesce(list|, list_value()), lambda mica_value: mica_value IS NOT NULL)";

constexpr SqlFunction kAggregates[] = {
    {"count", kBoth, "count(*), count(a), count(DISTINCT a)", "rows; values that are not NULL"},
    {"sum", kBoth, "sum(x)", "sum; whole numbers give BIGINT, in Flink their own type", kNative},
    {"avg", kBoth, "avg(x)", "mean; decimals stay decimals, in Flink whole numbers stay whole", kNative},
    {"mean", kSpark, "mean(x)", "as avg", kNative},
    {"try_sum", kSpark, "try_sum(x)", "as sum; NULL where a sum of whole numbers does not fit BIGINT", kNative},
    {"try_avg", kSpark, "try_avg(x)", "as avg", kNative},
    {"min", kBoth, "min(x)", "the smallest value"},
    {"max", kBoth, "max(x)", "the greatest value"},
    {"min_by", kSpark, "min_by(x, y)", "x where y is smallest"},
    {"max_by", kSpark, "max_by(x, y)", "x where y is greatest"},
    {"count_if", kSpark, "count_if(condition)", "rows for which the condition holds"},
    {"approx_count_distinct", kBoth, "approx_count_distinct(x)", "about how many different values"},
    {"percentile", kSpark, "percentile(x, p)", "the value below which a part p lies, between two values", kAlias,
     "quantile_cont"},
    {"percentile_approx", kSpark, "percentile_approx(x, p [, accuracy])",
     "the smallest value up to which a part p lies, or an array of those for an array of parts (exact)", kAlias,
     "quantile_disc"},
    {"approx_percentile", kSpark, "approx_percentile(x, p [, accuracy])", "as percentile_approx", kAlias,
     "quantile_disc"},
    {"mica_percentile", kBoth, "", "", kMacro, "(x, p, accuracy) AS $quantile_disc(x, p)"},
    {"median", kSpark, "median(x)", "the value in the middle"},
    {"mode", kSpark, "mode(x)", "the most frequent value"},
    {"stddev", kSpark, "stddev(x)", "standard deviation of a sample", kAlias, "stddev_samp"},
    {"std", kSpark, "std(x)", "standard deviation of a sample", kAlias, "stddev_samp"},
    {"stddev_samp", kBoth, "stddev_samp(x)", "standard deviation of a sample"},
    {"stddev_pop", kBoth, "stddev_pop(x)", "standard deviation of a population"},
    {"variance", kBoth, "variance(x)", "variance of a sample", kAlias, "var_samp"},
    {"var_samp", kBoth, "var_samp(x)", "variance of a sample"},
    {"var_pop", kBoth, "var_pop(x)", "variance of a population"},
    {"corr", kSpark, "corr(y, x)", "correlation"},
    {"covar_samp", kSpark, "covar_samp(y, x)", "covariance of a sample"},
    {"covar_pop", kSpark, "covar_pop(y, x)", "covariance of a population"},
    {"kurtosis", kSpark, "kurtosis(x)", "excess kurtosis of a population", kAlias, "kurtosis_pop"},
    {"skewness", kSpark, "skewness(x)", "skewness of a population", kMacro,
     "(x) AS CASE WHEN $count(x) > 2 THEN $skewness(x) * ($count(x) - 2) / $sqrt(($count(x) * ($count(x) - "
     "1))::DOUBLE) "
     "END"},
    {"regr_count", kSpark, "regr_count(y, x)", "pairs without NULL"},
    {"regr_slope", kSpark, "regr_slope(y, x)", "slope of the line through the pairs"},
    {"regr_intercept", kSpark, "regr_intercept(y, x)", "where that line meets x = 0"},
    {"regr_r2", kSpark, "regr_r2(y, x)", "how well that line fits"},
    {"regr_avgx", kSpark, "regr_avgx(y, x)", "mean of x over the pairs"},
    {"regr_avgy", kSpark, "regr_avgy(y, x)", "mean of y over the pairs"},
    {"regr_sxx", kSpark, "regr_sxx(y, x)", "regr_count(y, x) * var_pop(x) over the pairs"},
    {"regr_syy", kSpark, "regr_syy(y, x)", "regr_count(y, x) * var_pop(y) over the pairs"},
    {"regr_sxy", kSpark, "regr_sxy(y, x)", "regr_count(y, x) * covar_pop(y, x) over the pairs"},
    {"bool_and", kSpark, "bool_and(x)", "whether all are TRUE"},
    {"every", kSpark, "every(x)", "whether all are TRUE", kAlias, "bool_and"},
    {"bool_or", kSpark, "bool_or(x)", "whether one is TRUE"},
    {"bit_and", kSpark, "bit_and(n)", "bits that are 1 in all"},
    {"bit_or", kSpark, "bit_or(n)", "bits that are 1 in one"},
    {"bit_xor", kSpark, "bit_xor(n)", "bits that are 1 in an odd number"},
    {"first", kSpark, "first(x [, without_null])", "the first value"},
    {"last", kSpark, "last(x [, without_null])", "the last value"},
    {"mica_first", kBoth, "", "", kMacro,
     "(x, skip) AS CASE WHEN skip THEN $first(x) FILTER (WHERE x IS NOT NULL) ELSE $first(x) END"},
    {"mica_flink_first", kBoth, "", "", kMacro, "(x) AS $any_value(x)"},
    {"mica_flink_last", kBoth, "", "", kMacro, "(x) AS $last(x) FILTER (WHERE x IS NOT NULL)"},
    {"mica_last", kBoth, "", "", kMacro,
     "(x, skip) AS CASE WHEN skip THEN $last(x) FILTER (WHERE x IS NOT NULL) ELSE $last(x) END"},
    {"any_value", kSpark, "any_value(x)", "a value that is not NULL"},
    {"some", kSpark, "some(x)", "whether one is TRUE", kRewritten, "bool_or|"},
    {"any", kSpark, "any(x)", "whether one is TRUE", kRewritten, "bool_or|"},
    {"first_value", kBoth, "first_value(x) [[IGNORE NULLS] OVER (...)]",
     "the first value of the window, or of all rows, in Flink of those that are not NULL"},
    {"last_value", kBoth, "last_value(x) [[IGNORE NULLS] OVER (...)]",
     "the last value of the window, or of all rows, in Flink of those that are not NULL"},
    {"nth_value", kSpark, "nth_value(x, n) OVER (...)", "value n of the window"},
    {"row_number", kBoth, "row_number() OVER (...)", "number of the row"},
    {"rank", kBoth, "rank() OVER (...)", "rank, with gaps"},
    {"dense_rank", kBoth, "dense_rank() OVER (...)", "rank, without gaps"},
    {"percent_rank", kBoth, "percent_rank() OVER (...)", "rank from 0 to 1"},
    {"cume_dist", kBoth, "cume_dist() OVER (...)", "part of the rows up to this one"},
    {"ntile", kBoth, "ntile(n) OVER (...)", "which of n parts the row is in"},
    {"lag", kBoth, "lag(x [, n [, otherwise]]) OVER (...)", "value n rows before"},
    {"lead", kBoth, "lead(x [, n [, otherwise]]) OVER (...)", "value n rows after"},
    {"collect_list", kSpark, "collect_list(x)", "array of the values that are not NULL", kRewritten, kNotNullList},
    {"array_agg", kSpark, "array_agg(x)", "as collect_list", kRewritten, kNotNullList},
    {"array_agg", kFlink, "array_agg(x)", "array of the values, NULL included", kAlias, "list"},
    {"collect_set", kSpark, "collect_set(x)", "array of the different values that are not NULL", kRewritten,
     "list_distinct(coalesce(list|, list_value()))"},
    {"collect", kFlink, "collect(x)", "multiset of the values", kAlias, "histogram"},
    {"listagg", kBoth, "listagg(x, separator)", "values joined to a text"},
    {"string_agg", kSpark, "string_agg(x, separator)", "values joined to a text"},
    {"grouping", kBoth, "grouping(a)", "1 in rows where a was rolled up"},
    {"grouping_id", kSpark, "grouping_id(a, b, ...)", "which columns were rolled up, as bits"},
};

}  // namespace

std::span<const SqlFunction> AggregateFunctions() {
  return kAggregates;
}

}  // namespace mica::dialect
