#include "dialect/lambda_call.h"

#include <array>

#include "dialect/function_call.h"

namespace mica::dialect {

namespace {

constexpr std::array<std::string_view, 6> kFunctions = {"AGGREGATE",      "REDUCE",           "ZIP_WITH",
                                                        "TRANSFORM_KEYS", "TRANSFORM_VALUES", "MAP_FILTER"};

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

  LambdaCall Run() {
    const Token& name = tokens_.At(name_);
    if (name.IsWord("AGGREGATE") || name.IsWord("REDUCE")) return {Reduce(), end_};
    if (name.IsWord("ZIP_WITH")) {
      Need(3, "two arrays and a lambda of two parameters");
      const std::string pairs = "mica_zip(" + Part(0) + ", " + Part(1) + ")";
      return {"list_transform(" + pairs + ", " + OverPairs(2, "1", "2") + ")", end_};
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

  std::string Reduce() const {
    if (arguments_.size() != 3 && arguments_.size() != 4) {
      throw tokens_.Expected(name_ + 2,
                             "an array, a start, a lambda of two parameters and, at most, one for the result");
    }
    const Lambda merge = LambdaAt(2, 2, "a lambda of two parameters, (sum, x) -> ...");
    std::string out = fmt::format("list_reduce({}, lambda {}, {}: {}, {})", Part(0), merge.parameters[0],
                                  merge.parameters[1], Rewrite(merge.body, {}), Part(1));
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
    return call.Run();
  }
  return std::nullopt;
}

}  // namespace mica::dialect
