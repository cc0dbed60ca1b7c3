#include "dialect/select_names.h"

#include <algorithm>
#include <array>

#include "dialect/generator_call.h"
#include "dialect/keywords.h"

namespace mica::dialect {

namespace {

constexpr std::array<std::string_view, 7> kEnds = {"FROM", "WHERE", "HAVING", "LIMIT", "UNION", "INTERSECT", "EXCEPT"};

// Words after which an operand comes, not an alias.
constexpr std::array<std::string_view, 21> kInfixes = {
    "AND",  "OR",   "NOT",  "IS",   "IN",   "LIKE",     "ILIKE",    "RLIKE",   "REGEXP",  "SIMILAR", "TO",
    "FROM", "THEN", "ELSE", "WHEN", "CASE", "DISTINCT", "INTERVAL", "COLLATE", "BETWEEN", "OVER"};

template <size_t kSize>
bool IsOneOf(const Token& token, const std::array<std::string_view, kSize>& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return token.IsWord(word); });
}

bool IsOperand(const Token& token) {
  if (token.kind == TokenKind::kWord) return !IsOneOf(token, kInfixes) && !token.IsWord("DIV");
  return token.kind != TokenKind::kOperator || token.IsOperator(")") || token.IsOperator("]") || token.IsOperator("}");
}

// Whether the last word of [begin, end) is the unit of an interval: INTERVAL 1 DAY 2 HOURS, INTERVAL '1-1' YEAR TO
// MONTH.
bool EndsInterval(const TokenSlice& tokens, size_t begin, size_t end) {
  if (tokens.At(end - 2).IsWord("TO")) return true;
  for (size_t unit = end - 1; unit >= begin + 2; unit -= 2) {
    const TokenKind value = tokens.At(unit - 1).kind;
    if (value != TokenKind::kNumber && value != TokenKind::kString) return false;
    if (unit >= begin + 3 && tokens.At(unit - 2).IsOperator("-")) --unit;
    if (tokens.At(unit - 2).IsWord("INTERVAL")) return true;
    if (unit < begin + 4) return false;
  }
  return false;
}

// Whether the tokens [begin, end) end in a name of their own: x AS n, x n.
bool HasAlias(const TokenSlice& tokens, size_t begin, size_t end) {
  const Token& last = tokens.At(end - 1);
  if (end - begin < 2) return false;
  const Token& before = tokens.At(end - 2);
  if (before.IsWord("AS")) return true;
  // x AS (key, value)
  if (last.IsOperator(")")) {
    for (size_t i = end - 1; i > begin + 1; --i) {
      if (tokens.At(i).IsOperator("(")) return tokens.At(i - 1).IsWord("AS");
      const bool in_list = tokens.At(i).IsName() || tokens.At(i).IsOperator(",") || tokens.At(i).IsOperator(")");
      if (!in_list) return false;
    }
    return false;
  }
  const bool name = last.kind == TokenKind::kQuotedName || last.kind == TokenKind::kDoubleQuoted ||
                    (last.kind == TokenKind::kWord && !IsReservedWord(last.text));
  return name && IsOperand(before) && !EndsInterval(tokens, begin, end);
}

// What stands for several columns has no name.
bool IsStar(const TokenSlice& tokens, size_t begin, size_t end) {
  const bool star = tokens.At(begin).IsOperator("*") || tokens.At(end - 1).IsOperator("*");
  const bool members = tokens.At(begin + 1).IsOperator(".") && tokens.At(begin + 2).IsOperator("*");
  const bool generator = FindGenerator(tokens.At(begin), tokens.cursor().dialect()) != nullptr;
  return star || members || generator || tokens.At(begin).IsWord("COLUMNS") || tokens.At(begin).IsWord("UNNEST");
}

}  // namespace

bool SelectNames::EndsList(size_t i) const {
  const Token& token = tokens_.At(i);
  if (token.kind != TokenKind::kWord) return token.kind == TokenKind::kEnd;
  const Token& before = tokens_.At(i - 1);
  if (before.IsOperator(".") || before.IsWord("AS") || (token.IsWord("FROM") && before.IsWord("DISTINCT")))
    return false;
  // Not WITHIN GROUP (ORDER BY ...).
  if (token.IsWord("GROUP") || token.IsWord("ORDER")) return tokens_.At(i + 1).IsWord("BY");
  return IsOneOf(token, kEnds);
}

std::optional<std::string> SelectNames::NameOf(const List& list, size_t end) const {
  if (!list.changed || end <= list.first) return std::nullopt;
  if (HasAlias(tokens_, list.first, end) || IsStar(tokens_, list.first, end)) return std::nullopt;
  // As written, but on one line and without comments.
  const std::string_view source = tokens_.cursor().source();
  std::string name;
  for (size_t i = list.first; i < end; ++i) {
    if (tokens_.At(i).kind == TokenKind::kHint) continue;
    const SourceRange& range = tokens_.At(i).range;
    if (!name.empty() && tokens_.At(i - 1).range.end < range.begin) name += ' ';
    name += source.substr(range.begin, range.end - range.begin);
  }
  return name;
}

std::optional<std::string> SelectNames::See(size_t i) {
  const Token& token = tokens_.At(i);
  std::optional<std::string> name;
  if (token.IsOperator("(") || token.IsOperator("[") || token.IsOperator("{")) {
    ++depth_;
  } else if (token.IsOperator(")") || token.IsOperator("]") || token.IsOperator("}")) {
    --depth_;
    if (!lists_.empty() && lists_.back().depth > depth_) {
      name = NameOf(lists_.back(), i);
      lists_.pop_back();
    }
  } else if (token.IsWord("SELECT")) {
    size_t first = i + 1;
    if (tokens_.At(first).IsWord("DISTINCT") || tokens_.At(first).IsWord("ALL")) ++first;
    lists_.push_back(List{depth_, first});
  } else if (!lists_.empty() && lists_.back().depth == depth_ && i >= lists_.back().first) {
    const bool ends = EndsList(i);
    if (ends || token.IsOperator(",")) name = NameOf(lists_.back(), i);
    if (ends) {
      lists_.pop_back();
    } else if (token.IsOperator(",")) {
      lists_.back().first = i + 1;
      lists_.back().changed = false;
    }
  }
  return name;
}

std::optional<std::string> SelectNames::Reach(size_t i) {
  std::optional<std::string> name;
  for (; seen_ <= i; ++seen_) name = See(seen_);
  return name;
}

void SelectNames::Change() {
  // A list inside of a changed column cannot be reached without it.
  for (size_t i = lists_.size(); i-- > 0 && !lists_[i].changed;) lists_[i].changed = true;
}

}  // namespace mica::dialect
