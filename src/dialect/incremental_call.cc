#include "dialect/incremental_call.h"

#include <array>

#include "base/text.h"
#include "dialect/option_version.h"

namespace mica::dialect {

namespace {

struct Function {
  std::string_view name;
  std::string_view option;
  size_t arguments;  // the table among them
};
constexpr std::array kFunctions = {
    Function{"paimon_incremental_query", "incremental-between", 3},
    Function{"paimon_incremental_between_timestamp", "incremental-between-timestamp", 3},
    Function{"paimon_incremental_to_auto_tag", "incremental-to-auto-tag", 2},
};

// "db.t" and "`db`.`t$audit_log`" as quoted parts.
std::string QuotedPath(std::string_view text) {
  std::string path, part;
  bool quoted = false;
  auto end_part = [&] {
    path += (path.empty() ? "" : ".") + QuoteName(part);
    part.clear();
  };
  for (char c : text) {
    if (c == '`') {
      quoted = !quoted;
    } else if (c == '.' && !quoted) {
      end_part();
    } else {
      part += c;
    }
  }
  end_part();
  return path;
}

}  // namespace

std::optional<IncrementalCall> ParseIncrementalCall(const TokenSlice& tokens, size_t i) {
  const Token& name = tokens.At(i);
  if (name.kind != TokenKind::kWord || !tokens.At(i + 1).IsOperator("(")) return std::nullopt;
  for (const Function& function : kFunctions) {
    if (!EqualsIgnoreCase(name.text, function.name)) continue;
    std::vector<std::string> arguments;
    size_t at = i + 2;
    while (true) {
      bool negative = tokens.At(at).IsOperator("-");
      if (negative) ++at;
      const Token& token = tokens.At(at);
      bool literal = token.kind == TokenKind::kNumber || (!negative && (token.kind == TokenKind::kString ||
                                                                        token.kind == TokenKind::kDoubleQuoted));
      if (!literal) throw tokens.Expected(at, "a text or a number");
      arguments.push_back(negative ? "-" + std::string(token.text) : TextOf(token, tokens.cursor().dialect()));
      ++at;
      if (!tokens.At(at).IsOperator(",")) break;
      ++at;
    }
    if (!tokens.At(at).IsOperator(")")) throw tokens.Expected(at, ")");
    if (arguments.size() != function.arguments) {
      throw SyntaxError(tokens.cursor().source(), name.range.begin,
                        fmt::format("{} takes {} arguments, not {}", function.name, function.arguments, arguments.size()));
    }
    std::string value = arguments[1];
    for (size_t a = 2; a < arguments.size(); ++a) value += "," + arguments[a];
    IncrementalCall call;
    call.table = QuotedPath(arguments[0]);
    call.at = fmt::format(" AT (VERSION => {})", QuoteText(EncodeOptions({{std::string(function.option), value}})));
    call.end = at + 1;
    return call;
  }
  return std::nullopt;
}

}  // namespace mica::dialect
