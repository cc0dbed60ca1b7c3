#include "dialect/json_call.h"

#include <vector>

#include "base/text.h"
#include "dialect/cast_type.h"
#include "dialect/function_call.h"
#include "dialect/keywords.h"

namespace mica::dialect {

namespace {

using Rewrite = std::function<std::string(size_t, size_t)>;

// The first token at or after i where one of the words stands outside of brackets; the end where none does.
size_t Find(const TokenSlice& tokens, Argument range, std::initializer_list<std::string_view> words) {
  int depth = 0;
  for (size_t at = range.begin; at < range.end; ++at) {
    const Token& token = tokens.At(at);
    if (token.IsOperator("(") || token.IsOperator("[")) ++depth;
    if (token.IsOperator(")") || token.IsOperator("]")) --depth;
    if (depth > 0) continue;
    for (std::string_view word : words) {
      if (token.IsWord(word)) return at;
    }
  }
  return range.end;
}

std::string Part(const TokenSlice& tokens, Argument range, const Rewrite& rewrite) {
  if (range.begin >= range.end) throw tokens.Expected(range.begin, "an argument");
  return rewrite(range.begin, range.end);
}

// [RETURNING type] [{NULL | ERROR | DEFAULT x} ON {EMPTY | ERROR}] ... around the value.
std::string WithClauses(const TokenSlice& tokens, Argument clauses, std::string value, const Rewrite& rewrite) {
  size_t at = clauses.begin;
  if (tokens.At(at).IsWord("RETURNING")) {
    auto type = ParseCastType(tokens, at + 1, false);
    if (!type) throw tokens.Expected(at + 1, "a type");
    value = "TRY_CAST(" + value + " AS " + type->text + ")";
    at = type->end;
  }
  while (at < clauses.end) {
    const size_t on = Find(tokens, {at, clauses.end}, {"ON"});
    const bool complete =
        on + 1 < clauses.end && (tokens.At(on + 1).IsWord("EMPTY") || tokens.At(on + 1).IsWord("ERROR"));
    if (!complete) throw tokens.Expected(at, "NULL, ERROR or DEFAULT, and ON EMPTY or ON ERROR");
    if (tokens.At(at).IsWord("DEFAULT")) {
      value = "coalesce(" + value + ", " + Part(tokens, {at + 1, on}, rewrite) + ")";
    } else if (tokens.At(at).IsWord("ERROR")) {
      value = "coalesce(" + value + ", error('There is no such value in the JSON text'))";
    } else if (!tokens.At(at).IsWord("NULL")) {
      throw tokens.Expected(at, "NULL, ERROR or DEFAULT");
    }
    at = on + 2;
  }
  return value;
}

// Takes NULL ON NULL or ABSENT ON NULL off the last argument.
bool NullsStay(const TokenSlice& tokens, std::vector<Argument>* arguments, bool otherwise) {
  Argument& last = arguments->back();
  const size_t at = last.end >= 3 ? last.end - 3 : last.end;
  const bool clause = at >= last.begin && tokens.At(at + 1).IsWord("ON") && tokens.At(at + 2).IsWord("NULL") &&
                      (tokens.At(at).IsWord("NULL") || tokens.At(at).IsWord("ABSENT"));
  if (!clause) return otherwise;
  const bool stay = tokens.At(at).IsWord("NULL");
  last.end = at;
  if (last.begin == last.end) arguments->pop_back();
  return stay;
}

// What another constructor made is JSON already.
std::string Item(const TokenSlice& tokens, Argument value, const Rewrite& rewrite) {
  const Token& first = tokens.At(value.begin);
  const bool json =
      tokens.At(value.begin + 1).IsOperator("(") && (first.IsWord("JSON_OBJECT") || first.IsWord("JSON_ARRAY"));
  const std::string text = Part(tokens, value, rewrite);
  return json ? text : "mica_json_item(" + text + ")";
}

std::string Joined(const std::vector<std::string>& items, std::string_view open, std::string_view close) {
  if (items.empty()) return fmt::format("'{}{}'", open, close);
  std::string list;
  for (const std::string& item : items) list += (list.empty() ? "" : ", ") + item;
  return fmt::format("('{}' || coalesce(array_to_string(list_value({}), ','), '') || '{}')", open, list, close);
}

std::string Object(const TokenSlice& tokens, std::vector<Argument> arguments, const Rewrite& rewrite) {
  const bool stay = NullsStay(tokens, &arguments, true);
  std::vector<std::string> items;
  for (Argument pair : arguments) {
    if (pair.begin == pair.end) continue;
    if (tokens.At(pair.begin).IsWord("KEY")) ++pair.begin;
    const size_t word = Find(tokens, pair, {"VALUE"});
    if (word == pair.end) throw tokens.Expected(pair.begin, "KEY 'name' VALUE x");
    std::string value = Item(tokens, {word + 1, pair.end}, rewrite);
    if (stay) value = "coalesce(" + value + ", 'null')";
    items.push_back("mica_json_item(CAST(" + Part(tokens, {pair.begin, word}, rewrite) + " AS VARCHAR)) || ':' || " +
                    value);
  }
  return Joined(items, "{", "}");
}

std::string Array(const TokenSlice& tokens, std::vector<Argument> arguments, const Rewrite& rewrite) {
  const bool stay = NullsStay(tokens, &arguments, false);
  std::vector<std::string> items;
  for (Argument argument : arguments) {
    if (argument.begin == argument.end) continue;
    std::string value = Item(tokens, argument, rewrite);
    items.push_back(stay ? "coalesce(" + value + ", 'null')" : value);
  }
  return Joined(items, "[", "]");
}

std::optional<JsonCall> Predicate(const TokenSlice& tokens, size_t i) {
  const bool negated = tokens.At(i + 1).IsWord("NOT");
  const size_t json = negated ? i + 2 : i + 1;
  if (!tokens.At(json).IsWord("JSON")) return std::nullopt;
  for (std::string_view kind : {"VALUE", "SCALAR", "ARRAY", "OBJECT"}) {
    if (tokens.At(json + 1).IsWord(kind)) return JsonCall{fmt::format("{}@& '{}'", negated ? "!" : "", kind), json + 2};
  }
  return JsonCall{negated ? "!@& 'VALUE'" : "@& 'VALUE'", json + 1};
}

}  // namespace

std::optional<JsonCall> RewriteJsonCall(const TokenSlice& tokens, size_t i, const Rewrite& rewrite) {
  if (tokens.cursor().dialect() != Dialect::kFlink) return std::nullopt;
  const Token& name = tokens.At(i);
  if (name.IsWord("IS")) return Predicate(tokens, i);
  if (!tokens.At(i + 1).IsOperator("(")) return std::nullopt;
  size_t end = 0;
  if (name.IsWord("JSON_OBJECT"))
    return JsonCall{Object(tokens, ArgumentsOf(tokens, i + 1, &end), rewrite), tokens.Closing(i + 1)};
  if (name.IsWord("JSON_ARRAY"))
    return JsonCall{Array(tokens, ArgumentsOf(tokens, i + 1, &end), rewrite), tokens.Closing(i + 1)};
  if (!name.IsWord("JSON_VALUE") && !name.IsWord("JSON_QUERY")) return std::nullopt;
  std::vector<Argument> arguments = ArgumentsOf(tokens, i + 1, &end);
  if (arguments.size() != 2) throw tokens.Expected(i + 2, "a text and a path");
  const size_t clauses =
      Find(tokens, {arguments[1].begin + 1, arguments[1].end}, {"RETURNING", "NULL", "ERROR", "DEFAULT"});
  std::string value = fmt::format("{}({}, {})", ToLower(name.text), Part(tokens, arguments[0], rewrite),
                                  Part(tokens, {arguments[1].begin, clauses}, rewrite));
  return JsonCall{WithClauses(tokens, {clauses, arguments[1].end}, std::move(value), rewrite), end};
}

}  // namespace mica::dialect
