#include "dialect/query_rewriter.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "dialect/function_list.h"
#include "dialect/interval_literal.h"
#include "dialect/keywords.h"
#include "dialect/table_clause.h"
#include "dialect/type_parser.h"

namespace mica::dialect {
namespace {

// Time travel inside the expression of another time travel: no query needs more.
constexpr int kMaxDepth = 4;

// How far the third argument of dateadd(unit, n, t) is looked for.
constexpr size_t kArgumentReach = 200;

// Called with a bare word for the unit of time.
constexpr std::array<std::string_view, 6> kUnitFunctions = {"TIMESTAMPADD", "TIMESTAMPDIFF", "DATEADD",
                                                            "DATE_ADD",     "DATEDIFF",      "DATE_DIFF"};

class Rewriter {
 public:
  Rewriter(const Cursor& cursor, size_t begin, size_t end, std::optional<size_t> target_end, int depth)
      : cursor_(cursor),
        tokens_(cursor.tokens()),
        slice_(cursor, begin, end),
        begin_(begin),
        end_(end),
        target_end_(target_end),
        depth_(depth) {}

  std::string Run() {
    if (begin_ >= end_) return {};
    copied_ = tokens_[begin_].range.begin;
    for (size_t i = begin_; i < end_;) {
      EmitClosers(i);
      i = Step(i);
    }
    EmitClosers(end_);
    CopyTo(tokens_[end_ - 1].range.end);
    return WithInsertions();
  }

 private:
  enum class Call { kPlain, kCast, kWordsAsCommas, kToUnit, kIndexedLambda };
  // An open bracket of round form.
  struct Frame {
    Call call = Call::kPlain;
    std::string suffix;           // comes after it and what belongs to the call: FILTER, OVER
    size_t out = 0;               // position in out_ after the bracket
    std::string_view index_name;  // second parameter of a lambda: Spark counts from 0, the engine from 1
  };

  const Token& At(size_t i) const { return slice_.At(i); }

  void CopyTo(size_t position) {
    if (position <= copied_) return;
    out_ += cursor_.source().substr(copied_, position - copied_);
    copied_ = position;
  }

  void Replace(SourceRange range, std::string_view text) {
    if (range.begin < copied_) return;
    CopyTo(range.begin);
    out_ += text;
    copied_ = range.end;
  }

  void InsertAfter(const Token& token, std::string_view text) { Replace({token.range.end, token.range.end}, text); }

  // What was noted to come after the token before position i.
  void EmitClosers(size_t i) {
    for (; !closers_.empty() && closers_.back().first <= i; closers_.pop_back()) {
      InsertAfter(tokens_[closers_.back().first - 1], closers_.back().second);
    }
  }

  // Casts ask for a call around text that was copied before their type was seen.
  std::string WithInsertions() {
    if (insertions_.empty()) return std::move(out_);
    std::stable_sort(insertions_.begin(), insertions_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string result;
    size_t from = 0;
    for (const auto& [position, text] : insertions_) {
      result.append(out_, from, position - from);
      result += text;
      from = position;
    }
    return result.append(out_, from);
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
        return IsNamePosition(i) ? Path(i) : Text(i);
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

  bool spark() const { return cursor_.dialect() == Dialect::kSpark; }

  size_t Operator(size_t i) {
    const Token& token = tokens_[i];
    if (token.IsOperator("(")) {
      if (size_t next = LambdaOfTwo(i)) return next;
      Open(i);
    } else if (token.IsOperator(")")) {
      Close(i);
    } else if (token.IsOperator("[")) {
      brackets_.push_back(false);
    } else if (token.IsOperator("]")) {
      if (!brackets_.empty() && brackets_.back()) Replace(token.range, ")");
      if (!brackets_.empty()) brackets_.pop_back();
    } else if (token.IsOperator("<=>")) {
      ReplaceOperator(token.range, "IS NOT DISTINCT FROM");
    } else if (token.IsOperator("^") && spark()) {
      ReplaceOperator(token.range, "@^");
    } else if (token.IsOperator("!") && spark()) {
      Replace(token.range, "NOT ");
    } else if (token.IsOperator("::")) {
      return Type(i + 1, false);
    }
    return i + 1;
  }

  void Open(size_t i) {
    CopyTo(tokens_[i].range.end);
    Frame frame{.call = CallOf(i), .suffix = std::move(carried_), .out = out_.size(), .index_name = {}};
    carried_.clear();
    frames_.push_back(std::move(frame));
  }

  Call CallOf(size_t i) const {
    if (i == begin_) return Call::kPlain;
    const Token& before = At(i - 1);
    if (before.IsWord("CAST") || before.IsWord("TRY_CAST")) return Call::kCast;
    if (before.IsWord("SUBSTRING") || before.IsWord("OVERLAY")) return Call::kWordsAsCommas;
    if (before.IsWord("FLOOR") || before.IsWord("CEIL")) return Call::kToUnit;
    return before.IsWord("TRANSFORM") || before.IsWord("FILTER") ? Call::kIndexedLambda : Call::kPlain;
  }

  // The suffix of a call comes after FILTER (...) and OVER (...).
  void Close(size_t i) {
    if (frames_.empty()) return;
    std::string suffix = std::move(frames_.back().suffix);
    if (!frames_.back().index_name.empty()) --indexed_;
    frames_.pop_back();
    if (suffix.empty()) return;
    bool belongs = At(i + 1).IsWord("FILTER") || At(i + 1).IsWord("OVER");
    if (belongs && At(i + 2).IsOperator("(")) {
      carried_ = std::move(suffix);
    } else {
      InsertAfter(tokens_[belongs ? i + 2 : i], suffix);
    }
  }

  // x -> ... as an argument; before a text or number `->` takes a member of a JSON value.
  bool IsLambdaOfOne(size_t i) const {
    if (!At(i + 1).IsOperator("->") || i == begin_) return false;
    const TokenKind body = At(i + 2).kind;
    const bool member = body == TokenKind::kString || body == TokenKind::kNumber;
    return !member && !frames_.empty() && (At(i - 1).IsOperator("(") || At(i - 1).IsOperator(","));
  }

  // (x, i) -> ...; 0 when it is no lambda.
  size_t LambdaOfTwo(size_t i) {
    bool lambda = At(i + 1).kind == TokenKind::kWord && At(i + 2).IsOperator(",") &&
                  At(i + 3).kind == TokenKind::kWord && At(i + 4).IsOperator(")") && At(i + 5).IsOperator("->");
    if (!lambda) return 0;
    Replace({tokens_[i].range.begin, tokens_[i + 5].range.end},
            fmt::format("lambda {}, {}:", tokens_[i + 1].text, tokens_[i + 3].text));
    if (!frames_.empty() && frames_.back().call == Call::kIndexedLambda && frames_.back().index_name.empty()) {
      frames_.back().index_name = At(i + 3).text;
      ++indexed_;
    }
    return i + 6;
  }

  size_t Word(size_t i) {
    const Token& token = tokens_[i];
    if (!frames_.empty()) {
      if (size_t next = WordInCall(i)) return next;
    }
    if (token.IsWord("LEFT") && (At(i + 1).IsWord("SEMI") || At(i + 1).IsWord("ANTI"))) {
      Replace({token.range.begin, tokens_[i + 1].range.begin}, "");
      return i + 1;
    }
    if (slice_.AtWords(i, {"LATERAL", "VIEW"})) return LateralView(i);
    if (token.IsWord("DIV") && EndsOperand(i - 1) && StartsOperand(i + 1)) {
      ReplaceOperator(token.range, "//");
      return i + 1;
    }
    if (size_t next = Matching(i)) return next;
    if (token.IsWord("INTERVAL")) {
      if (auto interval = ParseIntervalLiteral(slice_, i)) {
        Replace({token.range.begin, tokens_[interval->end - 1].range.end}, interval->text);
        return interval->end;
      }
    }
    if (token.IsWord("VALUES") && i > begin_ && (At(i - 1).IsWord("FROM") || At(i - 1).IsWord("JOIN"))) {
      return InlineTable(i);
    }
    if (token.IsWord("MAP") && At(i + 1).IsOperator("[") && !spark()) {
      Replace({token.range.begin, tokens_[i + 1].range.end}, "map(");
      brackets_.push_back(true);
      return i + 2;
    }
    if (IsLambdaOfOne(i)) {
      Replace({token.range.begin, tokens_[i + 1].range.end}, fmt::format("lambda {}:", token.text));
      return i + 2;
    }
    bool zoned = At(i + 1).kind == TokenKind::kString;
    if (zoned && (token.IsWord("TIMESTAMP_LTZ") || token.IsWord("TIMESTAMP_NTZ"))) {
      Replace(token.range, token.IsWord("TIMESTAMP_LTZ") ? "TIMESTAMPTZ" : "TIMESTAMP");
      return i + 1;
    }
    if (At(i + 1).IsOperator("(") && !AfterDot(i)) Function(i);
    return IsReservedWord(token.text) && !StartsPath(i) ? i + 1 : Path(i);
  }

  // Words with a meaning inside of one call; 0 for others.
  size_t WordInCall(size_t i) {
    const Token& token = tokens_[i];
    const Frame& frame = frames_.back();
    switch (frame.call) {
      case Call::kCast:
        return token.IsWord("AS") ? Type(i + 1, true) : 0;
      case Call::kWordsAsCommas:
        if (!token.IsWord("FROM") && !token.IsWord("FOR") && !token.IsWord("PLACING")) return 0;
        Replace(token.range, ",");
        return i + 1;
      case Call::kToUnit:
        if (!token.IsWord("TO") || At(i + 1).kind != TokenKind::kWord || !At(i + 2).IsOperator(")")) return 0;
        Replace({token.range.begin, tokens_[i + 1].range.end}, ", " + QuoteText(ToLower(At(i + 1).text)));
        return i + 2;
      default:
        break;
    }
    if (indexed_ == 0) return 0;
    for (const Frame& open : frames_) {
      if (open.index_name.empty() || token.text != open.index_name || AfterDot(i)) continue;
      Replace(token.range, fmt::format("({} - 1)", token.text));
      return i + 1;
    }
    return 0;
  }

  // LIKE ANY (...), RLIKE: operators that the engine knows by other names; 0 for other words.
  size_t Matching(size_t i) {
    bool negated = tokens_[i].IsWord("NOT");
    size_t at = negated ? i + 1 : i;
    const Token& verb = At(at);
    std::string_view no = negated ? "!" : "";
    if (verb.IsWord("LIKE") && At(at + 2).IsOperator("(")) {
      bool any = At(at + 1).IsWord("ANY") || At(at + 1).IsWord("SOME");
      if (!any && !At(at + 1).IsWord("ALL")) return 0;
      Replace({tokens_[i].range.begin, tokens_[at + 1].range.end},
              fmt::format("{}{} list_value", no, any ? "~~@" : "~~@@"));
      return at + 2;
    }
    if ((verb.IsWord("RLIKE") || verb.IsWord("REGEXP")) && i > begin_ && EndsOperand(i - 1)) {
      Replace({tokens_[i].range.begin, verb.range.end}, fmt::format("{}@~", no));
      return at + 1;
    }
    return 0;
  }

  // FROM VALUES (1, 'a'), (2, 'b') AS t(x, y)
  size_t InlineTable(size_t i) {
    size_t end = i + 1;
    while (true) {
      end = At(end).IsOperator("(") ? slice_.Closing(end) : end + 1;
      if (!At(end).IsOperator(",")) break;
      ++end;
    }
    Replace({tokens_[i].range.begin, tokens_[i].range.begin}, "(");
    closers_.emplace_back(std::min(end, end_), ")");
    return i + 1;
  }

  // LATERAL VIEW [OUTER] explode(a) t AS x
  size_t LateralView(size_t i) {
    size_t at = i + 2;
    bool outer = At(at).IsWord("OUTER");
    if (outer) ++at;
    const Token& function = At(at);
    bool positions = function.IsWord("POSEXPLODE");
    if ((!positions && !function.IsWord("EXPLODE")) || !At(at + 1).IsOperator("(")) {
      throw UnsupportedAt(cursor_.source(), function.range.begin,
                          "LATERAL VIEW of another function than explode or posexplode");
    }
    if (depth_ >= kMaxDepth)
      throw UnsupportedAt(cursor_.source(), function.range.begin, "LATERAL VIEW nested this deep");
    size_t close = slice_.Closing(at + 1);
    std::string value = Rewriter(cursor_, at + 2, close - 1, std::nullopt, depth_ + 1).Run();
    at = close;
    auto is_name = [&](size_t k) {
      return At(k).kind == TokenKind::kQuotedName || (At(k).kind == TokenKind::kWord && !IsReservedWord(At(k).text));
    };
    std::string alias = fmt::format("view_{}", i);
    if (is_name(at)) alias = TextOf(At(at++), cursor_.dialect());
    std::vector<std::string> columns;
    if (At(at).IsWord("AS")) {
      do {
        if (!is_name(++at)) throw slice_.Expected(at, "a column name");
        columns.push_back(QuoteName(TextOf(At(at), cursor_.dialect())));
        ++at;
      } while (At(at).IsOperator(","));
    } else {
      columns = positions ? std::vector<std::string>{"pos", "col"} : std::vector<std::string>{"col"};
    }
    size_t values = columns.size() - (positions && !columns.empty() ? 1 : 0);
    if (values != 1 && values != 2) {
      throw SyntaxError(cursor_.source(), function.range.begin, "this function gives other columns than are named");
    }
    std::string select = positions ? fmt::format("unnest(range(len({})))", value) + ", " : std::string();
    select += values == 1 ? fmt::format("unnest({})", value)
                          : fmt::format("unnest(map_keys({0})), unnest(map_values({0}))", value);
    std::string names = columns[0];
    for (size_t k = 1; k < columns.size(); ++k) names += ", " + columns[k];
    Replace({tokens_[i].range.begin, tokens_[at - 1].range.end},
            fmt::format("{} JOIN LATERAL (SELECT {}) AS {}({}){}", outer ? "LEFT" : "CROSS", select, QuoteName(alias),
                        names, outer ? " ON TRUE" : ""));
    return at;
  }

  // name.name, or name."name"
  bool StartsPath(size_t i) const {
    return At(i + 1).IsOperator(".") && (At(i + 2).IsName() || At(i + 2).kind == TokenKind::kDoubleQuoted);
  }

  bool AfterDot(size_t i) const { return i > begin_ && At(i - 1).IsOperator("."); }

  // Before and after DIV and RLIKE when they are operators and not names.
  bool EndsOperand(size_t i) const { return IsValue(i) || At(i).IsOperator(")") || At(i).IsOperator("]"); }
  bool StartsOperand(size_t i) const { return IsValue(i) || At(i).IsOperator("("); }

  bool IsValue(size_t i) const {
    const Token& token = At(i);
    return token.kind == TokenKind::kNumber || token.kind == TokenKind::kQuotedName ||
           token.kind == TokenKind::kString || token.kind == TokenKind::kDoubleQuoted ||
           (token.kind == TokenKind::kWord && !IsReservedWord(token.text));
  }

  void Function(size_t i) {
    const Token& token = tokens_[i];
    auto is = [&](std::string_view word) { return token.IsWord(word); };
    if (is("ARRAY") && !At(i + 2).IsWord("SELECT") && !At(i + 2).IsWord("WITH")) {
      return Replace(token.range, "list_value");
    }
    if (is("EXTRACT")) return Extract(i);
    if (std::any_of(kUnitFunctions.begin(), kUnitFunctions.end(), is)) return Unit(i);
    bool subquery = At(i + 2).IsWord("SELECT") || At(i + 2).IsWord("WITH") || At(i + 2).IsWord("FROM") ||
                    At(i + 2).IsWord("VALUES") || At(i + 2).IsOperator("(");
    if ((is("EXISTS") && subquery) || (is("FILTER") && i > begin_ && At(i - 1).IsOperator(")"))) return;
    const SqlFunction* function = FindFunction(token.text, cursor_.dialect());
    if (function == nullptr || function->kind != FunctionKind::kRewritten) return;
    size_t bar = function->body.find('|');
    Replace(token.range, function->body.substr(0, bar));
    carried_ = function->body.substr(bar + 1);
  }

  // The day of the week counts from 1, Sunday, where the engine counts from 0.
  void Extract(size_t i) {
    const Token& unit = At(i + 2);
    if (unit.IsWord("DOW") || unit.IsWord("DAYOFWEEK")) {
      Replace(tokens_[i].range, "(1 + extract");
      carried_ = ")";
    } else if (unit.IsWord("DOW_ISO") || unit.IsWord("DAYOFWEEK_ISO")) {
      Replace(unit.range, "isodow");
    }
  }

  // timestampadd(DAY, ...) takes the unit as text; a column of such a name stays one in calls of two arguments.
  void Unit(size_t i) {
    static constexpr std::array<std::string_view, 11> kUnits = {"YEAR",   "QUARTER",     "MONTH",      "WEEK",
                                                                "DAY",    "DAYOFYEAR",   "HOUR",       "MINUTE",
                                                                "SECOND", "MILLISECOND", "MICROSECOND"};
    static constexpr std::string_view kPrefix = "SQL_TSI_";
    const Token& unit = At(i + 2);
    if (unit.kind != TokenKind::kWord || !At(i + 3).IsOperator(",")) return;
    std::string name = ToUpper(unit.text);
    if (name.starts_with(kPrefix)) name = name.substr(kPrefix.size());
    if (std::find(kUnits.begin(), kUnits.end(), name) == kUnits.end()) return;
    int depth = 0, commas = 0;
    for (size_t k = i + 2; k < std::min(end_, i + kArgumentReach); ++k) {
      if (At(k).IsOperator("(")) ++depth;
      if (At(k).IsOperator(")") && --depth < 0) break;
      if (depth == 0 && At(k).IsOperator(",")) ++commas;
    }
    if (commas == 2) Replace(unit.range, QuoteText(ToLower(name)));
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
    std::string quoted = QuoteText(text);
    // Spark escapes % and _ with a backslash unless told otherwise, the engine with nothing.
    bool pattern = spark() && i > begin_ && (At(i - 1).IsWord("LIKE") || At(i - 1).IsWord("ILIKE"));
    if (pattern && text.find('\\') != std::string::npos && !At(i + 1).IsWord("ESCAPE")) quoted += " ESCAPE '\\'";
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

  // A type after AS or ::, and the position after it. CAST(x AS INT) cuts fractions off where the engine rounds, and
  // CAST(x AS STRING) writes numbers as Java does. What is no type of the dialects stays for the engine.
  size_t Type(size_t i, bool in_cast) {
    if (At(i).kind != TokenKind::kWord) return i;
    // Without source text: the error is not shown, and finding its line would cost time for each.
    Cursor types({}, tokens_.subspan(0, std::min(end_ + 1, tokens_.size())), cursor_.dialect());
    types.Rewind(i);
    try {
      DataType type = ParseType(types);
      bool whole = types.position() <= end_ && (!in_cast || types.Peek().IsOperator(")"));
      if (!whole) return i;
      std::string_view around = !in_cast           ? ""
                                : type.IsInteger() ? "mica_truncate("
                                : type.IsString()  ? "mica_text("
                                                   : "";
      if (!around.empty()) {
        // Closed before AS.
        InsertAfter(tokens_[i - 2], ")");
        insertions_.emplace_back(frames_.back().out, around);
      }
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
    TableClause clause = ParseTableClause(slice_, end);
    if (clause.empty()) return std::max(end, clause.end);
    size_t position = tokens_[end].range.begin;
    if (target_end_ == end) {
      throw UnsupportedAt(cursor_.source(), position, "options or time travel on the table that is changed");
    }
    auto [alias, next] = Alias(clause.end);
    std::string at = AtClause(clause, Travel(clause, position), cursor_.source(), position);
    Replace({tokens_[end - 1].range.end, tokens_[next - 1].range.end}, alias + at);
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

  // The version or time of the clause, itself rewritten.
  std::string Travel(const TableClause& clause, size_t position) const {
    const std::optional<Constant>& constant = clause.version ? clause.version : clause.timestamp;
    if (!constant) return {};
    if (depth_ >= kMaxDepth) throw UnsupportedAt(cursor_.source(), position, "time travel nested this deep");
    return Rewriter(cursor_, constant->begin, constant->end, std::nullopt, depth_ + 1).Run();
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
      size_t close = slice_.Closing(end);
      alias += Rewriter(cursor_, end, close, std::nullopt, kMaxDepth).Run();
      end = close;
    }
    return {" AS " + alias, end};
  }

  const Cursor& cursor_;
  std::span<const Token> tokens_;
  TokenSlice slice_;
  size_t begin_;
  size_t end_;
  std::optional<size_t> target_end_;
  int depth_;
  std::string out_;
  size_t copied_ = 0;
  std::vector<Frame> frames_;
  int indexed_ = 0;             // open brackets with an index name
  std::vector<bool> brackets_;  // open [, true where it began a map
  std::string carried_;         // suffix for the next bracket
  std::vector<std::pair<size_t, std::string>> closers_;
  std::vector<std::pair<size_t, std::string>> insertions_;
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
