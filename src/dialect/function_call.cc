#include "dialect/function_call.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "dialect/function_list.h"
#include "dialect/keywords.h"

namespace mica::dialect {

namespace {

// How far the third argument of dateadd(unit, n, t) is looked for.
constexpr size_t kArgumentReach = 200;

// Called with a bare word for the unit of time.
constexpr std::array<std::string_view, 6> kUnitFunctions = {"TIMESTAMPADD", "TIMESTAMPDIFF", "DATEADD",
                                                            "DATE_ADD",     "DATEDIFF",      "DATE_DIFF"};
constexpr std::array<std::string_view, 11> kUnits = {"YEAR",      "QUARTER", "MONTH",  "WEEK",   "DAY",
                                                     "DAYOFYEAR", "HOUR",    "MINUTE", "SECOND", "MILLISECOND",
                                                     "MICROSECOND"};
constexpr std::string_view kUnitPrefix = "SQL_TSI_";

// The engine's own functions that take lambdas are here too.
constexpr std::array<std::string_view, 8> kLambdaFunctions = {"EXISTS",      "FORALL",         "LIST_TRANSFORM",
                                                              "LIST_FILTER", "LIST_REDUCE",    "LIST_APPLY",
                                                              "REDUCE",      "ARRAY_TRANSFORM"};

template <size_t kSize>
bool IsOneOf(const Token& token, const std::array<std::string_view, kSize>& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return token.IsWord(word); });
}

// The day of the week counts from 1, Sunday, where the engine counts from 0.
std::optional<CallEdit> EditExtract(const TokenSlice& tokens, size_t i) {
  const Token& unit = tokens.At(i + 2);
  if (unit.IsWord("DOW") || unit.IsWord("DAYOFWEEK")) return CallEdit{tokens.At(i).range, "(1 + extract", ")"};
  if (unit.IsWord("DOW_ISO") || unit.IsWord("DAYOFWEEK_ISO")) return CallEdit{unit.range, "isodow", ""};
  return std::nullopt;
}

// timestampadd(DAY, ...) takes the unit as text; a column of such a name stays one in calls of two arguments.
std::optional<CallEdit> EditUnit(const TokenSlice& tokens, size_t i) {
  const Token& unit = tokens.At(i + 2);
  if (unit.kind != TokenKind::kWord || !tokens.At(i + 3).IsOperator(",")) return std::nullopt;
  std::string name = ToUpper(unit.text);
  if (name.starts_with(kUnitPrefix)) name = name.substr(kUnitPrefix.size());
  if (std::find(kUnits.begin(), kUnits.end(), name) == kUnits.end()) return std::nullopt;
  int depth = 0, commas = 0;
  for (size_t k = i + 2; k < std::min(tokens.end(), i + kArgumentReach); ++k) {
    if (tokens.At(k).IsOperator("(")) ++depth;
    if (tokens.At(k).IsOperator(")") && --depth < 0) break;
    if (depth == 0 && tokens.At(k).IsOperator(",")) ++commas;
  }
  if (commas != 2) return std::nullopt;
  return CallEdit{unit.range, QuoteText(ToLower(name)), ""};
}

}  // namespace

CallForm CallFormAt(const TokenSlice& tokens, size_t i) {
  if (i == tokens.begin()) return CallForm::kPlain;
  const Token& name = tokens.At(i - 1);
  if (name.kind != TokenKind::kWord) return CallForm::kPlain;
  if (name.IsWord("CAST") || name.IsWord("TRY_CAST")) return CallForm::kCast;
  if (name.IsWord("SUBSTRING") || name.IsWord("OVERLAY")) return CallForm::kWordsAsCommas;
  if (name.IsWord("FLOOR") || name.IsWord("CEIL")) return CallForm::kToUnit;
  if (name.IsWord("TRANSFORM") || name.IsWord("FILTER")) return CallForm::kIndexedLambda;
  return IsOneOf(name, kLambdaFunctions) ? CallForm::kLambda : CallForm::kPlain;
}

std::optional<CallEdit> EditCall(const TokenSlice& tokens, size_t i) {
  const Token& name = tokens.At(i);
  const Token& first = tokens.At(i + 2);
  if (name.IsWord("ARRAY") && !first.IsWord("SELECT") && !first.IsWord("WITH")) {
    return CallEdit{name.range, "list_value", ""};
  }
  if (name.IsWord("EXTRACT")) return EditExtract(tokens, i);
  if (IsOneOf(name, kUnitFunctions)) return EditUnit(tokens, i);
  bool subquery = first.IsWord("SELECT") || first.IsWord("WITH") || first.IsWord("FROM") || first.IsWord("VALUES") ||
                  first.IsOperator("(");
  if (name.IsWord("EXISTS") && subquery) return std::nullopt;
  bool clause = name.IsWord("FILTER") && i > tokens.begin() && tokens.At(i - 1).IsOperator(")");
  if (clause) return std::nullopt;
  const SqlFunction* function = FindFunction(name.text, tokens.cursor().dialect());
  if (function == nullptr || function->kind != FunctionKind::kRewritten) return std::nullopt;
  size_t bar = function->body.find('|');
  return CallEdit{name.range, std::string(function->body.substr(0, bar)), std::string(function->body.substr(bar + 1))};
}

}  // namespace mica::dialect
