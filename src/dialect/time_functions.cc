#include "dialect/function_list.h"

namespace mica::dialect {
namespace {

using enum FunctionKind;
using enum FunctionScope;

constexpr SqlFunction kTime[] = {
    {"+", kBoth, "date + INTERVAL ...", "a date where whole days or months are added, otherwise a timestamp", kNative},
    {"-", kSpark, "date - INTERVAL ..., date - date", "as date + INTERVAL; an interval of days between two dates",
     kNative},
    {"-", kFlink, "date - INTERVAL ...", "as date + INTERVAL", kNative},
    {"current_date", kBoth, "current_date, current_date()", "today in the session's zone", kRewritten, "today|"},
    {"current_timestamp", kBoth, "current_timestamp, current_timestamp()", "the time of the statement", kRewritten,
     "now|"},
    {"now", kBoth, "now()", "the time of the statement"},
    {"localtimestamp", kBoth, "localtimestamp, localtimestamp()", "wall clock of the session's zone", kRewritten,
     "mica_wall_clock|"},
    {"mica_wall_clock", kBoth, "", "", kMacro, "() AS CAST($now() AS TIMESTAMP)"},
    {"curdate", kSpark, "curdate()", "today in the session's zone", kMacro, "() AS $today()"},
    {"date_format", kBoth, "date_format(t, pattern)", "a date or time in a pattern of Java's DateTimeFormatter", kMacro,
     "(t, p) AS mica_format_time(TRY_CAST(t AS TIMESTAMP), p)"},
    {"mica_format_time", kBoth, "", "", kNative},
    {"mica_parse_time", kBoth, "", "", kNative},
    {"to_date", kBoth, "to_date(s [, pattern])", "a date from a text; NULL when it is none", kMacro,
     "(s) AS TRY_CAST(s AS DATE), (s, p) AS CAST(mica_parse_time(CAST(s AS VARCHAR), p) AS DATE)"},
    {"to_timestamp", kSpark, "to_timestamp(s [, pattern])",
     "a timestamp from a text, or from seconds since 1970; NULL when it is none", kMacro,
     "(s DOUBLE) AS $to_timestamp(s), (s TIMESTAMP) AS CAST(s AS TIMESTAMPTZ), (s TIMESTAMPTZ) AS s, "
     "(s VARCHAR) AS TRY_CAST(s AS TIMESTAMPTZ), "
     "(s VARCHAR, p VARCHAR) AS CAST(mica_parse_time(s, p) AS TIMESTAMPTZ)"},
    {"to_timestamp_ntz", kSpark, "to_timestamp_ntz(s [, pattern])", "a timestamp without zone from a text", kMacro,
     "(s) AS TRY_CAST(s AS TIMESTAMP), (s, p) AS mica_parse_time(CAST(s AS VARCHAR), p)"},
    {"to_timestamp_ltz", kSpark, "to_timestamp_ltz(s [, pattern])", "an instant from a text", kMacro,
     "(s) AS TRY_CAST(s AS TIMESTAMPTZ), (s, p) AS CAST(mica_parse_time(CAST(s AS VARCHAR), p) AS TIMESTAMPTZ)"},
    {"to_timestamp", kFlink, "to_timestamp(s [, pattern])", "a timestamp from a text; NULL when it is none", kMacro,
     "(s) AS TRY_CAST(s AS TIMESTAMP), (s, p) AS mica_parse_time(s, p)"},
    {"to_timestamp_ltz", kFlink, "to_timestamp_ltz(n, precision), to_timestamp_ltz(s)",
     "an instant from seconds (precision 0) or milliseconds (3) since 1970, or from a text", kMacro,
     "(n, p) AS CASE p WHEN 0 THEN $to_timestamp(CAST(n AS DOUBLE)) WHEN 3 THEN $to_timestamp(CAST(n AS DOUBLE) / "
     "1000) "
     "ELSE error('to_timestamp_ltz knows the precisions 0 and 3') END, (s) AS TRY_CAST(s AS TIMESTAMPTZ)"},
    {"from_unixtime", kBoth, "from_unixtime(seconds [, pattern])", "seconds since 1970 as text of the session's zone",
     kMacro,
     "(n) AS mica_format_time(CAST($to_timestamp(CAST(n AS DOUBLE)) AS TIMESTAMP), 'yyyy-MM-dd HH:mm:ss'), "
     "(n, p) AS mica_format_time(CAST($to_timestamp(CAST(n AS DOUBLE)) AS TIMESTAMP), p)"},
    {"unix_timestamp", kBoth, "unix_timestamp([t [, pattern]])", "seconds since 1970", kMacro,
     "() AS CAST($floor($epoch($now())) AS BIGINT), (t) AS mica_unix_seconds(t), "
     "(t, p) AS CAST($floor($epoch(CAST(mica_parse_time(CAST(t AS VARCHAR), p) AS TIMESTAMPTZ))) AS BIGINT)"},
    {"mica_unix_seconds", kBoth, "", "", kMacro, "(t) AS CAST($floor($epoch(TRY_CAST(t AS TIMESTAMPTZ))) AS BIGINT)"},
    {"to_unix_timestamp", kSpark, "to_unix_timestamp(t [, pattern])", "seconds since 1970", kMacro,
     "(t) AS mica_unix_seconds(t), "
     "(t, p) AS CAST($floor($epoch(CAST(mica_parse_time(CAST(t AS VARCHAR), p) AS TIMESTAMPTZ))) AS BIGINT)"},
    {"unix_seconds", kSpark, "unix_seconds(t)", "seconds since 1970", kMacro, "(t) AS mica_unix_seconds(t)"},
    {"unix_millis", kSpark, "unix_millis(t)", "milliseconds since 1970", kMacro,
     "(t) AS $epoch_ms(CAST(t AS TIMESTAMPTZ))"},
    {"unix_micros", kSpark, "unix_micros(t)", "microseconds since 1970", kMacro,
     "(t) AS $epoch_us(CAST(t AS TIMESTAMPTZ))"},
    {"unix_date", kSpark, "unix_date(d)", "days since 1970-01-01", kMacro,
     "(d) AS CAST($date_diff('day', DATE '1970-01-01', CAST(d AS DATE)) AS INTEGER)"},
    {"date_from_unix_date", kSpark, "date_from_unix_date(n)", "the date n days after 1970-01-01", kMacro,
     "(n) AS DATE '1970-01-01' + CAST(n AS INTEGER)"},
    {"timestamp_seconds", kSpark, "timestamp_seconds(n)", "the instant n seconds after 1970", kMacro,
     "(n) AS $to_timestamp(CAST(n AS DOUBLE))"},
    {"timestamp_millis", kSpark, "timestamp_millis(n)", "the instant n milliseconds after 1970", kMacro,
     "(n) AS mica_instant(CAST(n AS BIGINT) * 1000)"},
    {"timestamp_micros", kSpark, "timestamp_micros(n)", "the instant n microseconds after 1970", kMacro,
     "(n) AS mica_instant(CAST(n AS BIGINT))"},
    {"mica_instant", kBoth, "", "", kMacro, "(n) AS $make_timestamptz(n)"},
    {"date_add", kSpark, "date_add(d, n), date_add(unit, n, t)", "n days later; or n units later", kMacro,
     "(d, n) AS CAST(d AS DATE) + CAST(n AS INTEGER), (u, n, t) AS mica_time_add(u, n, t)"},
    {"dateadd", kSpark, "dateadd(d, n), dateadd(unit, n, t)", "as date_add", kMacro,
     "(d, n) AS CAST(d AS DATE) + CAST(n AS INTEGER), (u, n, t) AS mica_time_add(u, n, t)"},
    {"date_sub", kSpark, "date_sub(d, n)", "n days earlier", kMacro, "(d, n) AS CAST(d AS DATE) - CAST(n AS INTEGER)"},
    {"datediff", kSpark, "datediff(end, start), datediff(unit, start, end)", "days between two dates; or units", kMacro,
     "(b, a) AS CAST($date_diff('day', TRY_CAST(a AS DATE), TRY_CAST(b AS DATE)) AS INTEGER), "
     "(u, a, b) AS mica_time_difference(u, a, b)"},
    {"date_diff", kSpark, "date_diff(end, start)", "days between two dates", kMacro,
     "(b, a) AS CAST($date_diff('day', TRY_CAST(a AS DATE), TRY_CAST(b AS DATE)) AS INTEGER), "
     "(u, a, b) AS mica_time_difference(u, a, b)"},
    {"timestampadd", kBoth, "timestampadd(unit, n, t)", "t and n units", kMacro, "(u, n, t) AS mica_time_add(u, n, t)"},
    {"timestampdiff", kBoth, "timestampdiff(unit, start, end)", "whole units between two times", kMacro,
     "(u, a, b) AS mica_time_difference(u, a, b)"},
    {"mica_time_add", kBoth, "", "", kMacro, "(u, n, t) AS CAST(t AS TIMESTAMP) + mica_units(u, CAST(n AS INTEGER))"},
    {"mica_units", kBoth, "", "", kMacro,
     "(u, n) AS CASE $lower(u) WHEN 'year' THEN $to_years(n) WHEN 'quarter' THEN $to_months(3 * n) "
     "WHEN 'month' THEN $to_months(n) WHEN 'week' THEN $to_days(7 * n) WHEN 'day' THEN $to_days(n) "
     "WHEN 'dayofyear' THEN $to_days(n) WHEN 'hour' THEN $to_hours(n) WHEN 'minute' THEN $to_minutes(n) "
     "WHEN 'second' THEN $to_seconds(n) WHEN 'millisecond' THEN $to_milliseconds(n) "
     "WHEN 'microsecond' THEN $to_microseconds(n) ELSE error('The unit of time ''' || u || ''' is not known') END"},
    {"mica_time_difference", kBoth, "", "", kMacro,
     "(u, a, b) AS $date_sub($lower(u), CAST(a AS TIMESTAMP), CAST(b AS TIMESTAMP))"},
    {"add_months", kSpark, "add_months(d, n)", "n months later; the last day of a shorter month", kMacro,
     "(d, n) AS CAST(CAST(d AS DATE) + $to_months(CAST(n AS INTEGER)) AS DATE)"},
    {"months_between", kSpark, "months_between(a, b [, rounded])", "months from b to a, with a fraction of 31 days",
     kMacro,
     "(a, b) AS $round(mica_months(CAST(a AS TIMESTAMP), CAST(b AS TIMESTAMP)), 8), "
     "(a, b, r) AS CASE WHEN r THEN $round(mica_months(CAST(a AS TIMESTAMP), CAST(b AS TIMESTAMP)), 8) "
     "ELSE mica_months(CAST(a AS TIMESTAMP), CAST(b AS TIMESTAMP)) END"},
    {"mica_months", kBoth, "", "", kMacro,
     "(a, b) AS ($year(a) - $year(b)) * 12 + $month(a) - $month(b) + CASE WHEN $day(a) = $day(b) OR "
     "($last_day(a) = CAST(a AS DATE) AND $last_day(b) = CAST(b AS DATE)) THEN 0.0::DOUBLE ELSE "
     "(($day(a) - $day(b)) * 86400 + $epoch(CAST(a AS TIME)) - $epoch(CAST(b AS TIME)))::DOUBLE / 2678400::DOUBLE END"},
    {"last_day", kSpark, "last_day(d)", "the last day of the month", kMacro, "(d) AS $last_day(CAST(d AS DATE))"},
    {"next_day", kSpark, "next_day(d, weekday)", "the first such day after d", kMacro,
     "(d, w) AS CAST(d AS DATE) + CAST(CASE WHEN mica_weekday(w) > $dayofweek(CAST(d AS DATE)) THEN "
     "mica_weekday(w) - $dayofweek(CAST(d AS DATE)) ELSE 7 + mica_weekday(w) - $dayofweek(CAST(d AS DATE)) END AS "
     "INTEGER)"},
    {"mica_weekday", kBoth, "", "", kMacro,
     "(w) AS CASE WHEN $upper(w) IN ('SU', 'SUN', 'SUNDAY') THEN 0 WHEN $upper(w) IN ('MO', 'MON', 'MONDAY') THEN 1 "
     "WHEN $upper(w) IN ('TU', 'TUE', 'TUESDAY') THEN 2 WHEN $upper(w) IN ('WE', 'WED', 'WEDNESDAY') THEN 3 "
     "WHEN $upper(w) IN ('TH', 'THU', 'THURSDAY') THEN 4 WHEN $upper(w) IN ('FR', 'FRI', 'FRIDAY') THEN 5 "
     "WHEN $upper(w) IN ('SA', 'SAT', 'SATURDAY') THEN 6 END"},
    {"trunc", kSpark, "trunc(d, unit)", "the first day of the year, quarter, month or week; NULL for another unit",
     kMacro,
     // The engine looks at a constant unit while it binds, whatever stands around the call.
     "(x) AS $trunc(x), (d, u) AS CAST($date_trunc(CASE WHEN $upper(u) IN ('YEAR', 'YYYY', 'YY', 'QUARTER', 'MONTH', "
     "'MM', 'MON', 'WEEK') THEN mica_unit(u) END, TRY_CAST(d AS DATE)) AS DATE)"},
    {"mica_unit", kBoth, "", "", kMacro,
     "(u) AS CASE $upper(u) WHEN 'YYYY' THEN 'year' WHEN 'YY' THEN 'year' WHEN 'MM' THEN 'month' WHEN 'MON' THEN "
     "'month' WHEN 'DD' THEN 'day' ELSE $lower(u) END"},
    {"mica_cut_unit", kBoth, "", "", kMacro,
     "(u) AS CASE WHEN mica_unit(u) IN ('year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second', "
     "'millisecond', 'microsecond') THEN mica_unit(u) END"},
    {"date_trunc", kSpark, "date_trunc(unit, t)", "t cut to a unit; NULL for another unit", kMacro,
     "(u, t VARCHAR) AS $date_trunc(mica_cut_unit(u), CAST(t AS TIMESTAMPTZ)), "
     "(u, t DATE) AS $date_trunc(mica_cut_unit(u), CAST(t AS TIMESTAMPTZ)), "
     "(u, t TIMESTAMP) AS $date_trunc(mica_cut_unit(u), t), (u, t TIMESTAMPTZ) AS $date_trunc(mica_cut_unit(u), t)"},
    {"floor", kFlink, "floor(x), floor(t TO unit)", "the greatest whole number up to x; a time cut to a unit", kMacro,
     "(x) AS $floor(x), (x DATE, u VARCHAR) AS CAST($date_trunc(u, x) AS DATE), "
     "(x TIMESTAMP, u VARCHAR) AS $date_trunc(u, x), (x TIMESTAMPTZ, u VARCHAR) AS $date_trunc(u, x)"},
    {"ceil", kFlink, "ceil(x), ceil(t TO unit)", "the smallest whole number from x on; a time raised to a unit", kMacro,
     "(x) AS $ceil(x), (x DATE, u VARCHAR) AS CAST(CASE WHEN $date_trunc(u, x) = x THEN x ELSE $date_trunc(u, x) + "
     "mica_units(u, 1) END AS DATE), (x TIMESTAMP, u VARCHAR) AS CASE WHEN $date_trunc(u, x) = x THEN x ELSE "
     "$date_trunc(u, x) + mica_units(u, 1) END"},
    // INT in Spark, BIGINT in Flink.
    {"mica_field", kSpark, "", "", kMacro, "(x) AS CAST(x AS INTEGER)"},
    {"mica_field", kFlink, "", "", kMacro, "(x) AS x"},
    {"year", kBoth, "year(t)", "year", kMacro, "(t) AS mica_field($year(TRY_CAST(t AS TIMESTAMP)))"},
    {"quarter", kBoth, "quarter(t)", "quarter, 1 to 4", kMacro,
     "(t) AS mica_field($quarter(TRY_CAST(t AS TIMESTAMP)))"},
    {"month", kBoth, "month(t)", "month, 1 to 12", kMacro, "(t) AS mica_field($month(TRY_CAST(t AS TIMESTAMP)))"},
    {"day", kSpark, "day(t)", "day of the month", kMacro, "(t) AS CAST($day(TRY_CAST(t AS TIMESTAMP)) AS INTEGER)"},
    {"dayofmonth", kBoth, "dayofmonth(t)", "day of the month", kMacro,
     "(t) AS mica_field($day(TRY_CAST(t AS TIMESTAMP)))"},
    {"dayofyear", kBoth, "dayofyear(t)", "day of the year", kMacro,
     "(t) AS mica_field($dayofyear(TRY_CAST(t AS TIMESTAMP)))"},
    {"dayofweek", kBoth, "dayofweek(t)", "day of the week, 1 is Sunday", kMacro,
     "(t) AS mica_field(1 + $dayofweek(TRY_CAST(t AS TIMESTAMP)))"},
    {"weekday", kSpark, "weekday(t)", "day of the week, 0 is Monday", kMacro,
     "(t) AS CAST($isodow(TRY_CAST(t AS TIMESTAMP)) - 1 AS INTEGER)"},
    {"weekofyear", kSpark, "weekofyear(t)", "week of the year by ISO 8601", kMacro,
     "(t) AS CAST($week(TRY_CAST(t AS TIMESTAMP)) AS INTEGER)"},
    {"week", kFlink, "week(t)", "week of the year by ISO 8601", kMacro, "(t) AS $week(TRY_CAST(t AS TIMESTAMP))"},
    {"hour", kBoth, "hour(t)", "hour", kMacro,
     "(t TIME) AS mica_field($hour(t)), (t) AS mica_field($hour(TRY_CAST(t AS TIMESTAMP)))"},
    {"minute", kBoth, "minute(t)", "minute", kMacro,
     "(t TIME) AS mica_field($minute(t)), (t) AS mica_field($minute(TRY_CAST(t AS TIMESTAMP)))"},
    {"second", kBoth, "second(t)", "second", kMacro,
     "(t TIME) AS mica_field($second(t)), (t) AS mica_field($second(TRY_CAST(t AS TIMESTAMP)))"},
    {"mica_seconds", kSpark, "", "", kMacro,
     "(micros) AS CAST(CAST(micros AS DECIMAL(9, 0)) / 1000000 AS DECIMAL(8, 6))"},
    {"extract", kBoth, "extract(unit FROM t)", "one part of a time; DOW counts from 1, Sunday", kEngine},
    {"date_part", kSpark, "date_part('unit', t)", "as extract", kRewritten, "date_part|"},
    {"datepart", kSpark, "datepart('unit', t)", "as extract", kRewritten, "date_part|"},
    {"make_date", kSpark, "make_date(y, m, d)", "a date; NULL when there is none such", kMacro,
     "(y, m, d) AS TRY($make_date(CAST(y AS BIGINT), CAST(m AS BIGINT), CAST(d AS BIGINT)))"},
    {"make_timestamp", kSpark, "make_timestamp(y, m, d, h, min, s)", "a timestamp; NULL when there is none such",
     kMacro,
     "(y, m, d, h, i, s) AS CAST(TRY($make_timestamp(CAST(y AS BIGINT), CAST(m AS BIGINT), CAST(d AS BIGINT), "
     "CAST(h AS BIGINT), CAST(i AS BIGINT), CAST(s AS DOUBLE))) AS TIMESTAMPTZ)"},
    {"make_timestamp_ntz", kSpark, "make_timestamp_ntz(y, m, d, h, min, s)", "as make_timestamp, without zone", kMacro,
     "(y, m, d, h, i, s) AS TRY($make_timestamp(CAST(y AS BIGINT), CAST(m AS BIGINT), CAST(d AS BIGINT), "
     "CAST(h AS BIGINT), CAST(i AS BIGINT), CAST(s AS DOUBLE)))"},
    {"make_timestamp_ltz", kSpark, "make_timestamp_ltz(y, m, d, h, min, s)", "as make_timestamp", kMacro,
     "(y, m, d, h, i, s) AS make_timestamp(y, m, d, h, i, s)"},
    {"make_interval", kSpark, "make_interval([y [, m [, w [, d [, h [, min [, s]]]]]]])",
     "an interval of years, months, weeks, days, hours, minutes and seconds", kMacro,
     "() AS $to_days(0), (y) AS $to_years(y), (y, m) AS $to_years(y) + $to_months(m), "
     "(y, m, w) AS $to_years(y) + $to_months(m) + $to_weeks(w), "
     "(y, m, w, d) AS $to_years(y) + $to_months(m) + $to_weeks(w) + $to_days(d), "
     "(y, m, w, d, h) AS $to_years(y) + $to_months(m) + $to_weeks(w) + $to_days(d) + $to_hours(h), "
     "(y, m, w, d, h, i) AS $to_years(y) + $to_months(m) + $to_weeks(w) + $to_days(d) + $to_hours(h) + $to_minutes(i), "
     "(y, m, w, d, h, i, s) AS $to_years(y) + $to_months(m) + $to_weeks(w) + $to_days(d) + $to_hours(h) + "
     "$to_minutes(i) + $to_seconds(s)"},
    {"make_ym_interval", kSpark, "make_ym_interval(y [, m])", "an interval of years and months", kMacro,
     "(y) AS $to_years(y), (y, m) AS $to_years(y) + $to_months(m)"},
    {"make_dt_interval", kSpark, "make_dt_interval(d [, h [, min [, s]]])",
     "an interval of days, hours, minutes, seconds", kMacro,
     "(d) AS $to_days(d), (d, h) AS $to_days(d) + $to_hours(h), (d, h, i) AS $to_days(d) + $to_hours(h) + "
     "$to_minutes(i), "
     "(d, h, i, s) AS $to_days(d) + $to_hours(h) + $to_minutes(i) + $to_seconds(s)"},
    {"dayname", kSpark, "dayname(t)", "day of the week in three letters", kMacro,
     "(t) AS $left($dayname(TRY_CAST(t AS TIMESTAMP)), 3)"},
    {"monthname", kSpark, "monthname(t)", "month in three letters", kMacro,
     "(t) AS $left($monthname(TRY_CAST(t AS TIMESTAMP)), 3)"},
    {"date", kSpark, "date(x)", "x as DATE", kMacro, "(x) AS CAST(x AS DATE)"},
    {"timestamp", kSpark, "timestamp(x)", "x as TIMESTAMP", kRewritten, "mica_timestamp|"},
    {"mica_timestamp", kBoth, "", "", kMacro, "(x) AS CAST(x AS TIMESTAMPTZ)"},
    {"current_timezone", kSpark, "current_timezone()", "the session's zone", kMacro,
     "() AS $current_setting('TimeZone')"},
    {"try_to_timestamp", kSpark, "try_to_timestamp(s [, pattern])", "as to_timestamp", kMacro,
     "(s) AS TRY_CAST(s AS TIMESTAMPTZ), (s, p) AS TRY(CAST(mica_parse_time(CAST(s AS VARCHAR), p) AS TIMESTAMPTZ))"},
    {"proctime", kFlink, "proctime()", "the time of the statement", kMacro, "() AS $now()"},
    {"from_utc_timestamp", kSpark, "from_utc_timestamp(t, zone)", "wall clock of UTC as that of a zone", kMacro,
     "(t, z) AS CAST($timezone(z, $timezone('UTC', CAST(t AS TIMESTAMP))) AS TIMESTAMPTZ)"},
    {"to_utc_timestamp", kSpark, "to_utc_timestamp(t, zone)", "wall clock of a zone as that of UTC", kMacro,
     "(t, z) AS CAST($timezone('UTC', $timezone(z, CAST(t AS TIMESTAMP))) AS TIMESTAMPTZ)"},
    {"convert_timezone", kSpark, "convert_timezone(from, to, t)", "wall clock of one zone as that of another", kMacro,
     "(a, b, t) AS $timezone(b, $timezone(a, CAST(t AS TIMESTAMP)))"},
    {"convert_tz", kFlink, "convert_tz(s, from, to)", "text of one zone's wall clock as that of another", kMacro,
     "(s, a, b) AS mica_format_time($timezone(b, $timezone(a, TRY_CAST(s AS TIMESTAMP))), 'yyyy-MM-dd HH:mm:ss')"},
};

}  // namespace

std::span<const SqlFunction> TimeFunctions() {
  return kTime;
}

}  // namespace mica::dialect
