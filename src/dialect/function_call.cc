#include "dialect/function_call.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "dialect/function_list.h"
#include "dialect/keywords.h"
#include "dialect/type_parser.h"

namespace mica::dialect {

namespace {

// How far the end of a call is looked for.
constexpr size_t kArgumentReach = 200;

// Called with a bare word for the unit of time.
constexpr std::array<std::string_view, 6> kUnitFunctions = {"TIMESTAMPADD", "TIMESTAMPDIFF", "DATEADD",
                                                            "DATE_ADD",     "DATEDIFF",      "DATE_DIFF"};
constexpr std::array<std::string_view, 11> kUnits = {
    "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DAYOFYEAR", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND"};
constexpr std::array<std::string_view, 14> kWholeUnits = {"YEAR", "YEARS", "QUARTER", "MONTH",  "MONTHS",
                                                          "WEEK", "WEEKS", "DAY",     "DAYS",   "DOY",
                                                          "HOUR", "HOURS", "MINUTE",  "MINUTES"};
constexpr std::string_view kUnitPrefix = "SQL_TSI_";

// The engine's own functions that take lambdas are here too.
constexpr std::array<std::string_view, 8> kLambdaFunctions = {
    "EXISTS", "FORALL", "LIST_TRANSFORM", "LIST_FILTER", "LIST_REDUCE", "LIST_APPLY", "REDUCE", "ARRAY_TRANSFORM"};

template <size_t kSize>
bool IsOneOf(const Token& token, const std::array<std::string_view, kSize>& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return token.IsWord(word); });
}

bool IsOpening(const Token& token) {
  return token.IsOperator("(") || token.IsOperator("[") || token.IsOperator("{");
}

bool IsClosing(const Token& token) {
  return token.IsOperator(")") || token.IsOperator("]") || token.IsOperator("}");
}

// What stands around extract(unit FROM t), and the unit where it has another name here. The day of the week counts from
// 1, Sunday, where the engine counts from 0. Spark gives INT where the engine gives BIGINT, and seconds with their
// fraction.
struct ExtractForm {
  std::string_view before = "extract", after;
  std::string_view unit;
};
ExtractForm FormOfUnit(std::string_view unit, bool spark) {
  const std::string upper = ToUpper(unit);
  if (upper == "DOW" || upper == "DAYOFWEEK") {
    return spark ? ExtractForm{"CAST(1 + extract", " AS INTEGER)", {}} : ExtractForm{"(1 + extract", ")", {}};
  }
  const bool iso = upper == "DOW_ISO" || upper == "DAYOFWEEK_ISO";
  if (!spark) return {"extract", "", iso ? "isodow" : std::string_view()};
  if (upper == "SECOND" || upper == "SECONDS") return {"mica_seconds(extract", ")", "microseconds"};
  ExtractForm form{"CAST(extract", " AS INTEGER)", {}};
  if (iso) form.unit = "isodow";
  if (upper == "YEAROFWEEK") form.unit = "isoyear";
  const bool whole = std::find(kWholeUnits.begin(), kWholeUnits.end(), upper) != kWholeUnits.end();
  return whole || !form.unit.empty() ? form : ExtractForm();
}

std::optional<CallEdit> EditExtract(const TokenSlice& tokens, size_t i) {
  const Token& unit = tokens.At(i + 2);
  const ExtractForm form = FormOfUnit(unit.text, tokens.cursor().dialect() == Dialect::kSpark);
  CallEdit edit{tokens.At(i).range, std::string(form.before), std::string(form.after), {}};
  if (!form.unit.empty()) edit.inside = {unit.range, std::string(form.unit)};
  return edit;
}

// date_part('unit', t) as extract(unit FROM t).
std::optional<CallEdit> EditDatePart(const TokenSlice& tokens, size_t i) {
  const Token& unit = tokens.At(i + 2);
  const Token& comma = tokens.At(i + 3);
  const Dialect dialect = tokens.cursor().dialect();
  if (!comma.IsOperator(",")) return std::nullopt;
  const std::string name = TextOf(unit, dialect);
  const bool word = !name.empty() && std::all_of(name.begin(), name.end(),
                                                 [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; });
  if (!word) return std::nullopt;
  const ExtractForm form = FormOfUnit(name, dialect == Dialect::kSpark);
  CallEdit edit{tokens.At(i).range, std::string(form.before), std::string(form.after), {}};
  edit.inside = {SourceRange{unit.range.begin, comma.range.end},
                 fmt::format("{} FROM", form.unit.empty() ? std::string_view(name) : form.unit)};
  return edit;
}

// first(x) IGNORE NULLS without a window: the aggregate that leaves NULL out.
std::optional<CallEdit> EditNulls(const TokenSlice& tokens, size_t i) {
  const Token& name = tokens.At(i);
  const bool first = name.IsWord("FIRST") || name.IsWord("FIRST_VALUE") || name.IsWord("ANY_VALUE");
  if (!first && !name.IsWord("LAST") && !name.IsWord("LAST_VALUE")) return std::nullopt;
  const size_t after = tokens.Closing(i + 1);
  const Token& word = tokens.At(after);
  const bool ignore = word.IsWord("IGNORE");
  if ((!ignore && !word.IsWord("RESPECT")) || !tokens.At(after + 1).IsWord("NULLS")) return std::nullopt;
  if (tokens.At(after + 2).IsWord("OVER")) return std::nullopt;
  const SourceRange words{word.range.begin, tokens.At(after + 1).range.end};
  const std::string_view aggregate = first    ? (ignore ? "mica_flink_first" : "first")
                                     : ignore ? "mica_flink_last"
                                              : "last";
  return CallEdit{name.range, std::string(aggregate), "", std::pair(words, "")};
}

// timestampadd(DAY, ...) takes the unit as text; a column of such a name stays one in calls of two arguments.
std::optional<CallEdit> EditUnit(const TokenSlice& tokens, size_t i) {
  const Token& unit = tokens.At(i + 2);
  if (unit.kind != TokenKind::kWord || !tokens.At(i + 3).IsOperator(",")) return std::nullopt;
  std::string name = ToUpper(unit.text);
  if (name.starts_with(kUnitPrefix)) name = name.substr(kUnitPrefix.size());
  if (std::find(kUnits.begin(), kUnits.end(), name) == kUnits.end()) return std::nullopt;
  if (ArgumentCount(tokens, i + 2) != 3) return std::nullopt;
  return CallEdit{unit.range, QuoteText(ToLower(name)), "", {}};
}

}  // namespace

CallForm CallFormAt(const TokenSlice& tokens, size_t i) {
  if (i == tokens.begin()) return CallForm::kPlain;
  const Token& name = tokens.At(i - 1);
  if (name.kind != TokenKind::kWord) return CallForm::kPlain;
  if (name.IsWord("CAST") || name.IsWord("TRY_CAST")) return CallForm::kCast;
  if (name.IsWord("SUBSTRING") || name.IsWord("OVERLAY")) return CallForm::kWordsAsCommas;
  if (name.IsWord("FLOOR") || name.IsWord("CEIL")) return CallForm::kToUnit;
  if (name.IsWord("FROM_JSON")) return CallForm::kJsonSchema;
  if (name.IsWord("FROM_CSV")) return CallForm::kCsvSchema;
  if (name.IsWord("TRANSFORM") || name.IsWord("FILTER")) return CallForm::kIndexedLambda;
  return IsOneOf(name, kLambdaFunctions) ? CallForm::kLambda : CallForm::kPlain;
}

std::vector<Argument> ArgumentsOf(const TokenSlice& tokens, size_t i, size_t* after) {
  std::vector<Argument> arguments;
  *after = tokens.Closing(i);
  int depth = 0;
  size_t begin = i + 1;
  for (size_t at = i + 1; at + 1 < *after; ++at) {
    const Token& token = tokens.At(at);
    if (IsOpening(token)) ++depth;
    if (IsClosing(token)) --depth;
    if (depth > 0 || !token.IsOperator(",")) continue;
    arguments.push_back({begin, at});
    begin = at + 1;
  }
  arguments.push_back({begin, *after - 1});
  return arguments;
}

size_t ArgumentCount(const TokenSlice& tokens, size_t i) {
  size_t count = 1;
  int depth = 0;
  for (size_t k = i; k < std::min(tokens.end(), i + kArgumentReach); ++k) {
    const Token& token = tokens.At(k);
    if (IsOpening(token)) ++depth;
    if (IsClosing(token) && --depth < 0) return count;
    if (depth == 0 && token.IsOperator(",")) ++count;
  }
  return 0;
}

std::string SchemaText(const std::string& schema, CallForm form, Dialect dialect) {
  DataType type;
  try {
    type = ParseType("STRUCT<" + schema + ">", dialect);
  } catch (const Error&) {
    try {
      type = ParseType(schema, dialect);
    } catch (const Error&) {
      throw InvalidArgument("The schema '{}' of {} is no list of columns, as in 'a INT, b STRING', and no type", schema,
                            form == CallForm::kCsvSchema ? "from_csv" : "from_json");
    }
  }
  if (form == CallForm::kCsvSchema) return EngineType(type);
  std::string text = "\"";
  for (char c : EngineType(type)) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

std::optional<CallEdit> EditCall(const TokenSlice& tokens, size_t i) {
  const Token& name = tokens.At(i);
  const Token& first = tokens.At(i + 2);
  if (name.IsWord("ARRAY") && !first.IsWord("SELECT") && !first.IsWord("WITH")) {
    return CallEdit{name.range, "list_value", "", {}};
  }
  if (name.IsWord("EXTRACT")) return EditExtract(tokens, i);
  if (name.IsWord("DATE_PART") || name.IsWord("DATEPART")) {
    if (auto edit = EditDatePart(tokens, i)) return edit;
  }
  // Not POSITION(part IN s): Spark's position(part, s [, from]).
  if (name.IsWord("POSITION") && ArgumentCount(tokens, i + 2) > 1) return CallEdit{name.range, "locate", "", {}};
  if (IsOneOf(name, kUnitFunctions)) return EditUnit(tokens, i);
  bool subquery = first.IsWord("SELECT") || first.IsWord("WITH") || first.IsWord("FROM") || first.IsWord("VALUES") ||
                  first.IsOperator("(");
  if (name.IsWord("EXISTS") && subquery) return std::nullopt;
  // first(x, true) leaves NULL out; percentile_approx has an accuracy, which exact values do not need.
  for (std::string_view word : {"FIRST", "LAST", "PERCENTILE_APPROX", "APPROX_PERCENTILE"}) {
    const bool percentile = word.ends_with("E") || word.ends_with("X");
    if (name.IsWord(word) && ArgumentCount(tokens, i + 2) == (percentile ? 3 : 2)) {
      return CallEdit{name.range, percentile ? "mica_percentile" : "mica_" + ToLower(word), "", {}};
    }
  }
  if (auto edit = EditNulls(tokens, i)) return edit;
  // Without a window the aggregates, which leave NULL out in Flink.
  if ((name.IsWord("FIRST_VALUE") || name.IsWord("LAST_VALUE")) && ArgumentCount(tokens, i + 2) == 1) {
    const Token& next = tokens.At(tokens.Closing(i + 1));
    const bool window = next.IsWord("OVER") || next.IsWord("IGNORE") || next.IsWord("RESPECT") || next.IsWord("FILTER");
    const bool spark = tokens.cursor().dialect() == Dialect::kSpark;
    const std::string_view which = name.IsWord("FIRST_VALUE") ? "first" : "last";
    if (!window) return CallEdit{name.range, fmt::format("{}{}", spark ? "" : "mica_flink_", which), "", {}};
  }
  // x = ANY (...)
  const bool compared = i > tokens.begin() && tokens.At(i - 1).kind == TokenKind::kOperator;
  if (compared && (name.IsWord("ANY") || name.IsWord("SOME")) && !tokens.At(i - 1).IsOperator(",") &&
      !tokens.At(i - 1).IsOperator("(")) {
    return std::nullopt;
  }
  bool clause = name.IsWord("FILTER") && i > tokens.begin() && tokens.At(i - 1).IsOperator(")");
  if (clause) return std::nullopt;
  const SqlFunction* function = FindFunction(name.text, tokens.cursor().dialect());
  if (function == nullptr || function->kind != FunctionKind::kRewritten) return std::nullopt;
  size_t bar = function->body.find('|');
  return CallEdit{
      name.range, std::string(function->body.substr(0, bar)), std::string(function->body.substr(bar + 1)), {}};
}

}  // namespace mica::dialect
