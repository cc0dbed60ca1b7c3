#include "dialect/group_list.h"

#include <algorithm>

namespace mica::dialect {

namespace {

// How far is looked, so that nested queries do not take quadratic time.
constexpr size_t kReach = 500;

}  // namespace

GroupList ParseGroupList(const TokenSlice& tokens, size_t i) {
  GroupList list{.end = i};
  int depth = 0;
  for (size_t at = i; at < std::min(tokens.end(), i + kReach); ++at) {
    const Token& token = tokens.At(at);
    if (token.IsOperator("(")) ++depth;
    if (token.IsOperator(")") && --depth < 0) return list;
    if (depth > 0 || token.kind != TokenKind::kWord) continue;
    list.end = at;
    for (std::string_view word : {"ROLLUP", "CUBE"}) {
      if (token.IsWord("WITH") && tokens.At(at + 1).IsWord(word)) {
        list.with = word;
        return list;
      }
    }
    if (token.IsWord("GROUPING") && tokens.At(at + 1).IsWord("SETS")) {
      list.sets = at > i;
      return list;
    }
    for (std::string_view word : {"HAVING", "ORDER", "LIMIT", "UNION", "WINDOW"}) {
      if (token.IsWord(word)) return list;
    }
  }
  return list;
}

size_t EndOfSortList(const TokenSlice& tokens, size_t i) {
  int depth = 0;
  for (size_t at = i; at < tokens.end(); ++at) {
    const Token& token = tokens.At(at);
    if (token.IsOperator("(")) ++depth;
    if (token.IsOperator(")") && --depth < 0) return at;
    if (depth > 0) continue;
    for (std::string_view word :
         {"SORT", "CLUSTER", "ORDER", "LIMIT", "OFFSET", "UNION", "WINDOW", "INTERSECT", "EXCEPT"}) {
      if (token.IsWord(word)) return at;
    }
  }
  return tokens.end();
}

}  // namespace mica::dialect
