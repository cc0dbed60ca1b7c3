#include "dialect/function_list.h"

namespace mica::dialect {
namespace {

using enum FunctionKind;
using enum FunctionScope;

constexpr SqlFunction kNumbers[] = {
    {"/", kBoth, "a / b",
     "Spark: not whole for whole numbers, NULL for b = 0; Flink: whole for whole numbers; both: "
     "decimals stay decimals",
     kNative},
    {"@^", kBoth, "", "", kAlias, "xor"},
    {"mica_truncate", kBoth, "", "", kNative},
    {"mica_text", kBoth, "", "", kNative},
    {"mica_moment", kSpark, "", "", kNative},
    {"abs", kBoth, "abs(x)", "x without its sign"},
    {"round", kBoth, "round(x [, digits])", "x rounded, halves away from zero", kNative},
    {"bround", kSpark, "bround(x [, digits])", "x rounded, halves to the even digit", kMacro,
     "(x) AS $round_even(x, 0), (x, d) AS $round_even(x, d)"},
    {"rint", kSpark, "rint(x)", "x rounded to a whole number, halves to the even one", kMacro,
     "(x) AS $round_even(CAST(x AS DOUBLE), 0)"},
    {"ceil", kSpark, "ceil(x)", "the smallest whole number from x on", kMacro, "(x) AS CAST($ceil(x) AS BIGINT)"},
    {"ceiling", kSpark, "ceiling(x)", "as ceil", kMacro, "(x) AS CAST($ceil(x) AS BIGINT)"},
    {"floor", kSpark, "floor(x)", "the greatest whole number up to x", kMacro, "(x) AS CAST($floor(x) AS BIGINT)"},
    {"truncate", kFlink, "truncate(x [, digits])", "x without further digits", kMacro,
     "(x) AS $trunc(x), (x, d) AS $trunc(x * power(10, d)) / power(10, d)"},
    {"mod", kBoth, "mod(a, b), a % b", "what is left of a after dividing by b; the sign is a's", kMacro,
     "(a, b) AS a % b"},
    {"pmod", kSpark, "pmod(a, b)", "as mod; b is added where that is negative", kMacro,
     "(a, b) AS CASE WHEN a % b < 0 THEN (a % b + b) % b ELSE a % b END"},
    {"power", kBoth, "power(x, y)", "x to the power y"},
    {"pow", kSpark, "pow(x, y)", "x to the power y"},
    {"sqrt", kBoth, "sqrt(x)", "square root; NaN of negative numbers", kMacro,
     "(x) AS CASE WHEN x < 0 THEN 'NaN'::DOUBLE ELSE $sqrt(CAST(CASE WHEN x < 0 THEN 0 ELSE x END AS DOUBLE)) END"},
    {"cbrt", kSpark, "cbrt(x)", "cube root"},
    {"exp", kBoth, "exp(x)", "e to the power x"},
    {"expm1", kSpark, "expm1(x)", "exp(x) - 1", kMacro, "(x) AS $exp(x) - 1"},
    {"ln", kSpark, "ln(x)", "natural logarithm; NULL when x is not positive", kMacro,
     "(x) AS CASE WHEN x > 0 THEN $ln(CAST(CASE WHEN x > 0 THEN x ELSE 1 END AS DOUBLE)) END"},
    {"ln", kFlink, "ln(x)", "natural logarithm"},
    {"log", kSpark, "log([base,] x)", "natural logarithm, or to a base; NULL when x is not positive", kMacro,
     "(x) AS CASE WHEN x > 0 THEN $ln(CAST(CASE WHEN x > 0 THEN x ELSE 1 END AS DOUBLE)) END, "
     "(b, x) AS CASE WHEN x > 0 AND b > 0 THEN $log(CAST(CASE WHEN b > 0 THEN b ELSE 2 END AS DOUBLE), "
     "CAST(CASE WHEN x > 0 THEN x ELSE 1 END AS DOUBLE)) END"},
    {"log", kFlink, "log([base,] x)", "natural logarithm, or to a base", kMacro,
     "(x) AS $ln(x), (b, x) AS $log(CAST(b AS DOUBLE), CAST(x AS DOUBLE))"},
    {"log10", kSpark, "log10(x)", "logarithm to base 10; NULL when x is not positive", kMacro,
     "(x) AS CASE WHEN x > 0 THEN $log10(CAST(CASE WHEN x > 0 THEN x ELSE 1 END AS DOUBLE)) END"},
    {"log10", kFlink, "log10(x)", "logarithm to base 10"},
    {"log2", kSpark, "log2(x)", "logarithm to base 2; NULL when x is not positive", kMacro,
     "(x) AS CASE WHEN x > 0 THEN $log2(CAST(CASE WHEN x > 0 THEN x ELSE 1 END AS DOUBLE)) END"},
    {"log2", kFlink, "log2(x)", "logarithm to base 2"},
    {"log1p", kSpark, "log1p(x)", "ln(1 + x)", kMacro,
     "(x) AS CASE WHEN x > -1 THEN $ln(CAST(CASE WHEN x > -1 THEN 1 + x ELSE 1 END AS DOUBLE)) END"},
    {"sin", kBoth, "sin(x)", "sine"},
    {"cos", kBoth, "cos(x)", "cosine"},
    {"tan", kBoth, "tan(x)", "tangent"},
    {"cot", kBoth, "cot(x)", "cotangent"},
    {"asin", kBoth, "asin(x)", "inverse sine; NaN outside of -1 to 1", kMacro,
     "(x) AS CASE WHEN x BETWEEN -1 AND 1 THEN $asin(CASE WHEN x BETWEEN -1 AND 1 THEN x ELSE 0 END) "
     "WHEN x IS NOT NULL THEN 'NaN'::DOUBLE END"},
    {"acos", kBoth, "acos(x)", "inverse cosine; NaN outside of -1 to 1", kMacro,
     "(x) AS CASE WHEN x BETWEEN -1 AND 1 THEN $acos(CASE WHEN x BETWEEN -1 AND 1 THEN x ELSE 0 END) "
     "WHEN x IS NOT NULL THEN 'NaN'::DOUBLE END"},
    {"atan", kBoth, "atan(x)", "inverse tangent"},
    {"atan2", kBoth, "atan2(y, x)", "angle of a point"},
    {"sinh", kBoth, "sinh(x)", "hyperbolic sine"},
    {"cosh", kBoth, "cosh(x)", "hyperbolic cosine"},
    {"tanh", kBoth, "tanh(x)", "hyperbolic tangent"},
    {"sec", kSpark, "sec(x)", "1 / cos(x)", kMacro, "(x) AS 1 / $cos(x)"},
    {"csc", kSpark, "csc(x)", "1 / sin(x)", kMacro, "(x) AS 1 / $sin(x)"},
    {"degrees", kBoth, "degrees(x)", "an angle in degrees"},
    {"radians", kBoth, "radians(x)", "an angle in radians"},
    {"hypot", kSpark, "hypot(a, b)", "square root of a*a + b*b", kMacro,
     "(a, b) AS $sqrt(CAST(a * a + b * b AS DOUBLE))"},
    {"pi", kBoth, "pi()", "3.14159..."},
    {"e", kBoth, "e()", "2.71828...", kMacro, "() AS $exp(1)"},
    {"sign", kSpark, "sign(x)", "-1, 0 or 1", kMacro, "(x) AS CAST($sign(x) AS DOUBLE)"},
    {"signum", kSpark, "signum(x)", "-1, 0 or 1", kMacro, "(x) AS CAST($sign(x) AS DOUBLE)"},
    {"sign", kFlink, "sign(x)", "-1, 0 or 1"},
    {"negative", kSpark, "negative(x)", "-x", kMacro, "(x) AS -x"},
    {"positive", kSpark, "positive(x)", "x", kMacro, "(x) AS x"},
    {"factorial", kSpark, "factorial(n)", "product of 1 to n, n from 0 to 20; NULL otherwise", kMacro,
     "(n) AS CASE WHEN n BETWEEN 0 AND 20 THEN CAST($factorial(CASE WHEN n BETWEEN 0 AND 20 THEN n ELSE 0 END) AS "
     "BIGINT) END"},
    {"bin", kBoth, "bin(n)", "a whole number in base 2", kAlias, "bin"},
    {"conv", kSpark, "conv(s, from, to)", "a whole number from one base to another, 2 to 36", kMacro,
     "(s, a, b) AS mica_conv(CAST(s AS VARCHAR), a, b)"},
    {"mica_conv", kBoth, "", "", kNative},
    {"bit_count", kSpark, "bit_count(n)", "bits that are 1, of 64", kMacro,
     "(n) AS CAST($bit_count(CAST(n AS BIGINT)) AS INTEGER)"},
    {"shiftleft", kSpark, "shiftleft(n, bits)", "bits moved to the left", kMacro,
     "(n INTEGER, b) AS n << (b & 31), (n BIGINT, b) AS n << (b & 63)"},
    {"shiftright", kSpark, "shiftright(n, bits)", "bits moved to the right", kMacro, "(n, b) AS n >> b"},
    {"shiftrightunsigned", kSpark, "shiftrightunsigned(n, bits)", "bits moved to the right, the sign with them", kMacro,
     "(n INTEGER, b) AS CAST((CAST(n AS BIGINT) & 4294967295) >> b AS INTEGER), "
     "(n BIGINT, b) AS CASE WHEN b = 0 OR n >= 0 THEN n >> b "
     "ELSE ((n >> 1) & 9223372036854775807) >> (b - 1) END"},
    {"getbit", kSpark, "getbit(n, place)", "the bit at a place, counted from 0 on the right", kMacro,
     "(n, p) AS CAST((n >> p) & 1 AS TINYINT)"},
    {"bit_get", kSpark, "bit_get(n, place)", "as getbit", kMacro, "(n, p) AS CAST((n >> p) & 1 AS TINYINT)"},
    {"width_bucket", kSpark, "width_bucket(x, from, to, n)",
     "which of n equal parts of a range x is in; 0 and n + 1: outside", kMacro,
     "(x, a, b, n) AS CASE WHEN n <= 0 OR a = b THEN NULL WHEN a < b THEN CASE WHEN x < a THEN 0 WHEN x >= b THEN n + "
     "1 "
     "ELSE 1 + CAST($floor(CAST(n AS DOUBLE) * (x - a) / (b - a)) AS BIGINT) END "
     "ELSE CASE WHEN x > a THEN 0 WHEN x <= b THEN n + 1 "
     "ELSE 1 + CAST($floor(CAST(n AS DOUBLE) * (a - x) / (a - b)) AS BIGINT) END END"},
    {"rand", kBoth, "rand([seed])", "a random number from 0 to 1", kMacro, "() AS $random(), (seed) AS $random()"},
    {"rand_integer", kFlink, "rand_integer([seed,] n)", "a random whole number from 0 to n, without n", kMacro,
     "(n) AS CAST($floor($random() * n) AS INTEGER), (seed, n) AS CAST($floor($random() * n) AS INTEGER)"},
    {"random", kSpark, "random()", "a random number from 0 to 1"},
    {"isnan", kSpark, "isnan(x)", "whether x is NaN; FALSE for NULL", kMacro,
     "(x) AS coalesce($isnan(CAST(x AS DOUBLE)), FALSE)"},
    {"nanvl", kSpark, "nanvl(a, b)", "a, or b when a is NaN", kMacro,
     "(a, b) AS CASE WHEN $isnan(CAST(a AS DOUBLE)) THEN CAST(b AS DOUBLE) ELSE a END"},
    {"try_add", kSpark, "try_add(a, b)", "a + b; NULL when it does not fit", kMacro, "(a, b) AS TRY(a + b)"},
    {"try_subtract", kSpark, "try_subtract(a, b)", "a - b; NULL when it does not fit", kMacro, "(a, b) AS TRY(a - b)"},
    {"try_multiply", kSpark, "try_multiply(a, b)", "a * b; NULL when it does not fit", kMacro, "(a, b) AS TRY(a * b)"},
    {"try_divide", kSpark, "try_divide(a, b)", "a / b; NULL when b is 0", kMacro, "(a, b) AS a / b"},
    {"hash", kSpark, "hash(a, ...)", "Murmur3 hash of the values, 32 bits", kNative},
    {"xxhash64", kSpark, "xxhash64(a, ...)", "xxHash of the values, 64 bits", kNative},
    {"monotonically_increasing_id", kSpark, "monotonically_increasing_id()", "a number for each row, counted from 0",
     kRewritten, "(row_number| OVER () - 1)"},
    {"int", kSpark, "int(x)", "x as INT", kRewritten, "mica_int|"},
    {"mica_int", kBoth, "", "", kMacro, "(x) AS CAST(mica_truncate(x) AS INTEGER)"},
    {"bigint", kSpark, "bigint(x)", "x as BIGINT", kRewritten, "mica_bigint|"},
    {"mica_bigint", kBoth, "", "", kMacro, "(x) AS CAST(mica_truncate(x) AS BIGINT)"},
    {"double", kSpark, "double(x)", "x as DOUBLE", kRewritten, "mica_double|"},
    {"mica_double", kBoth, "", "", kMacro, "(x) AS CAST(x AS DOUBLE)"},
    {"string", kSpark, "string(x)", "x as STRING", kRewritten, "mica_string|"},
    {"mica_string", kBoth, "", "", kMacro, "(x) AS CAST(mica_text(x) AS VARCHAR)"},
    {"tinyint", kSpark, "tinyint(x)", "x as TINYINT", kRewritten, "mica_tinyint|"},
    {"mica_tinyint", kBoth, "", "", kMacro, "(x) AS CAST(mica_truncate(x) AS TINYINT)"},
    {"smallint", kSpark, "smallint(x)", "x as SMALLINT", kRewritten, "mica_smallint|"},
    {"mica_smallint", kBoth, "", "", kMacro, "(x) AS CAST(mica_truncate(x) AS SMALLINT)"},
    {"float", kSpark, "float(x)", "x as FLOAT", kRewritten, "mica_float|"},
    {"mica_float", kBoth, "", "", kMacro, "(x) AS CAST(x AS FLOAT)"},
    {"decimal", kSpark, "decimal(x)", "x as DECIMAL(10, 0)", kRewritten, "mica_decimal|"},
    {"mica_decimal", kBoth, "", "", kMacro, "(x) AS CAST(x AS DECIMAL(10, 0))"},
    {"binary", kSpark, "binary(x)", "bytes of a text", kRewritten, "mica_bytes|"},
    {"boolean", kSpark, "boolean(x)", "x as BOOLEAN", kRewritten, "mica_boolean|"},
    {"mica_boolean", kBoth, "", "", kMacro, "(x) AS CAST(x AS BOOLEAN)"},
};

}  // namespace

std::span<const SqlFunction> NumberFunctions() {
  return kNumbers;
}

}  // namespace mica::dialect
