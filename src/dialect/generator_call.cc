#include "dialect/generator_call.h"

#include <algorithm>

#include "dialect/keywords.h"

namespace mica::dialect {

namespace {

bool IsTable(const TokenSlice& tokens, size_t i, bool column) {
  if (i == tokens.begin()) return false;
  const Token& before = tokens.At(i - 1);
  if (tokens.At(i).IsWord("UNNEST") && before.IsOperator(",")) return !column;
  return before.IsWord("FROM") || before.IsWord("JOIN") || before.IsWord("LATERAL");
}

bool IsFreeName(const Token& token) {
  return token.kind == TokenKind::kQuotedName || (token.kind == TokenKind::kWord && !IsReservedWord(token.text));
}

}  // namespace

const SqlFunction* FindGenerator(const Token& name, Dialect dialect) {
  if (name.kind != TokenKind::kWord) return nullptr;
  const SqlFunction* function = FindFunction(name.text, dialect);
  return function != nullptr && function->kind == FunctionKind::kGenerator ? function : nullptr;
}

std::optional<GeneratorCall> ParseGeneratorCall(const TokenSlice& tokens, size_t i, bool column) {
  const Dialect dialect = tokens.cursor().dialect();
  const SqlFunction* function = FindGenerator(tokens.At(i), dialect);
  if (function == nullptr) return std::nullopt;
  const std::string body(function->body);
  const std::string brackets(static_cast<size_t>(std::count(body.begin(), body.end(), '(')), ')');
  const bool unnest = tokens.At(i).IsWord("UNNEST");
  if (IsTable(tokens, i, column)) {
    const size_t end = tokens.Closing(i + 1);
    if (unnest && tokens.At(end).IsWord("WITH") && tokens.At(end + 1).IsWord("ORDINALITY")) {
      return GeneratorCall{"(SELECT unnest(mica_unnest_counted", ", max_depth := 2))", end + 2};
    }
    return GeneratorCall{"(SELECT unnest(" + body, brackets + ", max_depth := 2))", end};
  }
  if (!column || unnest) return std::nullopt;
  GeneratorCall call{"unnest(" + body, brackets + ", max_depth := 2)", tokens.Closing(i + 1)};
  size_t at = call.end;
  const bool as = tokens.At(at).IsWord("AS");
  if (as) ++at;
  std::string names;
  if (as && tokens.At(at).IsOperator("(")) {
    do {
      if (!IsFreeName(tokens.At(++at))) throw tokens.Expected(at, "a column name");
      names += ", " + QuoteText(TextOf(tokens.At(at), dialect));
      ++at;
    } while (tokens.At(at).IsOperator(","));
    if (!tokens.At(at).IsOperator(")")) throw tokens.Expected(at, "')'");
    ++at;
  } else if (IsFreeName(tokens.At(at))) {
    names = ", " + QuoteText(TextOf(tokens.At(at), dialect));
    ++at;
  }
  if (names.empty()) return call;
  return GeneratorCall{"unnest(mica_named(" + body, brackets + names + "), max_depth := 2)", at};
}

}  // namespace mica::dialect
