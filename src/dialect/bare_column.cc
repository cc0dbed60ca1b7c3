#include "dialect/bare_column.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "dialect/keywords.h"

namespace mica::dialect {

namespace {

template <size_t kCount>
bool IsOneOf(const Token& token, const std::array<std::string_view, kCount>& words) {
  return token.kind == TokenKind::kWord &&
         std::any_of(words.begin(), words.end(), [&](std::string_view word) { return token.IsWord(word); });
}

// SELECT *, t.*, count(*): all columns, and not "times".
bool IsStar(const TokenSlice& tokens, size_t i) {
  if (!tokens.At(i).IsOperator("*")) return false;
  if (i == tokens.begin()) return true;
  constexpr std::array<std::string_view, 3> kBefore = {"SELECT", "ALL", "DISTINCT"};
  const Token& before = tokens.At(i - 1);
  return before.IsOperator("(") || before.IsOperator(",") || before.IsOperator(".") || IsOneOf(before, kBefore);
}

bool ExpectsValue(const TokenSlice& tokens, size_t i) {
  constexpr std::array<std::string_view, 20> kBefore = {
      "SELECT", "DISTINCT", "WHERE", "AND",     "OR",   "NOT",   "BY",    "ON",     "HAVING", "CASE",
      "WHEN",   "THEN",     "ELSE",  "BETWEEN", "LIKE", "ILIKE", "RLIKE", "REGEXP", "DIV",    "ALL"};
  if (i == tokens.begin()) return true;
  const Token& before = tokens.At(i - 1);
  if (before.kind != TokenKind::kOperator) return IsOneOf(before, kBefore);
  const bool closes = before.IsOperator(")") || before.IsOperator("]") || before.IsOperator("}");
  return !closes && !before.IsOperator(".") && !before.IsOperator("::") && !IsStar(tokens, i - 1);
}

bool GoesOnAfterValue(const Token& next) {
  constexpr std::array<std::string_view, 36> kAfter = {
      "FROM",   "WHERE",   "GROUP",   "ORDER", "HAVING", "LIMIT", "UNION", "EXCEPT", "INTERSECT",
      "MINUS",  "AS",      "AND",     "OR",    "IS",     "IN",    "LIKE",  "ILIKE",  "RLIKE",
      "REGEXP", "BETWEEN", "NOT",     "ASC",   "DESC",   "NULLS", "THEN",  "ELSE",   "END",
      "WHEN",   "SORT",    "CLUSTER", "DIV",   "JOIN",   "LEFT",  "RIGHT", "FULL",   "INNER"};
  if (next.kind == TokenKind::kEnd || next.kind == TokenKind::kSemicolon) return true;
  if (next.kind != TokenKind::kOperator) return IsOneOf(next, kAfter);
  return !next.IsOperator("(") && !next.IsOperator("{") && !next.IsOperator(".") && !next.IsOperator("->");
}

}  // namespace

bool IsBareColumn(const TokenSlice& tokens, size_t i) {
  const Token& word = tokens.At(i);
  return word.kind == TokenKind::kWord && IsReservedByEngineOnly(word.text) && ExpectsValue(tokens, i) &&
         GoesOnAfterValue(tokens.At(i + 1));
}

}  // namespace mica::dialect
