#include "dialect/query_rewriter.h"

#include <array>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "dialect/keywords.h"
#include "dialect/type_parser.h"

namespace mica::dialect {
namespace {

// Time travel inside the expression of another time travel: no query needs more.
constexpr int kMaxDepth = 4;

struct Rename {
  std::string_view from;
  std::string_view to;
};
constexpr std::array kFunctions = {
    Rename{"NVL", "coalesce"},       Rename{"RAND", "random"},          Rename{"CURRENT_TIMESTAMP", "now"},
    Rename{"CURRENT_DATE", "today"}, Rename{"DATE_FORMAT", "strftime"},
};

// What follows a table: where it is read, and its options.
struct TableClause {
  Options options;
  std::optional<Expression> version;
  std::optional<Expression> timestamp;
  size_t end = 0;  // token position after it

  bool empty() const { return options.empty() && !version && !timestamp; }
};

// The AT clause in the engine's form.
std::string AtClause(const TableClause& clause, const Cursor& cursor, size_t position) {
  if (clause.options.empty()) {
    if (clause.version) return fmt::format(" AT (VERSION => {})", clause.version->sql);
    const std::optional<Literal>& literal = clause.timestamp->literal;
    bool seconds = literal && literal->kind == Literal::Kind::kNumber;
    return fmt::format(" AT (TIMESTAMP => {0}{1}{2})", seconds ? "to_timestamp(" : "", clause.timestamp->sql,
                       seconds ? ")" : "");
  }
  Options options = clause.options;
  if (clause.version) options.insert_or_assign("scan.version", clause.version->literal->text);
  if (clause.timestamp) {
    if (!clause.timestamp->literal) {
      throw UnsupportedAt(
          cursor.source(), position,
          "an OPTIONS hint together with a computed timestamp. Put the time into the hint as 'scan.timestamp'");
    }
    const Literal& literal = *clause.timestamp->literal;
    std::optional<int64_t> seconds;
    if (literal.kind == Literal::Kind::kNumber) seconds = ParseInteger(literal.text);
    int64_t millis = 0;
    if (seconds && !__builtin_mul_overflow(*seconds, int64_t{1000}, &millis)) {
      options.insert_or_assign("scan.timestamp-millis", std::to_string(millis));
    } else {
      options.insert_or_assign("scan.timestamp", literal.text);
    }
  }
  return fmt::format(" AT (VERSION => {})", QuoteText(EncodeOptions(options)));
}

class Rewriter {
 public:
  Rewriter(const Cursor& cursor, size_t begin, size_t end, std::optional<size_t> target_end, int depth)
      : cursor_(cursor), tokens_(cursor.tokens()), begin_(begin), end_(end), target_end_(target_end), depth_(depth) {}

  std::string Run() {
    if (begin_ >= end_) return {};
    copied_ = tokens_[begin_].range.begin;
    for (size_t i = begin_; i < end_;) i = Step(i);
    Replace({tokens_[end_ - 1].range.end, tokens_[end_ - 1].range.end}, "");
    return std::move(out_);
  }

 private:
  enum class Frame { kPlain, kCast, kDateFormat };

  const Token& At(size_t i) const {
    static const Token kNothing;
    return i >= begin_ && i < end_ ? tokens_[i] : kNothing;
  }
  bool AtWords(size_t i, std::initializer_list<std::string_view> words) const {
    for (std::string_view word : words) {
      if (!At(i++).IsWord(word)) return false;
    }
    return true;
  }

  void Replace(SourceRange range, std::string_view text) {
    if (range.begin < copied_) return;
    out_ += cursor_.source().substr(copied_, range.begin - copied_);
    out_ += text;
    copied_ = range.end;
  }

  // With blanks where the operator touched its operands.
  void ReplaceOperator(SourceRange range, std::string_view text) {
    std::string_view source = cursor_.source();
    bool before = range.begin > 0 && source[range.begin - 1] != ' ';
    bool after = range.end < source.size() && source[range.end] != ' ';
    Replace(range, fmt::format("{}{}{}", before ? " " : "", text, after ? " " : ""));
  }

  // Handles the token at i; gives the position of the next one to look at.
  size_t Step(size_t i) {
    const Token& token = tokens_[i];
    switch (token.kind) {
      case TokenKind::kWord:
        return Word(i);
      case TokenKind::kQuotedName:
        return Path(i);
      case TokenKind::kDoubleQuoted:
        if (IsNamePosition(i)) return Path(i);
        Replace(token.range, QuoteText(TextOf(token, cursor_.dialect())));
        return i + 1;
      case TokenKind::kString:
        return Text(i);
      case TokenKind::kBinary:
        Replace(token.range, fmt::format("from_hex({})", QuoteText(TextOf(token, cursor_.dialect()))));
        return i + 1;
      case TokenKind::kNumber:
        return Number(i);
      case TokenKind::kHint:
        if (!HintOptions(cursor_.source(), token, cursor_.dialect()).empty()) {
          throw SyntaxError(cursor_.source(), token.range.begin, "an OPTIONS hint must stand right after a table name");
        }
        return i + 1;
      default:
        return Operator(i);
    }
  }

  size_t Operator(size_t i) {
    const Token& token = tokens_[i];
    if (token.IsOperator("(")) {
      frames_.push_back(FrameOf(i));
    } else if (token.IsOperator(")")) {
      if (!frames_.empty()) frames_.pop_back();
    } else if (token.IsOperator("<=>")) {
      ReplaceOperator(token.range, "IS NOT DISTINCT FROM");
    } else if (token.IsOperator("::")) {
      return Type(i + 1, false);
    }
    return i + 1;
  }

  Frame FrameOf(size_t i) const {
    if (i == begin_) return Frame::kPlain;
    const Token& before = At(i - 1);
    if (before.IsWord("CAST") || before.IsWord("TRY_CAST")) return Frame::kCast;
    return before.IsWord("DATE_FORMAT") ? Frame::kDateFormat : Frame::kPlain;
  }

  size_t Word(size_t i) {
    const Token& token = tokens_[i];
    if (token.IsWord("AS") && !frames_.empty() && frames_.back() == Frame::kCast) return Type(i + 1, true);
    if (token.IsWord("LEFT") && (At(i + 1).IsWord("SEMI") || At(i + 1).IsWord("ANTI"))) {
      Replace({token.range.begin, tokens_[i + 1].range.begin}, "");
      return i + 1;
    }
    if (AtWords(i, {"LATERAL", "VIEW"})) {
      throw UnsupportedAt(cursor_.source(), token.range.begin,
                          "LATERAL VIEW. Use unnest() in the select list or in FROM");
    }
    if (token.IsWord("DIV") && IsOperand(i - 1) && IsOperand(i + 1)) {
      ReplaceOperator(token.range, "//");
      return i + 1;
    }
    if (At(i + 1).IsOperator("(") && !AfterDot(i)) Function(i);
    return IsReservedWord(token.text) && !StartsPath(i) ? i + 1 : Path(i);
  }

  // name.name, or name."name"
  bool StartsPath(size_t i) const {
    return At(i + 1).IsOperator(".") && (At(i + 2).IsName() || At(i + 2).kind == TokenKind::kDoubleQuoted);
  }

  bool AfterDot(size_t i) const { return i > begin_ && At(i - 1).IsOperator("."); }

  // The tokens around DIV when it is the operator and not a name.
  bool IsOperand(size_t i) const {
    const Token& token = At(i);
    return token.kind == TokenKind::kNumber || token.IsOperator("(") || token.IsOperator(")") ||
           token.kind == TokenKind::kQuotedName || (token.kind == TokenKind::kWord && !IsReservedWord(token.text));
  }

  void Function(size_t i) {
    const Token& token = tokens_[i];
    if (token.IsWord("ARRAY") && !At(i + 2).IsWord("SELECT") && !At(i + 2).IsWord("WITH")) {
      return Replace(token.range, "list_value");
    }
    for (const Rename& function : kFunctions) {
      if (token.IsWord(function.from)) return Replace(token.range, function.to);
    }
  }

  // In the Spark dialect "x" is text, but not where only a name can stand.
  bool IsNamePosition(size_t i) const {
    if (cursor_.dialect() == Dialect::kFlink || AfterDot(i) || At(i + 1).IsOperator(".")) return true;
    if (i == begin_) return false;
    for (std::string_view word : {"AS", "FROM", "JOIN", "INTO", "TABLE", "UPDATE"}) {
      if (At(i - 1).IsWord(word)) return true;
    }
    return false;
  }

  size_t Text(size_t i) {
    const Token& token = tokens_[i];
    std::string text = TextOf(token, cursor_.dialect());
    bool last_argument = i > begin_ && At(i - 1).IsOperator(",") && At(i + 1).IsOperator(")");
    if (last_argument && !frames_.empty() && frames_.back() == Frame::kDateFormat) text = StrftimePattern(text);
    std::string quoted = QuoteText(text);
    if (quoted != token.text) Replace(token.range, quoted);
    return i + 1;
  }

  size_t Number(size_t i) {
    std::string_view text = tokens_[i].text;
    size_t digits = text.find_first_of("LSYDFBlsydfb");
    if (cursor_.dialect() != Dialect::kSpark || digits == std::string_view::npos) return i + 1;
    std::string_view type;
    switch (text[digits] & ~0x20) {
      case 'L':
        type = "BIGINT";
        break;
      case 'S':
        type = "SMALLINT";
        break;
      case 'Y':
        type = "TINYINT";
        break;
      case 'F':
        type = "FLOAT";
        break;
      case 'D':
        type = "DOUBLE";
        break;
      default:
        break;  // BD: a decimal already
    }
    text = text.substr(0, digits);
    Replace(tokens_[i].range, type.empty() ? std::string(text) : fmt::format("CAST({} AS {})", text, type));
    return i + 1;
  }

  // A type after AS or ::. What is no type of the dialects stays for the engine.
  size_t Type(size_t i, bool in_cast) {
    if (At(i).kind != TokenKind::kWord) return i;
    // Without source text: the error is not shown, and finding its line would cost time for each.
    Cursor types({}, tokens_.subspan(0, std::min(end_ + 1, tokens_.size())), cursor_.dialect());
    types.Rewind(i);
    try {
      DataType type = ParseType(types);
      bool whole = types.position() <= end_ && (!in_cast || types.Peek().IsOperator(")"));
      if (!whole) return i;
      Replace({tokens_[i].range.begin, tokens_[types.position() - 1].range.end}, EngineType(type));
      return types.position();
    } catch (const Error&) {
      return i;
    }
  }

  // A name with its parts, and what follows a table: time travel, hints, alias.
  size_t Path(size_t i) {
    size_t end = i + 1;
    QuoteIfNeeded(i, StartsPath(i));
    for (; StartsPath(end - 1); end += 2) QuoteIfNeeded(end + 1, false);
    TableClause clause = Clause(end);
    if (clause.empty()) return std::max(end, clause.end);
    size_t position = tokens_[end].range.begin;
    if (target_end_ == end) {
      throw UnsupportedAt(cursor_.source(), position, "options or time travel on the table that is changed");
    }
    auto [alias, next] = Alias(clause.end);
    Replace({tokens_[end - 1].range.end, tokens_[next - 1].range.end}, alias + AtClause(clause, cursor_, position));
    return next;
  }

  // `qualifier`: the first of several parts, which can be a keyword of the engine, as in default.t.
  void QuoteIfNeeded(size_t i, bool qualifier) {
    const Token& token = tokens_[i];
    bool digit_first = token.kind == TokenKind::kWord && token.text[0] >= '0' && token.text[0] <= '9' &&
                       !(token.text.starts_with("0x") || token.text.starts_with("0X"));
    bool keyword = qualifier && token.kind == TokenKind::kWord && IsEngineKeyword(token.text);
    if (token.kind == TokenKind::kQuotedName || digit_first || keyword) {
      Replace(token.range, QuoteName(TextOf(token, cursor_.dialect())));
    }
  }

  TableClause Clause(size_t i) const {
    TableClause clause;
    while (true) {
      bool more = Hint(&i, &clause) || Travel(&i, &clause);
      if (!more) break;
    }
    clause.end = i;
    return clause;
  }

  bool Hint(size_t* i, TableClause* clause) const {
    if (At(*i).kind != TokenKind::kHint) return false;
    for (auto& [key, value] : HintOptions(cursor_.source(), At(*i), cursor_.dialect())) {
      clause->options.insert_or_assign(key, value);
    }
    ++*i;
    return true;
  }

  bool Travel(size_t* i, TableClause* clause) const {
    size_t unit = At(*i).IsWord("FOR") ? *i + 1 : *i;
    bool version = At(unit).IsWord("VERSION") || At(unit).IsWord("SYSTEM_VERSION");
    bool timestamp = At(unit).IsWord("TIMESTAMP") || At(unit).IsWord("SYSTEM_TIME");
    if ((!version && !timestamp) || !AtWords(unit + 1, {"AS", "OF"})) return false;
    if (clause->version || clause->timestamp) {
      throw SyntaxError(cursor_.source(), At(*i).range.begin, "a table can be read at one version or time only");
    }
    size_t begin = unit + 3;
    *i = version ? begin + 1 : TimestampEnd(begin);
    (version ? clause->version : clause->timestamp) = Constant(begin, *i, version);
    return true;
  }

  // A version is a number or a text; a timestamp any expression without columns.
  Expression Constant(size_t begin, size_t end, bool version) const {
    Cursor inner = cursor_;
    inner.Rewind(begin);
    Expression expression;
    if (begin < end_) expression.literal = inner.AcceptLiteral();
    if (inner.position() != end) expression.literal.reset();
    if (version && (!expression.literal || expression.literal->kind == Literal::Kind::kNull ||
                    expression.literal->kind == Literal::Kind::kBoolean)) {
      inner.Rewind(std::min(begin, end_));
      throw inner.Expected("a snapshot id, or a tag name in quotes");
    }
    if (depth_ >= kMaxDepth)
      throw UnsupportedAt(cursor_.source(), At(begin).range.begin, "time travel nested this deep");
    expression.sql = Rewriter(cursor_, begin, end, std::nullopt, depth_ + 1).Run();
    expression.source = cursor_.Text(begin, end);
    return expression;
  }

  size_t TimestampEnd(size_t i) const {
    while (true) {
      i = OperandEnd(i);
      bool more = At(i).IsOperator("+") || At(i).IsOperator("-") || At(i).IsOperator("*") || At(i).IsOperator("||");
      if (!more) return i;
      ++i;
    }
  }

  // One operand of a constant expression.
  size_t OperandEnd(size_t i) const {
    while (At(i).IsOperator("-") || At(i).IsOperator("+")) ++i;
    const Token& token = At(i);
    if (token.kind == TokenKind::kNumber || token.kind == TokenKind::kString ||
        token.kind == TokenKind::kDoubleQuoted) {
      return i + 1;
    }
    if (token.IsOperator("(")) return Closing(i);
    if (token.kind == TokenKind::kWord) {
      if (At(i + 1).IsOperator("(")) return Closing(i + 1);
      if (token.IsWord("INTERVAL")) return IntervalEnd(i + 1);
      if (At(i + 1).kind == TokenKind::kString) return i + 2;  // TIMESTAMP '...'
      for (std::string_view now : {"CURRENT_TIMESTAMP", "LOCALTIMESTAMP", "CURRENT_DATE"}) {
        if (token.IsWord(now)) return i + 1;
      }
    }
    if (token.IsName() && !IsReservedWord(token.text)) {
      throw UnsupportedAt(cursor_.source(), token.range.begin,
                          "reading a table as of the time in a column (temporal join). The time must be a constant");
    }
    Cursor here = cursor_;
    here.Rewind(std::min(i, end_));
    throw here.Expected("a timestamp in quotes, or seconds since 1970");
  }

  // INTERVAL '1' DAY, INTERVAL '1 day', INTERVAL '1 2' DAY TO HOUR
  size_t IntervalEnd(size_t i) const {
    bool text = At(i).kind == TokenKind::kString;
    ++i;
    static constexpr std::array kUnits = {"YEAR",   "YEARS",   "MONTH",   "MONTHS",   "WEEK",        "WEEKS",
                                          "DAY",    "DAYS",    "HOUR",    "HOURS",    "MINUTE",      "MINUTES",
                                          "SECOND", "SECONDS", "QUARTER", "QUARTERS", "MILLISECOND", "MILLISECONDS"};
    auto is_unit = [&](size_t at) {
      return std::any_of(kUnits.begin(), kUnits.end(), [&](std::string_view unit) { return At(at).IsWord(unit); });
    };
    if (!is_unit(i)) {
      if (text) return i;
      Cursor here = cursor_;
      here.Rewind(std::min(i, end_));
      throw here.Expected("the unit of the interval");
    }
    return At(i + 1).IsWord("TO") && is_unit(i + 2) ? i + 3 : i + 1;
  }

  // Position after the bracket that closes the one at i.
  size_t Closing(size_t i) const {
    size_t depth = 0;
    for (size_t j = i; j < end_; ++j) {
      if (At(j).IsOperator("(")) ++depth;
      if (At(j).IsOperator(")") && --depth == 0) return j + 1;
    }
    throw SyntaxError(cursor_.source(), At(i).range.begin, "bracket is not closed");
  }

  // " AS name(columns)" and the position after it; the position itself when there is none.
  std::pair<std::string, size_t> Alias(size_t i) const {
    size_t name = At(i).IsWord("AS") ? i + 1 : i;
    const Token& token = At(name);
    bool is_name = token.kind == TokenKind::kQuotedName || token.kind == TokenKind::kDoubleQuoted ||
                   (token.kind == TokenKind::kWord && !IsReservedWord(token.text));
    if (!is_name) return {"", i};
    Dialect dialect = token.kind == TokenKind::kDoubleQuoted ? Dialect::kFlink : cursor_.dialect();
    std::string alias = token.kind == TokenKind::kWord ? std::string(token.text) : QuoteName(TextOf(token, dialect));
    size_t end = name + 1;
    if (At(end).IsOperator("(")) {
      size_t close = Closing(end);
      alias += Rewriter(cursor_, end, close, std::nullopt, kMaxDepth).Run();
      end = close;
    }
    return {" AS " + alias, end};
  }

  const Cursor& cursor_;
  std::span<const Token> tokens_;
  size_t begin_;
  size_t end_;
  std::optional<size_t> target_end_;
  int depth_;
  std::string out_;
  size_t copied_ = 0;
  std::vector<Frame> frames_;
};

}  // namespace

std::string RewriteQuery(const Cursor& cursor, size_t begin, size_t end, std::optional<size_t> target_end) {
  return Rewriter(cursor, begin, end, target_end, 0).Run();
}

std::string RewriteQuery(std::string_view text, Dialect dialect) {
  Tokens tokens = Tokenize(text, dialect);
  if (tokens.unclosed != Unclosed::kNothing)
    throw SyntaxError(text, tokens.unclosed_at, "quote or comment is not closed");
  return RewriteQuery(Cursor(text, tokens.list, dialect), 0, tokens.list.size() - 1);
}

std::string EncodeOptions(const Options& options) {
  // Bytes that are not UTF-8 are replaced, since JSON cannot hold them and no option needs them.
  return std::string(kOptionsPrefix) + Json(options).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Options> DecodeOptions(std::string_view version) {
  if (!version.starts_with(kOptionsPrefix)) return std::nullopt;
  Json json = ParseJson(version.substr(kOptionsPrefix.size()), "table options");
  Options options;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) throw InvalidArgument("Table option '{}' is not a text", key);
    options.emplace(key, value.get<std::string>());
  }
  return options;
}

}  // namespace mica::dialect
