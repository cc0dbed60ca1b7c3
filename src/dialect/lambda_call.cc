#include "dialect/lambda_call.h"

#include <algorithm>
#include <array>

#include "dialect/function_call.h"

namespace mica::dialect {

namespace {

constexpr std::array<std::string_view, 10> kFunctions = {
    "AGGREGATE",  "REDUCE",       "ZIP_WITH",   "TRANSFORM_KEYS", "TRANSFORM_VALUES",
    "MAP_FILTER", "MAP_ZIP_WITH", "ARRAY_SORT", "STRUCT",         "COUNT_IF"};

struct Lambda {
  std::vector<std::string> parameters;
  Argument body;
};

std::optional<Lambda> ParseLambda(const TokenSlice& tokens, Argument range) {
  Lambda lambda;
  size_t at = range.begin;
  if (tokens.At(at).IsOperator("(")) {
    do {
      if (tokens.At(++at).kind != TokenKind::kWord) return std::nullopt;
      lambda.parameters.emplace_back(tokens.At(at++).text);
    } while (tokens.At(at).IsOperator(","));
    if (!tokens.At(at).IsOperator(")")) return std::nullopt;
  } else {
    lambda.parameters.emplace_back(tokens.At(at).text);
  }
  if (!tokens.At(at + 1).IsOperator("->")) return std::nullopt;
  lambda.body = {at + 2, range.end};
  return lambda;
}

class CallRewriter {
 public:
  CallRewriter(const TokenSlice& tokens, size_t i, const RewritePart& rewrite)
      : tokens_(tokens), name_(i), rewrite_(rewrite) {
    arguments_ = ArgumentsOf(tokens, i + 1, &end_);
  }

  size_t argument_count() const { return arguments_.size(); }

  // struct(a AS x, ...)
  bool HasNames() const {
    return std::any_of(arguments_.begin(), arguments_.end(), [&](Argument argument) { return NameOf(argument) > 0; });
  }

  LambdaCall Run() {
    const Token& name = tokens_.At(name_);
    if (name.IsWord("AGGREGATE") || name.IsWord("REDUCE")) return {Reduce(), end_};
    if (name.IsWord("ZIP_WITH")) {
      Need(3, "two arrays and a lambda of two parameters");
      const std::string pairs = "mica_zip(" + Part(0) + ", " + Part(1) + ")";
      return {"list_transform(" + pairs + ", " + OverPairs(2, "1", "2") + ")", end_};
    }
    if (name.IsWord("MAP_ZIP_WITH")) return {ZipMaps(), end_};
    if (name.IsWord("ARRAY_SORT")) return {Sort(), end_};
    if (name.IsWord("STRUCT")) return {Struct(), end_};
    if (name.IsWord("COUNT_IF")) {
      Need(1, "a condition");
      return {"count(CASE WHEN " + Part(0) + " THEN 1 END)", end_};
    }
    Need(2, "a map and a lambda of two parameters");
    const std::string entries = "map_entries(" + Part(0) + ")";
    const std::string condition = OverPairs(1, "'key'", "'value'");
    if (name.IsWord("MAP_FILTER")) return {"map_from_entries(list_filter(" + entries + ", " + condition + "))", end_};
    const size_t colon = condition.find(": ");
    const std::string value = condition.substr(colon + 2);
    const bool keys = name.IsWord("TRANSFORM_KEYS");
    const std::string entry = keys ? "struct_pack(k := " + value + ", v := " + Member("'value'") + ")"
                                   : "struct_pack(k := " + Member("'key'") + ", v := " + value + ")";
    return {"map_from_entries(list_transform(" + entries + ", " + condition.substr(0, colon + 2) + entry + "))", end_};
  }

 private:
  // Position of the name after AS at the end of an argument; 0 where there is none.
  size_t NameOf(Argument argument) const {
    if (argument.end < argument.begin + 3 || !tokens_.At(argument.end - 2).IsWord("AS")) return 0;
    return argument.end - 1;
  }

  // The engine has the names of fields before the values.
  std::string Struct() const {
    std::string out = "struct(";
    for (size_t i = 0; i < arguments_.size(); ++i) {
      Argument value = arguments_[i];
      if (i > 0) out += ", ";
      if (const size_t name = NameOf(value)) {
        out += QuoteName(TextOf(tokens_.At(name), Dialect::kSpark)) + " := ";
        value.end = name - 1;
      }
      out += Rewrite(value, {});
    }
    return out + ")";
  }

  void Need(size_t count, std::string_view what) const {
    if (arguments_.size() != count) throw tokens_.Expected(name_ + 2, what);
  }

  std::string Part(size_t argument) const { return Rewrite(arguments_[argument], {}); }

  std::string Rewrite(Argument range, const Substitutions& names) const {
    if (range.begin >= range.end) throw tokens_.Expected(range.begin, "an argument");
    return rewrite_(range.begin, range.end, names);
  }

  Lambda LambdaAt(size_t argument, size_t parameters, std::string_view what) const {
    auto lambda = ParseLambda(tokens_, arguments_[argument]);
    if (!lambda || lambda->parameters.size() != parameters) throw tokens_.Expected(arguments_[argument].begin, what);
    return *lambda;
  }

  // A name of its own for each call, as calls lie in one another.
  std::string Pair() const { return fmt::format("pair_{}", name_); }

  std::string Member(std::string_view name) const { return fmt::format("struct_extract({}, {})", Pair(), name); }

  std::string OverPairs(size_t argument, std::string_view first, std::string_view second) const {
    const Lambda lambda = LambdaAt(argument, 2, "a lambda of two parameters, (a, b) -> ...");
    const Substitutions names = {{lambda.parameters[0], Member(first)}, {lambda.parameters[1], Member(second)}};
    return "lambda " + Pair() + ": " + Rewrite(lambda.body, names);
  }

  std::string ZipMaps() const {
    Need(3, "two maps and a lambda of three parameters");
    const Lambda lambda = LambdaAt(2, 3, "a lambda of three parameters, (k, x, y) -> ...");
    const Substitutions names = {{lambda.parameters[0], Member("'k'")},
                                 {lambda.parameters[1], Member("'x'")},
                                 {lambda.parameters[2], Member("'y'")}};
    return fmt::format(
        "map_from_entries(list_transform(mica_zip_maps({}, {}), lambda {}: struct_pack(k := {}, v := {})))", Part(0),
        Part(1), Pair(), Member("'k'"), Rewrite(lambda.body, names));
  }

  // Each element goes between those of a sorted array that come before it, or are as good, and the others.
  std::string Sort() const {
    Need(2, "an array and a lambda of two parameters");
    const Lambda lambda = LambdaAt(1, 2, "a lambda of two parameters, (x, y) -> ...");
    const std::string sorted = fmt::format("sorted_{}", name_), next = fmt::format("next_{}", name_),
                      other = fmt::format("other_{}", name_);
    const Substitutions names = {{lambda.parameters[0], other},
                                 {lambda.parameters[1], "list_extract(" + next + ", 1)"}};
    const std::string order =
        fmt::format("coalesce({}, error('The lambda of array_sort gives NULL where it has to give a number'))",
                    Rewrite(lambda.body, names));
    const std::string array = Part(0);
    return fmt::format(
        "list_reduce(list_transform({0}, lambda {3}: list_value({3})), lambda {1}, {2}: list_concat(list_filter({1}, "
        "lambda {3}: ({4}) <= 0), {2}, list_filter({1}, lambda {3}: ({4}) > 0)), ({0})[1:0])",
        array, sorted, next, other, order);
  }

  // The engine takes a start only of the type of the elements: both travel in a pair, of which the sum is taken. Its
  // type is one that holds the start and what the lambda makes of it.
  std::string Reduce() const {
    if (arguments_.size() != 3 && arguments_.size() != 4) {
      throw tokens_.Expected(name_ + 2,
                             "an array, a start, a lambda of two parameters and, at most, one for the result");
    }
    const Lambda merge = LambdaAt(2, 2, "a lambda of two parameters, (sum, x) -> ...");
    const std::string sum = fmt::format("sum_{}", name_), next = fmt::format("next_{}", name_);
    const std::string array = Part(0), start = Part(1);
    auto merged = [&](const std::string& of, const std::string& element) {
      return Rewrite(merge.body, {{merge.parameters[0], of}, {merge.parameters[1], element}});
    };
    std::string out = fmt::format(
        "struct_extract(list_reduce(list_transform({0}, lambda {3}: struct_pack(sum := CASE WHEN FALSE THEN {1} WHEN "
        "FALSE THEN {5} END, x := {3})), lambda {2}, {3}: struct_pack(sum := {4}, x := struct_extract({3}, 'x')), "
        "struct_pack(sum := {1}, x := list_extract({0}, 1))), 'sum')",
        array, start, sum, next,
        merged(fmt::format("struct_extract({}, 'sum')", sum), fmt::format("struct_extract({}, 'x')", next)),
        merged("(" + start + ")", next));
    if (arguments_.size() == 3) return out;
    const Lambda finish = LambdaAt(3, 1, "a lambda of one parameter, sum -> ...");
    return fmt::format("list_extract(list_transform(list_value({}), lambda {}: {}), 1)", out, finish.parameters[0],
                       Rewrite(finish.body, {}));
  }

  const TokenSlice& tokens_;
  size_t name_;
  const RewritePart& rewrite_;
  std::vector<Argument> arguments_;
  size_t end_ = 0;
};

}  // namespace

std::optional<LambdaCall> RewriteLambdaCall(const TokenSlice& tokens, size_t i, const RewritePart& rewrite) {
  if (tokens.cursor().dialect() != Dialect::kSpark) return std::nullopt;
  for (std::string_view function : kFunctions) {
    if (!tokens.At(i).IsWord(function)) continue;
    CallRewriter call(tokens, i, rewrite);
    // The engine's own reduce(a, (x, y) -> ...).
    if (function == "REDUCE" && call.argument_count() == 2) return std::nullopt;
    if (function == "COUNT_IF" && tokens.At(i + 2).IsWord("DISTINCT")) return std::nullopt;
    if (function == "STRUCT" && !call.HasNames()) return std::nullopt;
    if (function == "ARRAY_SORT" && call.argument_count() == 1) return std::nullopt;
    return call.Run();
  }
  return std::nullopt;
}

}  // namespace mica::dialect
