#include "dialect/function_list.h"

namespace mica::dialect {
namespace {

using enum FunctionKind;
using enum FunctionScope;

constexpr SqlFunction kText[] = {
    {"upper", kBoth, "upper(s)", "s in upper case"},
    {"lower", kBoth, "lower(s)", "s in lower case"},
    {"ucase", kSpark, "ucase(s)", "s in upper case"},
    {"lcase", kSpark, "lcase(s)", "s in lower case"},
    {"length", kSpark, "length(s)", "characters of a text, bytes of a binary", kMacro,
     "(s VARCHAR) AS CAST($length(s) AS INTEGER), (s BLOB) AS CAST($octet_length(s) AS INTEGER)"},
    {"len", kSpark, "len(s)", "as length", kMacro,
     "(s VARCHAR) AS CAST($length(s) AS INTEGER), (s BLOB) AS CAST($octet_length(s) AS INTEGER), "
     "(s) AS $len(s)"},
    {"char_length", kBoth, "char_length(s)", "characters of s", kMacro,
     "(s) AS CAST($length(CAST(s AS VARCHAR)) AS INTEGER)"},
    {"character_length", kBoth, "character_length(s)", "characters of s", kMacro,
     "(s) AS CAST($length(CAST(s AS VARCHAR)) AS INTEGER)"},
    {"octet_length", kSpark, "octet_length(s)", "bytes of s", kMacro,
     "(s VARCHAR) AS CAST($strlen(s) AS INTEGER), (s BLOB) AS CAST($octet_length(s) AS INTEGER)"},
    {"bit_length", kSpark, "bit_length(s)", "bits of s", kMacro,
     "(s VARCHAR) AS CAST(8 * $strlen(s) AS INTEGER), (s BLOB) AS CAST(8 * $octet_length(s) AS INTEGER)"},
    {"concat", kBoth, "concat(a, b, ...)", "texts or arrays one after the other; NULL when one of them is", kNative},
    {"concat_ws", kBoth, "concat_ws(separator, a, b, ...)",
     "texts and arrays of texts joined with the separator; NULL values are left out", kNative},
    {"substr", kBoth, "substr(s, from [, length])",
     "part of s; positions count from 1, negative ones from the end, 0 is 1", kMacro,
     "(s, p) AS CASE WHEN p < -$length(CAST(s AS VARCHAR)) THEN CAST(s AS VARCHAR) ELSE "
     "$substr(CAST(s AS VARCHAR), CASE WHEN p = 0 THEN 1 ELSE p END) END, "
     "(s, p, n) AS CASE WHEN n <= 0 THEN CASE WHEN s IS NULL OR p IS NULL THEN NULL ELSE '' END "
     "WHEN p < -$length(CAST(s AS VARCHAR)) THEN "
     "$substr(CAST(s AS VARCHAR), 1, greatest(0, n + p + $length(CAST(s AS VARCHAR)))) "
     "ELSE $substr(CAST(s AS VARCHAR), CASE WHEN p = 0 THEN 1 ELSE p END, n) END"},
    {"substring", kBoth, "substring(s, from [, length]), substring(s FROM p FOR n)", "as substr", kRewritten,
     "substr|"},
    {"substring_index", kSpark, "substring_index(s, delimiter, n)",
     "what stands before the n-th delimiter, from the end for negative n", kMacro,
     "(s, d, n) AS CASE WHEN n = 0 OR d = '' THEN '' WHEN n > 0 THEN "
     "array_to_string(string_split(s, d)[1:n], d) ELSE array_to_string(string_split(s, d)[n:], d) END"},
    {"split_index", kFlink, "split_index(s, delimiter, n)", "part n of s, counted from 0; NULL when there is none",
     kMacro, "(s, d, n) AS CASE WHEN n < 0 OR s = '' THEN NULL ELSE list_extract(string_split(s, d), n + 1) END"},
    {"split", kSpark, "split(s, regex [, limit])", "array of the parts between the matches of a regular expression",
     kMacro,
     "(s, r) AS regexp_split_to_array(s, r), "
     "(s, r, n) AS CASE WHEN s IS NULL OR r IS NULL OR n IS NULL THEN NULL WHEN n <= 0 THEN regexp_split_to_array(s, "
     "r) "
     "WHEN len(regexp_split_to_array(s, r)) <= n THEN regexp_split_to_array(s, r) "
     "ELSE list_append(regexp_split_to_array(s, r)[1:n - 1], "
     "$substr(s, CAST(1 + list_sum(list_transform(list_append(regexp_split_to_array(s, r)[1:n - 1], ''), "
     "lambda part: $length(part))) + list_sum(list_transform(list_append($regexp_extract_all(s, r)[1:n - 1], ''), "
     "lambda part: $length(part))) AS BIGINT))) END"},
    {"split_part", kSpark, "split_part(s, delimiter, n)",
     "part n of s, counted from 1, from the end for negative n; empty when there is none", kMacro,
     "(s, d, n) AS CASE WHEN s IS NOT NULL AND d IS NOT NULL AND n IS NOT NULL THEN "
     "coalesce($list_extract($string_split(s, d), n), '') END"},
    {"trim", kBoth, "trim(s), trim([BOTH | LEADING | TRAILING] characters FROM s)",
     "s without blanks, or these characters, at its ends"},
    {"ltrim", kSpark, "ltrim(s), ltrim(characters, s)", "s without blanks, or these characters, at its start", kMacro,
     "(s) AS $ltrim(s), (c, s) AS $ltrim(s, c)"},
    {"rtrim", kSpark, "rtrim(s), rtrim(characters, s)", "s without blanks, or these characters, at its end", kMacro,
     "(s) AS $rtrim(s), (c, s) AS $rtrim(s, c)"},
    {"ltrim", kFlink, "ltrim(s [, characters])", "s without blanks, or these characters, at its start"},
    {"rtrim", kFlink, "rtrim(s [, characters])", "s without blanks, or these characters, at its end"},
    {"btrim", kBoth, "btrim(s [, characters])", "s without blanks, or these characters, at both ends", kMacro,
     "(s) AS $trim(s), (s, c) AS $trim(s, c)"},
    {"lpad", kBoth, "lpad(s, length [, filler])", "s filled at its start, or cut, to a length", kMacro,
     "(s, n) AS $lpad(CAST(s AS VARCHAR), greatest(n, 0), ' '), "
     "(s, n, p) AS CASE WHEN p = '' THEN $left(CAST(s AS VARCHAR), greatest(n, 0)) "
     "ELSE $lpad(CAST(s AS VARCHAR), greatest(n, 0), CASE WHEN p = '' THEN ' ' ELSE p END) END"},
    {"rpad", kBoth, "rpad(s, length [, filler])", "s filled at its end, or cut, to a length", kMacro,
     "(s, n) AS $rpad(CAST(s AS VARCHAR), greatest(n, 0), ' '), "
     "(s, n, p) AS CASE WHEN p = '' THEN $left(CAST(s AS VARCHAR), greatest(n, 0)) "
     "ELSE $rpad(CAST(s AS VARCHAR), greatest(n, 0), CASE WHEN p = '' THEN ' ' ELSE p END) END"},
    {"left", kBoth, "left(s, n)", "the first n characters; empty when n is not positive", kMacro,
     "(s, n) AS $left(CAST(s AS VARCHAR), greatest(n, 0))"},
    {"right", kBoth, "right(s, n)", "the last n characters; empty when n is not positive", kMacro,
     "(s, n) AS $right(CAST(s AS VARCHAR), greatest(n, 0))"},
    {"instr", kBoth, "instr(s, part)", "where part first stands in s, counted from 1; 0 when it does not", kMacro,
     "(s, p) AS CAST($instr(s, p) AS INTEGER)"},
    {"position", kBoth, "position(part IN s)", "where part first stands in s, counted from 1; 0 when it does not",
     kMacro, "(s, p) AS CAST($instr(s, p) AS INTEGER)"},
    {"locate", kBoth, "locate(part, s [, from])", "where part first stands in s at or after a position; 0: nowhere",
     kMacro,
     "(p, s) AS CAST($instr(s, p) AS INTEGER), (p, s, n) AS CAST(CASE WHEN n <= 0 THEN 0 "
     "WHEN $instr($substr(s, n), p) = 0 THEN 0 ELSE $instr($substr(s, n), p) + n - 1 END AS INTEGER)"},
    {"replace", kBoth, "replace(s, old, new)", "s with every old replaced; without new it is removed", kMacro,
     "(s, a) AS $replace(s, a, ''), (s, a, b) AS $replace(s, a, b)"},
    {"translate", kBoth, "translate(s, from, to)", "s with characters replaced one by one"},
    {"overlay", kBoth, "overlay(s PLACING new FROM p [FOR n])", "s with n characters from p on replaced", kRewritten,
     "mica_overlay|"},
    {"mica_overlay", kBoth, "", "", kMacro,
     "(s, r, p) AS $left(s, p - 1) || r || $substr(s, p + $length(r)), "
     "(s, r, p, n) AS CASE WHEN n < 0 THEN $left(s, p - 1) || r || $substr(s, p + $length(r)) "
     "ELSE $left(s, p - 1) || r || $substr(s, p + n) END"},
    {"reverse", kSpark, "reverse(s)", "s, or an array, backwards", kNative},
    {"reverse", kFlink, "reverse(s)", "s backwards"},
    {"repeat", kBoth, "repeat(s, n)", "s n times"},
    {"space", kSpark, "space(n)", "n blanks", kMacro, "(n) AS $repeat(' ', n)"},
    {"initcap", kSpark, "initcap(s)", "s in lower case, first letters of words, which blanks part, in upper case",
     kMacro,
     "(s) AS array_to_string(list_transform(string_split($lower(s), ' '), lambda w: $upper($left(w, 1)) || "
     "$substr(w, 2)), ' ')"},
    {"initcap", kFlink, "initcap(s)", "s in lower case, first letters of words of letters and digits in upper case",
     kMacro,
     "(s) AS array_to_string(list_transform($regexp_extract_all($lower(s), '[a-zA-Z0-9]+|[^a-zA-Z0-9]+'), "
     "lambda w: $upper($left(w, 1)) || $substr(w, 2)), '')"},
    {"startswith", kBoth, "startswith(s, part)", "whether s begins with part", kAlias, "starts_with"},
    {"endswith", kBoth, "endswith(s, part)", "whether s ends with part", kAlias, "ends_with"},
    {"contains", kSpark, "contains(s, part)", "whether part stands in s"},
    {"ascii", kBoth, "ascii(s)", "code of the first character"},
    {"chr", kBoth, "chr(n)", "the character of a code", kMacro, "(n) AS $chr(CAST(n % 256 AS INTEGER))"},
    {"char", kSpark, "char(n)", "the character of a code", kRewritten, "chr|"},
    {"levenshtein", kSpark, "levenshtein(a, b [, most])", "how many characters differ; -1 when more than most do",
     kMacro,
     "(a, b) AS CAST($levenshtein(a, b) AS INTEGER), "
     "(a, b, n) AS CAST(CASE WHEN $levenshtein(a, b) > n THEN -1 ELSE $levenshtein(a, b) END AS INTEGER)"},
    {"find_in_set", kSpark, "find_in_set(s, list)", "which entry of a list with commas s is, counted from 1; 0: none",
     kMacro,
     "(s, l) AS CASE WHEN contains(s, ',') THEN 0 ELSE coalesce(list_position(string_split(l, ','), s), "
     "CASE WHEN s IS NULL OR l IS NULL THEN NULL ELSE 0 END) END"},
    {"elt", kBoth, "elt(n, a, b, ...)", "the n-th of the others; NULL when there is none", kNative},
    {"like", kSpark, "like(s, pattern)", "whether s is like a pattern", kMacro, "(s, p) AS s LIKE p ESCAPE '\\'"},
    {"ilike", kSpark, "ilike(s, pattern)", "whether s is like a pattern, in upper or lower case", kMacro,
     "(s, p) AS s ILIKE p"},
    {"mask", kSpark, "mask(s [, upper, lower, digit [, other]])",
     "s with X, x and n, or these, for its letters and digits; NULL keeps them", kMacro,
     "(s) AS $regexp_replace($regexp_replace($regexp_replace(s, '[A-Z]', 'X', 'g'), '[a-z]', 'x', 'g'), '[0-9]', 'n', "
     "'g'), "
     "(s, u, l, d) AS mica_mask(s, u, l, d, NULL), (s, u, l, d, o) AS mica_mask(s, u, l, d, o)"},
    {"mica_mask", kBoth, "", "", kMacro,
     "(s, u, l, d, o) AS CASE WHEN s = '' THEN '' ELSE array_to_string(list_transform($string_split(s, ''), lambda c: "
     "CASE WHEN c BETWEEN 'A' AND 'Z' THEN coalesce(u, c) WHEN c BETWEEN 'a' AND 'z' THEN coalesce(l, c) "
     "WHEN c BETWEEN '0' AND '9' THEN coalesce(d, c) ELSE coalesce(o, c) END), '') END"},
    {"luhn_check", kSpark, "luhn_check(s)", "whether the digits of s end with their check digit", kMacro,
     "(s) AS CASE WHEN s IS NOT NULL THEN $regexp_full_match(s, '[0-9]+') AND "
     "$list_sum(list_transform($string_split($regexp_replace($reverse(s), '[^0-9]', '', 'g'), ''), lambda c, i: "
     "CASE WHEN i % 2 = 1 THEN TRY_CAST(c AS INTEGER) WHEN c > '4' THEN 2 * TRY_CAST(c AS INTEGER) - 9 "
     "ELSE 2 * TRY_CAST(c AS INTEGER) END)) % 10 = 0 END"},
    {"url_encode", kBoth, "url_encode(s)", "s as part of a URL", kMacro,
     "(s) AS $replace($replace($replace($url_encode(s), '%20', '+'), '%2A', '*'), '~', '%7E')"},
    {"url_decode", kBoth, "url_decode(s)", "the text behind a part of a URL", kMacro,
     "(s) AS $url_decode($replace(s, '+', ' '))"},
    {"printf", kBoth, "printf(format, a, ...)", "values in a text with %s, %d and the like"},
    {"format_string", kSpark, "format_string(format, a, ...)", "as printf", kAlias, "printf"},
    {"to_char", kSpark, "to_char(x, format)", "a number in a format such as 'S$999,099.99'", kNative},
    {"to_varchar", kSpark, "to_varchar(x, format)", "as to_char", kNative},
    {"to_number", kSpark, "to_number(s, format)",
     "the number of a text in a format such as 'S$999,099.99'; fails where the text is not of it", kNative},
    {"try_to_number", kSpark, "try_to_number(s, format)", "as to_number; NULL where the text is not of the format",
     kNative},
    {"format_number", kSpark, "format_number(x, digits), format_number(x, '#,##0.00')",
     "x with commas and so many decimals, or in a pattern of Java's DecimalFormat", kNative},
    {"str_to_map", kBoth, "str_to_map(s [, pairs [, values]])",
     "map of a text such as 'a=1,b=2' or, in Spark, 'a:1,b:2'", kMacro,
     "(s) AS mica_text_map(s, ',', mica_pair()), (s, p) AS mica_text_map(s, p, mica_pair()), "
     "(s, p, v) AS mica_text_map(s, p, v)"},
    {"mica_pair", kSpark, "", "", kMacro, "() AS ':'"},
    {"mica_pair", kFlink, "", "", kMacro, "() AS '='"},
    {"mica_text_map", kBoth, "", "", kMacro,
     "(s, p, v) AS $map_from_entries(list_transform(regexp_split_to_array(s, p), lambda e: struct_pack("
     "k := list_extract(regexp_split_to_array(e, v), 1), v := CASE WHEN len(regexp_split_to_array(e, v)) > 1 THEN "
     "array_to_string(regexp_split_to_array(e, v)[2:], v) END)))"},
    {"parse_url", kBoth, "parse_url(url, part [, key])",
     "HOST, PATH, QUERY, REF, PROTOCOL, FILE, AUTHORITY or USERINFO of a URL, or one key of its query", kMacro,
     "(u, p) AS nullif($regexp_extract(u, CASE p WHEN 'HOST' THEN "
     "'^[a-zA-Z][a-zA-Z0-9+.-]*://(?:[^/?#@]*@)?([^/:?#]+)' "
     "WHEN 'PROTOCOL' THEN '^([a-zA-Z][a-zA-Z0-9+.-]*):' WHEN 'PATH' THEN "
     "'^[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*(/[^?#]*)' "
     "WHEN 'QUERY' THEN '[?]([^#]*)' WHEN 'REF' THEN '#(.*)$' "
     "WHEN 'FILE' THEN '^[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*(/[^#]*)' "
     "WHEN 'AUTHORITY' THEN '^[a-zA-Z][a-zA-Z0-9+.-]*://([^/?#]+)' "
     "WHEN 'USERINFO' THEN '^[a-zA-Z][a-zA-Z0-9+.-]*://([^/?#@]*)@' ELSE '(x)^' END, 1), ''), "
     "(u, p, k) AS CASE WHEN p <> 'QUERY' THEN NULL ELSE nullif($regexp_extract($regexp_extract(u, '[?]([^#]*)', 1), "
     "'(?:^|&)' || k || '=([^&]*)', 1), '') END"},
    {"regexp_extract", kSpark, "regexp_extract(s, regex [, group])",
     "what the group (1) of the first match holds; empty without a match", kMacro,
     "(s, r) AS $regexp_extract(s, r, 1), (s, r, g) AS mica_regexp_group(s, r, g)"},
    {"regexp_extract", kFlink, "regexp_extract(s, regex [, group])",
     "what the group (0) of the first match holds; NULL without a match", kMacro,
     "(s, r) AS CASE WHEN $regexp_matches(s, r) THEN $regexp_extract(s, r, 0) END, "
     "(s, r, g) AS CASE WHEN $regexp_matches(s, r) THEN mica_regexp_group(s, r, g) END"},
    {"mica_regexp_group", kBoth, "", "", kMacro,
     "(s, r, g) AS CASE g WHEN 0 THEN $regexp_extract(s, r, 0) WHEN 1 THEN $regexp_extract(s, r, 1) "
     "WHEN 2 THEN $regexp_extract(s, r, 2) WHEN 3 THEN $regexp_extract(s, r, 3) WHEN 4 THEN $regexp_extract(s, r, 4) "
     "WHEN 5 THEN $regexp_extract(s, r, 5) WHEN 6 THEN $regexp_extract(s, r, 6) WHEN 7 THEN $regexp_extract(s, r, 7) "
     "WHEN 8 THEN $regexp_extract(s, r, 8) WHEN 9 THEN $regexp_extract(s, r, 9) "
     "ELSE error('A regular expression has groups 0 to 9') END"},
    {"regexp_extract_all", kSpark, "regexp_extract_all(s, regex [, group])", "array of the group (1) of all matches",
     kMacro, "(s, r) AS $regexp_extract_all(s, r, 1), (s, r, g) AS $regexp_extract_all(s, r, g)"},
    {"regexp_replace", kBoth, "regexp_replace(s, regex, new)", "s with all matches replaced; $1 is the first group",
     kMacro,
     "(s, r, n) AS $regexp_replace(s, r, $regexp_replace($replace(n, '\\', '\\\\'), '[$](\\d)', '\\\\\\1', 'g'), 'g')"},
    {"regexp_like", kSpark, "regexp_like(s, regex)", "whether the regular expression matches anywhere in s", kAlias,
     "regexp_matches"},
    {"regexp", kBoth, "regexp(s, regex)", "whether the regular expression matches anywhere in s", kAlias,
     "regexp_matches"},
    {"rlike", kSpark, "rlike(s, regex), s RLIKE regex", "whether the regular expression matches anywhere in s", kAlias,
     "regexp_matches"},
    {"@~", kBoth, "", "", kAlias, "regexp_matches"},
    {"!@~", kBoth, "", "", kMacro, "(s, r) AS NOT $regexp_matches(s, r)"},
    {"~~@", kBoth, "", "", kMacro, "(s, l) AS list_bool_or(list_transform(l, lambda p: s LIKE p))"},
    {"~~@@", kBoth, "", "", kMacro, "(s, l) AS list_bool_and(list_transform(l, lambda p: s LIKE p))"},
    {"!~~@", kBoth, "", "", kMacro, "(s, l) AS list_bool_or(list_transform(l, lambda p: s NOT LIKE p))"},
    {"!~~@@", kBoth, "", "", kMacro, "(s, l) AS list_bool_and(list_transform(l, lambda p: s NOT LIKE p))"},
    {"regexp_count", kBoth, "regexp_count(s, regex)", "how many matches s has", kMacro,
     "(s, r) AS CAST($len($regexp_extract_all(s, r)) AS INTEGER)"},
    {"regexp_substr", kBoth, "regexp_substr(s, regex)", "the first match; NULL without one", kMacro,
     "(s, r) AS CASE WHEN $regexp_matches(s, r) THEN $regexp_extract(s, r, 0) END"},
    {"regexp_instr", kBoth, "regexp_instr(s, regex)", "where the first match begins, counted from 1; 0: none", kMacro,
     "(s, r) AS CAST(CASE WHEN $regexp_matches(s, r) THEN $instr(s, $regexp_extract(s, r, 0)) "
     "WHEN s IS NULL OR r IS NULL THEN NULL ELSE 0 END AS INTEGER)"},
    {"mica_bytes", kBoth, "", "", kMacro, "(x VARCHAR) AS $encode(x), (x BLOB) AS x"},
    {"base64", kSpark, "base64(b)", "bytes as text in base 64", kMacro, "(x) AS $base64(mica_bytes(x))"},
    {"unbase64", kSpark, "unbase64(s)", "bytes of a text in base 64", kMacro, "(s) AS $from_base64(s)"},
    {"to_base64", kFlink, "to_base64(s)", "text in base 64", kMacro, "(x) AS $base64(mica_bytes(x))"},
    {"from_base64", kFlink, "from_base64(s)", "the text behind one in base 64", kMacro,
     "(s) AS $decode($from_base64(s))"},
    {"encode", kBoth, "encode(s, 'UTF-8')", "bytes of a text", kMacro,
     "(s, c) AS CASE WHEN $upper(c) IN ('UTF-8', 'UTF8') THEN $encode(s) "
     "ELSE error('encode knows the charset UTF-8 only') END"},
    {"decode", kSpark, "decode(b, 'UTF-8'), decode(x, a, r, ... [, otherwise])",
     "text of bytes; or the result that stands after the value equal to x", kNative},
    {"decode", kFlink, "decode(b, 'UTF-8')", "text of bytes", kNative},
    {"hex", kBoth, "hex(x)", "a number, text or binary in base 16"},
    {"unhex", kBoth, "unhex(s)", "bytes of a text in base 16; NULL when it is none", kMacro, "(s) AS TRY($unhex(s))"},
    {"md5", kBoth, "md5(x)", "checksum in base 16", kMacro, "(x) AS $md5(mica_bytes(x))"},
    {"sha1", kBoth, "sha1(x)", "checksum in base 16", kMacro, "(x) AS $sha1(mica_bytes(x))"},
    {"sha", kSpark, "sha(x)", "as sha1", kMacro, "(x) AS $sha1(mica_bytes(x))"},
    {"sha256", kFlink, "sha256(x)", "checksum in base 16", kMacro, "(x) AS $sha256(mica_bytes(x))"},
    {"sha2", kBoth, "sha2(x, bits)", "checksum of 224, 256 (or 0), 384 or 512 bits in base 16; NULL for other sizes",
     kMacro, "(x, n) AS mica_sha2(mica_bytes(x), CASE WHEN n = 0 THEN 256 ELSE n END)"},
    {"mica_sha2", kBoth, "", "", kNative},
    {"sha224", kFlink, "sha224(x)", "checksum in base 16", kMacro, "(x) AS mica_sha2(mica_bytes(x), 224)"},
    {"sha384", kFlink, "sha384(x)", "checksum in base 16", kMacro, "(x) AS mica_sha2(mica_bytes(x), 384)"},
    {"sha512", kFlink, "sha512(x)", "checksum in base 16", kMacro, "(x) AS mica_sha2(mica_bytes(x), 512)"},
    {"crc32", kSpark, "crc32(x)", "checksum as a number", kNative},
    {"to_binary", kSpark, "to_binary(s [, 'hex' | 'utf-8' | 'base64'])",
     "bytes of a text, in base 16 unless told otherwise", kMacro,
     "(s) AS $unhex(s), (s, f) AS CASE $lower(f) WHEN 'hex' THEN $unhex(s) WHEN 'base64' THEN $from_base64(s) "
     "WHEN 'utf-8' THEN $encode(s) WHEN 'utf8' THEN $encode(s) "
     "ELSE error('to_binary knows the forms hex, utf-8 and base64') END"},
    {"try_to_binary", kSpark, "try_to_binary(s [, form])", "as to_binary; NULL when s is no such text", kMacro,
     "(s) AS TRY($unhex(s)), (s, f) AS CASE $lower(f) WHEN 'hex' THEN TRY($unhex(s)) "
     "WHEN 'base64' THEN TRY($from_base64(s)) WHEN 'utf-8' THEN $encode(s) WHEN 'utf8' THEN $encode(s) END"},
    {"get_json_object", kSpark, "get_json_object(s, path)", "what stands at a path such as '$.a.b[0]' of a JSON text",
     kMacro,
     "(s, p) AS CASE WHEN $json_valid(s) THEN $json_extract_string(s, "
     "$regexp_replace(p, '\\[''([^'']*)''\\]', '.\"\\1\"', 'g')) END"},
    {"json_value", kFlink, "json_value(s, path [RETURNING type] [{NULL | ERROR | DEFAULT x} ON {EMPTY | ERROR}])",
     "the scalar at a path of a JSON text", kMacro,
     "(s, p) AS CASE WHEN $json_valid(s) AND $json_type(s, p) NOT IN ('OBJECT', 'ARRAY') "
     "THEN $json_extract_string(s, p) END"},
    {"json_string", kFlink, "json_string(x)", "x as JSON text; NULL for NULL", kMacro, "(x) AS mica_json_item(x)"},
    {"json_object", kFlink, "json_object([KEY] k VALUE x, ... [NULL ON NULL | ABSENT ON NULL])", "a JSON object",
     kRewritten, "mica_json_item|"},
    {"json_array", kFlink, "json_array(x, ... [NULL ON NULL | ABSENT ON NULL])",
     "a JSON array, without NULL unless told so", kRewritten, "mica_json_item|"},
    {"mica_json_item", kBoth, "", "", kMacro, "(x) AS CASE WHEN x IS NOT NULL THEN CAST($to_json(x) AS VARCHAR) END"},
    {"is json", kFlink, "s IS [NOT] JSON [VALUE | SCALAR | ARRAY | OBJECT]", "whether a text is JSON, of a kind"},
    {"@&", kFlink, "", "", kMacro,
     "(s, k) AS CASE WHEN s IS NULL THEN FALSE WHEN NOT $json_valid(s) THEN FALSE WHEN k = 'VALUE' THEN TRUE "
     "WHEN k = 'SCALAR' THEN $json_type(s) NOT IN ('ARRAY', 'OBJECT') ELSE $json_type(s) = k END"},
    {"!@&", kFlink, "", "", kMacro, "(s, k) AS NOT (s @& k)"},
    {"json_query", kFlink, "json_query(s, path)", "the object or array at a path of a JSON text", kMacro,
     "(s, p) AS CASE WHEN $json_valid(s) AND $json_type(s, p) IN ('OBJECT', 'ARRAY') "
     "THEN CAST($json_extract(s, p) AS VARCHAR) END"},
    {"json_exists", kFlink, "json_exists(s, path)", "whether a JSON text has something at a path", kMacro,
     "(s, p) AS CASE WHEN $json_valid(s) THEN $json_exists(s, p) ELSE s IS NOT NULL AND FALSE END"},
    {"json_array_length", kSpark, "json_array_length(s)", "elements of a JSON array", kMacro,
     "(s) AS CASE WHEN $json_valid(s) AND $json_type(s) = 'ARRAY' THEN CAST($json_array_length(s) AS INTEGER) END"},
    {"json_object_keys", kSpark, "json_object_keys(s)", "keys of a JSON object", kMacro,
     "(s) AS CASE WHEN $json_valid(s) AND $json_type(s) = 'OBJECT' THEN $json_keys(s) END"},
    {"from_json", kSpark, "from_json(s, 'a INT, b STRING')",
     "a JSON text as struct, array or map; NULL where a part is none", kMacro,
     "(s, t) AS CASE WHEN s IS NULL THEN NULL WHEN $json_valid(s) THEN $json_transform(s, t) "
     "ELSE $json_transform('{}', t) END"},
    {"to_json", kSpark, "to_json(x)",
     "a struct, map or array as JSON text; fields that are NULL are left out, instants are in UTC", kNative},
    {"schema_of_json", kSpark, "schema_of_json(s)", "the type of a constant JSON text, as from_json takes it", kNative},
    {"schema_of_csv", kSpark, "schema_of_csv(s)", "the type of a constant line of CSV, as from_csv takes it", kNative},
    {"to_csv", kSpark, "to_csv(x)", "a struct as line of CSV", kNative},
    {"from_csv", kSpark, "from_csv(s, 'a INT, b STRING')", "a line of CSV as struct; NULL where a part is none",
     kNative},
    {"uuid", kBoth, "uuid()", "a random identifier", kMacro, "() AS CAST($uuid() AS VARCHAR)"},
    {"soundex", kSpark, "soundex(s)", "code of how s sounds", kNative},
};

}  // namespace

std::span<const SqlFunction> TextFunctions() {
  return kText;
}

}  // namespace mica::dialect
