#include "dialect/window_table.h"

#include <map>
#include <vector>

#include "dialect/function_call.h"
#include "dialect/keywords.h"

namespace mica::dialect {

namespace {

// Names of the arguments in their order; those behind `needed` can be left out.
struct Function {
  std::string_view word;
  std::vector<std::string_view> arguments;
  size_t needed;
};

const std::vector<Function>& Functions() {
  static const std::vector<Function> functions = {
      {"TUMBLE", {"DATA", "TIMECOL", "SIZE", "OFFSET"}, 3},
      {"HOP", {"DATA", "TIMECOL", "SLIDE", "SIZE", "OFFSET"}, 4},
      {"CUMULATE", {"DATA", "TIMECOL", "STEP", "SIZE", "OFFSET"}, 4},
  };
  return functions;
}

class Windows {
 public:
  Windows(const TokenSlice& tokens, const Function& function, size_t bracket,
          const std::function<std::string(size_t, size_t)>& rewrite)
      : tokens_(tokens), function_(function), rewrite_(rewrite) {
    size_t after = 0;
    for (const Argument& argument : ArgumentsOf(tokens, bracket, &after)) Add(argument);
    for (size_t k = 0; k < function.needed; ++k) {
      if (!arguments_.contains(function.arguments[k])) {
        throw tokens.Expected(after - 1, fmt::format("the argument {} of {}", function.arguments[k], function.word));
      }
    }
  }

  std::string Text() const {
    const std::string time = "CAST(" + TimeColumn() + " AS TIMESTAMP)", size = Interval("SIZE");
    std::string start, end, rows;
    if (function_.word == "TUMBLE") {
      rows = Bucket(size, time) + " AS window_start";
      end = "window_start + " + size;
    } else if (function_.word == "HOP") {
      const std::string slide = Interval("SLIDE");
      rows = fmt::format("unnest(range({}, {} - {}, -({}))) AS window_start", Bucket(slide, time), time, size, slide);
      end = "window_start + " + size;
    } else {
      const std::string step = Interval("STEP");
      rows = fmt::format("{0} AS window_start, unnest(generate_series({1} + {2}, {0} + {3}, {2})) AS window_end",
                         Bucket(size, time), Bucket(step, time), step, size);
    }
    const std::string last = end.empty() ? "window_end" : end;
    return fmt::format("(SELECT *, {}{} - INTERVAL '1' MILLISECOND AS window_time FROM (SELECT *, {} FROM {}))",
                       end.empty() ? "" : end + " AS window_end, ", last, rows, Table());
  }

 private:
  // A => x, or x in its order.
  void Add(Argument range) {
    const Token& name = tokens_.At(range.begin);
    if (tokens_.At(range.begin + 1).IsOperator("=>")) {
      for (std::string_view argument : function_.arguments) {
        const bool same =
            ToUpper(name.kind == TokenKind::kWord ? std::string(name.text) : TextOf(name, Dialect::kFlink)) == argument;
        if (!same) continue;
        arguments_[argument] = {range.begin + 2, range.end};
        return;
      }
    } else if (count_ < function_.arguments.size()) {
      arguments_[function_.arguments[count_++]] = range;
      return;
    }
    throw tokens_.Expected(range.begin, fmt::format("an argument of {}", function_.word));
  }

  std::string Part(Argument range) const {
    if (range.begin >= range.end) throw tokens_.Expected(range.begin, "an argument");
    return rewrite_(range.begin, range.end);
  }

  std::string Table() const {
    Argument range = arguments_.at("DATA");
    if (tokens_.At(range.begin).IsWord("TABLE")) ++range.begin;
    return Part(range);
  }

  std::string TimeColumn() const {
    const Argument range = arguments_.at("TIMECOL");
    const bool descriptor = tokens_.At(range.begin).IsWord("DESCRIPTOR") && tokens_.At(range.begin + 1).IsOperator("(");
    if (!descriptor) throw tokens_.Expected(range.begin, "DESCRIPTOR(column)");
    return Part({range.begin + 2, range.end - 1});
  }

  std::string Interval(std::string_view argument) const { return Part(arguments_.at(argument)); }

  // Windows begin at multiples of their size from 1970 on, and at an offset from those.
  std::string Bucket(const std::string& width, const std::string& time) const {
    std::string origin = "TIMESTAMP '1970-01-01 00:00:00'";
    if (arguments_.contains("OFFSET")) origin += " + " + Interval("OFFSET");
    return fmt::format("time_bucket({}, {}, {})", width, time, origin);
  }

  const TokenSlice& tokens_;
  const Function& function_;
  const std::function<std::string(size_t, size_t)>& rewrite_;
  std::map<std::string_view, Argument> arguments_;
  size_t count_ = 0;
};

}  // namespace

std::optional<WindowTable> RewriteWindowTable(const TokenSlice& tokens, size_t i,
                                              const std::function<std::string(size_t, size_t)>& rewrite) {
  if (!tokens.At(i + 1).IsOperator("(") || !tokens.At(i + 3).IsOperator("(")) return std::nullopt;
  if (tokens.At(i + 2).IsWord("SESSION")) {
    throw UnsupportedAt(tokens.cursor().source(), tokens.At(i + 2).range.begin,
                        "windows of sessions. Use TUMBLE, HOP or CUMULATE");
  }
  for (const Function& function : Functions()) {
    if (!tokens.At(i + 2).IsWord(function.word)) continue;
    return WindowTable{Windows(tokens, function, i + 3, rewrite).Text(), tokens.Closing(i + 1)};
  }
  return std::nullopt;
}

}  // namespace mica::dialect
