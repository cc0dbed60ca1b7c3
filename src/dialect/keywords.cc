#include "dialect/keywords.h"

#include <unordered_set>

namespace mica::dialect {

std::string ToUpper(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  }
  return out;
}

bool IsEngineKeyword(std::string_view word) {
  constexpr size_t kLongest = 10;
  static const std::unordered_set<std::string_view> kWords = {
      "ANALYSE", "ANALYZE",    "ANY",      "ARRAY",   "BOTH",       "CAST", "CHECK",   "COLLATE",
      "COLUMN",  "CONSTRAINT", "CREATE",   "DEFAULT", "DESCRIBE",   "DO",   "FOREIGN", "LAMBDA",
      "LEADING", "ONLY",       "PLACING",  "PRIMARY", "REFERENCES", "SHOW", "SOME",    "SUMMARIZE",
      "TABLE",   "TO",         "TRAILING", "UNIQUE",  "VARIADIC",
  };
  return IsReservedWord(word) || (word.size() <= kLongest && kWords.contains(ToUpper(word)));
}

bool IsReservedByEngineOnly(std::string_view word) {
  constexpr size_t kLongest = 13;
  static const std::unordered_set<std::string_view> kWords = {
      "ANALYSE",     "ANALYZE",      "ASC",     "ASOF",       "ASYMMETRIC", "AT",        "AUTHORIZATION",
      "CHECK",       "COLLATION",    "COLUMN",  "CREATE",     "DEFERRABLE", "DESC",      "DESCRIBE",
      "DO",          "END",          "FETCH",   "FOREIGN",    "FREEZE",     "GLOB",      "GRANT",
      "INITIALLY",   "INTO",         "ISNULL",  "LAMBDA",     "LIMIT",      "NOTNULL",   "OFFSET",
      "ONLY",        "PIVOT",        "PLACING", "POSITIONAL", "PRIMARY",    "QUALIFY",   "REFERENCES",
      "RETURNING",   "SHOW",         "SIMILAR", "SOME",       "SUMMARIZE",  "SYMMETRIC", "TABLE",
      "TABLESAMPLE", "TO",           "UNIQUE",  "UNPIVOT",    "VARIADIC",   "VERBOSE",   "WINDOW",
      "CONSTRAINT",  "CONCURRENTLY",
  };
  return word.size() <= kLongest && kWords.contains(ToUpper(word));
}

bool IsReservedWord(std::string_view word) {
  constexpr size_t kLongest = 12;
  static const std::unordered_set<std::string_view> kWords = {
      "ALL",    "AND",     "ANTI",   "AS",      "ASC",       "ASOF",     "AT",          "BETWEEN", "BY",
      "CASE",   "CLUSTER", "CROSS",  "DELETE",  "DESC",      "DISTINCT", "DISTRIBUTE",  "ELSE",    "END",
      "EXCEPT", "EXISTS",  "FALSE",  "FETCH",   "FOR",       "FROM",     "FULL",        "GROUP",   "HAVING",
      "ILIKE",  "IN",      "INNER",  "INSERT",  "INTERSECT", "INTO",     "IS",          "JOIN",    "LATERAL",
      "LEFT",   "LIKE",    "LIMIT",  "MATCHED", "MERGE",     "MINUS",    "NATURAL",     "NOT",     "NULL",
      "OFFSET", "ON",      "OR",     "ORDER",   "OUTER",     "PIVOT",    "POSITIONAL",  "QUALIFY", "RETURNING",
      "RIGHT",  "RLIKE",   "SELECT", "SEMI",    "SET",       "SORT",     "TABLESAMPLE", "THEN",    "TRUE",
      "UNION",  "UNPIVOT", "UPDATE", "USING",   "VALUES",    "WHEN",     "WHERE",       "WINDOW",  "WITH",
  };
  return word.size() <= kLongest && kWords.contains(ToUpper(word));
}

}  // namespace mica::dialect
