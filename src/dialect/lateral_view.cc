#include "dialect/lateral_view.h"

#include <algorithm>

#include "base/text.h"
#include "dialect/generator_call.h"
#include "dialect/keywords.h"

namespace mica::dialect {

namespace {

bool IsFreeName(const Token& token) {
  return token.kind == TokenKind::kQuotedName || (token.kind == TokenKind::kWord && !IsReservedWord(token.text));
}

}  // namespace

LateralView ParseLateralView(const TokenSlice& tokens, size_t i) {
  const Cursor& cursor = tokens.cursor();
  LateralView view;
  size_t at = i + 2;
  view.outer = tokens.At(at).IsWord("OUTER");
  if (view.outer) ++at;
  const Token& function = tokens.At(at);
  const SqlFunction* generator = FindGenerator(function, cursor.dialect());
  if (generator == nullptr || !tokens.At(at + 1).IsOperator("(")) {
    throw UnsupportedAt(cursor.source(), function.range.begin,
                        "LATERAL VIEW of another function than explode, posexplode, inline, stack or json_tuple");
  }
  view.generator = generator->body;
  view.arguments_begin = at + 2;
  at = tokens.Closing(at + 1);
  view.arguments_end = at - 1;
  view.alias = fmt::format("view_{}", i);
  if (IsFreeName(tokens.At(at))) view.alias = TextOf(tokens.At(at++), cursor.dialect());
  if (tokens.At(at).IsWord("AS")) {
    do {
      if (!IsFreeName(tokens.At(++at))) throw tokens.Expected(at, "a column name");
      view.columns.push_back(QuoteName(TextOf(tokens.At(at), cursor.dialect())));
      ++at;
    } while (tokens.At(at).IsOperator(","));
  }
  view.end = at;
  return view;
}

std::string LateralJoin(const LateralView& view, std::string_view arguments) {
  const std::string brackets(static_cast<size_t>(std::count(view.generator.begin(), view.generator.end(), '(')), ')');
  const std::string columns = view.columns.empty() ? "" : "(" + Join(view.columns, ", ") + ")";
  return fmt::format("{} JOIN LATERAL (SELECT unnest({}({}){}, max_depth := 2)) AS {}{}{}",
                     view.outer ? "LEFT" : "CROSS", view.generator, arguments, brackets, QuoteName(view.alias), columns,
                     view.outer ? " ON TRUE" : "");
}

}  // namespace mica::dialect
