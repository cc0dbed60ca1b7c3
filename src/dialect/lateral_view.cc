#include "dialect/lateral_view.h"

#include "base/text.h"
#include "dialect/keywords.h"

namespace mica::dialect {

namespace {

bool IsFreeName(const Token& token) {
  return token.kind == TokenKind::kQuotedName || (token.kind == TokenKind::kWord && !IsReservedWord(token.text));
}

size_t ValueColumns(const LateralView& view) { return view.columns.size() - (view.positions ? 1 : 0); }

}  // namespace

LateralView ParseLateralView(const TokenSlice& tokens, size_t i) {
  const Cursor& cursor = tokens.cursor();
  LateralView view;
  size_t at = i + 2;
  view.outer = tokens.At(at).IsWord("OUTER");
  if (view.outer) ++at;
  const Token& function = tokens.At(at);
  view.positions = function.IsWord("POSEXPLODE");
  if ((!view.positions && !function.IsWord("EXPLODE")) || !tokens.At(at + 1).IsOperator("(")) {
    throw UnsupportedAt(cursor.source(), function.range.begin,
                        "LATERAL VIEW of another function than explode or posexplode");
  }
  view.value_begin = at + 2;
  at = tokens.Closing(at + 1);
  view.value_end = at - 1;
  view.alias = fmt::format("view_{}", i);
  if (IsFreeName(tokens.At(at))) view.alias = TextOf(tokens.At(at++), cursor.dialect());
  if (tokens.At(at).IsWord("AS")) {
    do {
      if (!IsFreeName(tokens.At(++at))) throw tokens.Expected(at, "a column name");
      view.columns.push_back(QuoteName(TextOf(tokens.At(at), cursor.dialect())));
      ++at;
    } while (tokens.At(at).IsOperator(","));
  } else {
    view.columns = view.positions ? std::vector<std::string>{"pos", "col"} : std::vector<std::string>{"col"};
  }
  // An array gives a value, a map a key and a value.
  if (ValueColumns(view) != 1 && ValueColumns(view) != 2) {
    throw SyntaxError(cursor.source(), function.range.begin, "this function gives other columns than are named");
  }
  view.end = at;
  return view;
}

std::string LateralJoin(const LateralView& view, std::string_view value) {
  std::string select = view.positions ? fmt::format("unnest(range(len({}))), ", value) : std::string();
  select += ValueColumns(view) == 1 ? fmt::format("unnest({})", value)
                                    : fmt::format("unnest(map_keys({0})), unnest(map_values({0}))", value);
  return fmt::format("{} JOIN LATERAL (SELECT {}) AS {}({}){}", view.outer ? "LEFT" : "CROSS", select,
                     QuoteName(view.alias), Join(view.columns, ", "), view.outer ? " ON TRUE" : "");
}

}  // namespace mica::dialect
