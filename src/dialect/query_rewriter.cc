#include "dialect/query_rewriter.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "dialect/bare_column.h"
#include "dialect/cast_type.h"
#include "dialect/function_call.h"
#include "dialect/function_list.h"
#include "dialect/generator_call.h"
#include "dialect/group_list.h"
#include "dialect/incremental_call.h"
#include "dialect/interval_literal.h"
#include "dialect/json_call.h"
#include "dialect/keywords.h"
#include "dialect/lambda_call.h"
#include "dialect/lateral_view.h"
#include "dialect/number_literal.h"
#include "dialect/select_names.h"
#include "dialect/table_clause.h"
#include "dialect/text_edit.h"
#include "dialect/window_table.h"

namespace mica::dialect {
namespace {

// Whether a text of a time has more digits of a second than the engine's TIMESTAMP, which would cut them off.
bool HasNanoseconds(std::string_view text) {
  const size_t point = text.rfind('.');
  if (point == std::string_view::npos) return false;
  const std::string_view digits = text.substr(point + 1, text.find_first_not_of("0123456789", point + 1) - point - 1);
  return digits.size() > 6 && digits.find_first_not_of('0', 6) != std::string_view::npos;
}

// Parts that are rewritten on their own: lambdas in lambdas, time travel inside of the expression of another one. Each
// level copies its text.
constexpr int kMaxDepth = 8;

class Rewriter {
 public:
  Rewriter(const Cursor& cursor, size_t begin, size_t end, int depth, Substitutions names = {})
      : substitutions_(std::move(names)),
        cursor_(cursor),
        tokens_(cursor.tokens()),
        slice_(cursor, begin, end),
        names_(slice_),
        begin_(begin),
        end_(end),
        depth_(depth),
        edit_(cursor.source(), begin < end ? tokens_[begin].range.begin : 0) {}

  std::string Run() {
    if (begin_ >= end_) return {};
    for (size_t i = begin_; i < end_;) {
      EndBefore(i);
      i = IsCut(i) ? CutTo() : Step(i);
    }
    EndBefore(end_);
    return edit_.Finish(tokens_[end_ - 1].range.end);
  }

 private:
  // An open bracket of round form.
  struct Frame {
    CallForm call = CallForm::kPlain;
    std::string suffix;           // comes after it and what belongs to the call: FILTER, OVER
    size_t out = 0;               // mark after the bracket
    std::string_view index_name;  // second parameter of a lambda: Spark counts from 0, the engine from 1
  };

  const Token& At(size_t i) const { return slice_.At(i); }

  // By something that reads differently.
  void Replace(SourceRange range, std::string_view text) {
    names_.Change();
    edit_.Replace(range, text);
  }
  void ReplaceOperator(SourceRange range, std::string_view text) {
    names_.Change();
    edit_.ReplaceOperator(range, text);
  }

  // What was noted to come after the token before position i, and the name of a column that ends there.
  void EndBefore(size_t i) {
    for (; !closers_.empty() && closers_.back().first <= i; closers_.pop_back()) {
      edit_.InsertAfter(tokens_[closers_.back().first - 1], closers_.back().second);
    }
    if (auto name = names_.Reach(i)) edit_.InsertAfter(tokens_[i - 1], " AS " + QuoteName(*name));
  }

  bool IsCut(size_t i) const { return !cuts_.empty() && cuts_.back().first == i; }
  // Leaves out the tokens from here on that the engine's form has elsewhere.
  size_t CutTo() {
    const auto [from, to] = cuts_.back();
    cuts_.pop_back();
    Replace({tokens_[from].range.begin, tokens_[to - 1].range.end}, "");
    return to;
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
        if (spark() && EngineNumber(token.text) != token.text) Replace(token.range, EngineNumber(token.text));
        return i + 1;
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

  // The engine reads `!=-`, `%-` and `=~` as one operator each.
  bool IsGlued(size_t i) const {
    if (i == begin_ || At(i - 1).kind != TokenKind::kOperator || At(i - 1).range.end != At(i).range.begin) return false;
    const bool sign = At(i).IsOperator("-") || At(i).IsOperator("+");
    if (!sign && !At(i).IsOperator("~")) return false;
    return At(i - 1).text.find_first_of(sign ? "~!@#%^&|`?" : "~!@#%^&|`?+-*/<>=") != std::string_view::npos;
  }

  size_t Operator(size_t i) {
    const Token& token = tokens_[i];
    if (IsGlued(i)) edit_.Replace({token.range.begin, token.range.begin}, " ");
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
    } else if (token.IsOperator("*") && i > begin_ && At(i - 1).IsOperator("(")) {
      names_.Change();  // The engine calls it count_star().
    }
    return i + 1;
  }

  void Open(size_t i) {
    edit_.CopyTo(tokens_[i].range.end);
    Frame frame{.call = CallFormAt(slice_, i), .suffix = std::move(carried_), .out = edit_.mark(), .index_name = {}};
    carried_.clear();
    frames_.push_back(std::move(frame));
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
      edit_.InsertAfter(tokens_[belongs ? i + 2 : i], suffix);
    }
  }

  // x -> ... as an argument. Before a text or number `->` takes a member of a JSON value, but not in the later
  // arguments of functions that take lambdas.
  bool IsLambdaOfOne(size_t i) const {
    if (!At(i + 1).IsOperator("->") || i == begin_ || frames_.empty()) return false;
    const bool first = At(i - 1).IsOperator("(");
    const TokenKind body = At(i + 2).kind;
    const bool literal = body == TokenKind::kString || body == TokenKind::kDoubleQuoted || body == TokenKind::kNumber;
    if (literal && (first || !TakesLambdas(frames_.back().call))) return false;
    return first || At(i - 1).IsOperator(",");
  }

  // (x, i) -> ...; 0 when it is no lambda.
  size_t LambdaOfTwo(size_t i) {
    bool lambda = At(i + 1).kind == TokenKind::kWord && At(i + 2).IsOperator(",") &&
                  At(i + 3).kind == TokenKind::kWord && At(i + 4).IsOperator(")") && At(i + 5).IsOperator("->");
    if (!lambda) return 0;
    Replace({tokens_[i].range.begin, tokens_[i + 5].range.end},
            fmt::format("lambda {}, {}:", tokens_[i + 1].text, tokens_[i + 3].text));
    if (!frames_.empty() && frames_.back().call == CallForm::kIndexedLambda && frames_.back().index_name.empty()) {
      frames_.back().index_name = At(i + 3).text;
      ++indexed_;
    }
    return i + 6;
  }

  // Whether the engine would write the word in another way: TRUE as CAST('t' AS BOOLEAN), LIKE as ~~, map(...) as
  // "map"(...), INTERVAL 1 DAY as to_days(...), if(...) as CASE.
  bool ReadsDifferently(size_t i) const {
    for (std::string_view word :
         {"TRUE", "FALSE", "LIKE", "ILIKE", "SIMILAR", "CASE", "IN", "BETWEEN", "IS", "AND", "OR", "INTERVAL"}) {
      if (tokens_[i].IsWord(word)) return true;
    }
    if (!At(i + 1).IsOperator("(")) return false;
    if (tokens_[i].IsWord("IF") || tokens_[i].IsWord("NULLIF") || tokens_[i].IsWord("TRIM")) return true;
    const SqlFunction* function = FindFunction(tokens_[i].text, cursor_.dialect());
    return IsEngineKeyword(tokens_[i].text) || (function != nullptr && function->kind != FunctionKind::kEngine);
  }

  size_t Word(size_t i) {
    const Token& token = tokens_[i];
    if (ReadsDifferently(i)) names_.Change();
    if (!substitutions_.empty() && !AfterDot(i)) {
      if (const std::string* text = SubstitutionOf(token.text)) {
        Replace(token.range, *text);
        return i + 1;
      }
    }
    if (!frames_.empty()) {
      if (size_t next = WordInCall(i)) return next;
    }
    if (IsBareColumn(slice_, i)) {
      Replace(token.range, QuoteName(token.text));
      return i + 1;
    }
    if (token.IsWord("LEFT") && (At(i + 1).IsWord("SEMI") || At(i + 1).IsWord("ANTI"))) {
      Replace({token.range.begin, tokens_[i + 1].range.begin}, "");
      return i + 1;
    }
    if (slice_.AtWords(i, {"LATERAL", "VIEW"})) return LateralViewAt(i);
    if (slice_.AtWords(i, {"GROUP", "BY"})) return GroupBy(i);
    if (!spark() && !AfterDot(i)) {
      auto part = [&](size_t begin, size_t end) { return Inner(i, begin, end, {}); };
      if (auto json = RewriteJsonCall(slice_, i, part)) {
        Replace({token.range.begin, tokens_[json->end - 1].range.end}, json->text);
        return json->end;
      }
      if (auto table = token.IsWord("TABLE") ? RewriteWindowTable(slice_, i, part) : std::nullopt) {
        Replace({token.range.begin, tokens_[table->end - 1].range.end}, table->text);
        return table->end;
      }
    }
    if (spark() && At(i + 1).IsWord("BY")) {
      if (size_t next = SortBy(i)) return next;
    }
    if (token.IsWord("DIV") && EndsOperand(i - 1) && StartsOperand(i + 1)) {
      ReplaceOperator(token.range, "//");
      return i + 1;
    }
    if (token.IsWord("MINUS") && spark() && IsSetOperation(i)) {
      Replace(token.range, "EXCEPT");
      return i + 1;
    }
    if (size_t next = Matching(i)) return next;
    if (token.IsWord("INTERVAL")) {
      if (auto interval = ParseIntervalLiteral(slice_, i)) {
        Replace({token.range.begin, tokens_[interval->end - 1].range.end}, interval->text);
        return interval->end;
      }
    }
    if (token.IsWord("VALUES") && i > begin_ &&
        (At(i - 1).IsWord("FROM") || At(i - 1).IsWord("JOIN") || At(i - 1).IsOperator("("))) {
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
    if (zoned && (token.IsWord("DATE") || token.IsWord("TIME") || token.IsWord("TIMESTAMP"))) names_.Change();
    if (zoned && (token.IsWord("TIMESTAMP") || token.IsWord("TIMESTAMP_NTZ")) && HasNanoseconds(At(i + 1).text)) {
      Replace(token.range, "TIMESTAMP_NS");
      return i + 1;
    }
    if (zoned && (token.IsWord("TIMESTAMP_LTZ") || token.IsWord("TIMESTAMP_NTZ"))) {
      Replace(token.range, token.IsWord("TIMESTAMP_LTZ") ? "TIMESTAMPTZ" : "TIMESTAMP");
      return i + 1;
    }
    if (auto increment = ParseIncrementalCall(slice_, i)) {
      auto [alias, next] = Alias(increment->end);
      Replace({token.range.begin, tokens_[next - 1].range.end}, increment->table + alias + increment->at);
      return next;
    }
    if (At(i + 1).IsOperator("(") && !AfterDot(i)) {
      if (auto generator = ParseGeneratorCall(slice_, i, names_.BeginsColumn(i))) {
        Replace(token.range, generator->before);
        carried_ = std::move(generator->after);
        const size_t close = slice_.Closing(i + 1);
        if (generator->end > close) cuts_.emplace_back(close, generator->end);
        return i + 1;
      }
      if (token.IsWord("COUNT")) CountOfSeveral(i);
      if (auto call = RewriteLambdaCall(slice_, i, [&](auto... part) { return Inner(i, part...); })) {
        Replace({token.range.begin, tokens_[call->end - 1].range.end}, call->text);
        return call->end;
      }
      if (std::optional<CallEdit> edit = EditCall(slice_, i)) {
        Replace(edit->range, edit->text);
        if (edit->inside) Replace(edit->inside->first, edit->inside->second);
        carried_ = std::move(edit->suffix);
      }
    }
    return IsReservedWord(token.text) && !StartsPath(i) ? i + 1 : Path(i);
  }

  // There are no tasks to distribute rows to, and what is in order as a whole is so in each. 0 for other words.
  size_t SortBy(size_t i) {
    const bool window = i > begin_ + 1 && At(i - 1).IsOperator("(") && At(i - 2).IsWord("OVER");
    if (window && (tokens_[i].IsWord("DISTRIBUTE") || tokens_[i].IsWord("CLUSTER"))) {
      Replace(tokens_[i].range, "PARTITION");
      return i + 1;
    }
    if (tokens_[i].IsWord("DISTRIBUTE")) {
      const size_t end = EndOfSortList(slice_, i + 2);
      Replace({tokens_[i].range.begin, tokens_[end - 1].range.end}, "");
      return end;
    }
    if (!tokens_[i].IsWord("SORT") && !tokens_[i].IsWord("CLUSTER")) return 0;
    Replace(tokens_[i].range, "ORDER");
    return i + 1;
  }

  // The innermost meaning of the name; nullptr where it has its own.
  const std::string* SubstitutionOf(std::string_view name) const {
    for (size_t k = substitutions_.size(); k-- > 0;) {
      if (substitutions_[k].first == name) return &substitutions_[k].second;
    }
    return nullptr;
  }

  // Part of the call at i, with the names that hold here and these ones.
  std::string Inner(size_t i, size_t begin, size_t end, const Substitutions& names) const {
    if (depth_ >= kMaxDepth) {
      throw UnsupportedAt(cursor_.source(), tokens_[i].range.begin, "calls nested this deep");
    }
    Substitutions all = substitutions_;
    for (const Frame& frame : frames_) {
      if (!frame.index_name.empty()) all.emplace_back(frame.index_name, fmt::format("({} - 1)", frame.index_name));
    }
    all.insert(all.end(), names.begin(), names.end());
    return Rewriter(cursor_, begin, end, depth_ + 1, std::move(all)).Run();
  }

  // count(DISTINCT a, b) counts the pairs in which neither is NULL.
  void CountOfSeveral(size_t i) {
    const size_t first = At(i + 2).IsWord("DISTINCT") ? i + 3 : i + 2;
    if (ArgumentCount(slice_, first) < 2) return;
    const size_t close = slice_.Closing(i + 1) - 1;
    edit_.InsertAfter(tokens_[first - 1], first == i + 2 ? "mica_tuple(" : " mica_tuple(");
    closers_.emplace_back(close, ")");
    names_.Change();
  }

  // GROUP BY a, b WITH ROLLUP, and GROUP BY a, b GROUPING SETS (...)
  size_t GroupBy(size_t i) {
    const GroupList list = ParseGroupList(slice_, i + 2);
    if (list.sets) {
      Replace({tokens_[i + 2].range.begin, tokens_[list.end].range.begin}, "");
      return list.end;
    }
    if (list.with.empty()) return i + 2;
    edit_.InsertAfter(tokens_[i + 1], fmt::format(" {}(", list.with));
    closers_.emplace_back(list.end, ")");
    cuts_.emplace_back(list.end, list.end + 2);
    return i + 2;
  }

  // MINUS before another query, and not as a name.
  bool IsSetOperation(size_t i) const {
    if (i == begin_ || AfterDot(i)) return false;
    const size_t query =
        At(i + 1).IsWord("ALL") || At(i + 1).IsWord("DISTINCT") || At(i + 1).IsOperator("(") ? i + 2 : i + 1;
    return At(query).IsWord("SELECT") || At(query).IsWord("VALUES") || At(query).IsOperator("(");
  }

  // Words with a meaning inside of one call; 0 for others.
  size_t WordInCall(size_t i) {
    const Token& token = tokens_[i];
    const Frame& frame = frames_.back();
    switch (frame.call) {
      case CallForm::kCast:
        return token.IsWord("AS") ? Type(i + 1, true) : 0;
      case CallForm::kWordsAsCommas:
        if (!token.IsWord("FROM") && !token.IsWord("FOR") && !token.IsWord("PLACING")) return 0;
        Replace(token.range, ",");
        return i + 1;
      case CallForm::kToUnit:
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

  // FROM VALUES (1, 'a'), (2, 'b') AS t(x, y), and (VALUES ...). Spark's own names of the columns are col1, col2.
  size_t InlineTable(size_t i) {
    const bool bracket = At(i - 1).IsOperator("(");
    size_t end = bracket ? slice_.Closing(i - 1) - 1 : i + 1;
    while (!bracket) {
      end = At(end).IsOperator("(") ? slice_.Closing(end) : end + 1;
      if (!At(end).IsOperator(",")) break;
      ++end;
    }
    std::string names;
    const size_t columns = At(i + 1).IsOperator("(") ? ArgumentCount(slice_, i + 2) : 1;
    for (size_t k = 1; spark() && k <= columns; ++k) names += fmt::format("{}col{}", k == 1 ? "" : ", ", k);
    const std::string_view open = bracket ? "" : "(", close = bracket ? "" : ")";
    if (!names.empty()) {
      Replace({tokens_[i].range.begin, tokens_[i].range.begin}, fmt::format("{}SELECT * FROM (", open));
      closers_.emplace_back(std::min(end, end_), fmt::format(") AS \"values\"({}){}", names, close));
    } else if (!bracket) {
      Replace({tokens_[i].range.begin, tokens_[i].range.begin}, "(");
      closers_.emplace_back(std::min(end, end_), ")");
    }
    return i + 1;
  }

  size_t LateralViewAt(size_t i) {
    LateralView view = ParseLateralView(slice_, i);
    if (depth_ >= kMaxDepth) {
      throw UnsupportedAt(cursor_.source(), tokens_[i].range.begin, "LATERAL VIEW nested this deep");
    }
    std::string arguments = Rewriter(cursor_, view.arguments_begin, view.arguments_end, depth_ + 1).Run();
    Replace({tokens_[i].range.begin, tokens_[view.end - 1].range.end}, LateralJoin(view, arguments));
    return view.end;
  }

  // name.name, or name."name"
  bool StartsPath(size_t i) const {
    return At(i + 1).IsOperator(".") && (At(i + 2).IsName() || At(i + 2).kind == TokenKind::kDoubleQuoted);
  }

  bool AfterDot(size_t i) const { return i > begin_ && At(i - 1).IsOperator("."); }

  // Before and after DIV and RLIKE when they are operators and not names.
  bool EndsOperand(size_t i) const { return IsValue(i) || At(i).IsOperator(")") || At(i).IsOperator("]"); }
  bool StartsOperand(size_t i) const {
    return IsValue(i) || At(i).IsOperator("(") || At(i).IsOperator("-") || At(i).IsOperator("+") ||
           At(i).IsWord("CASE") || At(i).IsWord("NULL");
  }

  bool IsValue(size_t i) const {
    const Token& token = At(i);
    return token.kind == TokenKind::kNumber || token.kind == TokenKind::kQuotedName ||
           token.kind == TokenKind::kString || token.kind == TokenKind::kDoubleQuoted ||
           (token.kind == TokenKind::kWord && !IsReservedWord(token.text));
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
    // Texts side by side are one in Spark.
    size_t last = i;
    auto is_text = [&](size_t at) {
      return At(at).kind == TokenKind::kString ||
             (At(at).kind == TokenKind::kDoubleQuoted && !At(at + 1).IsOperator("."));
    };
    while (spark() && last + 1 < end_ && is_text(last + 1)) text += TextOf(tokens_[++last], cursor_.dialect());
    const CallForm form = frames_.empty() ? CallForm::kPlain : frames_.back().call;
    const bool schema = (form == CallForm::kJsonSchema || form == CallForm::kCsvSchema) && At(i - 1).IsOperator(",");
    std::string quoted = QuoteText(schema ? SchemaText(text, form, cursor_.dialect()) : text);
    // Spark escapes % and _ with a backslash unless told otherwise, the engine with nothing.
    bool pattern = spark() && i > begin_ && (At(i - 1).IsWord("LIKE") || At(i - 1).IsWord("ILIKE"));
    if (pattern && text.find('\\') != std::string::npos && !At(last + 1).IsWord("ESCAPE")) quoted += " ESCAPE '\\'";
    if (last > i || quoted != token.text) edit_.Replace({token.range.begin, tokens_[last].range.end}, quoted);
    return last + 1;
  }

  // A type after AS or ::, and the position after it.
  size_t Type(size_t i, bool in_cast) {
    std::optional<CastType> type = ParseCastType(slice_, i, in_cast);
    if (!type) return i;
    if (!type->around.empty()) {
      // Closed before AS.
      edit_.InsertAfter(tokens_[i - 2], ")");
      edit_.InsertAtMark(frames_.back().out, type->around);
    }
    Replace({tokens_[i].range.begin, tokens_[type->end - 1].range.end}, type->text);
    return type->end;
  }

  // A name with its parts, and what follows a table: time travel, hints, alias.
  size_t Path(size_t i) {
    size_t end = i + 1;
    QuoteIfNeeded(i, StartsPath(i));
    for (; StartsPath(end - 1); end += 2) QuoteIfNeeded(end + 1, false);
    TableClause clause = ParseTableClause(slice_, end);
    if (clause.empty()) return std::max(end, clause.end);
    size_t position = tokens_[end].range.begin;
    auto [alias, next] = Alias(clause.end);
    std::string at = AtClause(clause, Travel(clause, position), cursor_.source(), position);
    edit_.Replace({tokens_[end - 1].range.end, tokens_[next - 1].range.end}, alias + at);
    return next;
  }

  // `qualifier`: the first of several parts, which can be a keyword of the engine, as in default.t.
  void QuoteIfNeeded(size_t i, bool qualifier) {
    const Token& token = tokens_[i];
    bool digit_first = token.kind == TokenKind::kWord && token.text[0] >= '0' && token.text[0] <= '9' &&
                       !(token.text.starts_with("0x") || token.text.starts_with("0X"));
    bool keyword = qualifier && token.kind == TokenKind::kWord && IsEngineKeyword(token.text);
    if (token.kind == TokenKind::kQuotedName || digit_first || keyword) {
      edit_.Replace(token.range, QuoteName(TextOf(token, cursor_.dialect())));
    }
  }

  // The version or time of the clause, itself rewritten.
  std::string Travel(const TableClause& clause, size_t position) const {
    const std::optional<Constant>& constant = clause.version ? clause.version : clause.timestamp;
    if (!constant) return {};
    if (depth_ >= kMaxDepth) throw UnsupportedAt(cursor_.source(), position, "time travel nested this deep");
    return Rewriter(cursor_, constant->begin, constant->end, depth_ + 1).Run();
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
      alias += Rewriter(cursor_, end, close, kMaxDepth).Run();
      end = close;
    }
    return {" AS " + alias, end};
  }

  Substitutions substitutions_;
  const Cursor& cursor_;
  std::span<const Token> tokens_;
  TokenSlice slice_;
  SelectNames names_;
  size_t begin_;
  size_t end_;
  int depth_;
  TextEdit edit_;
  std::vector<Frame> frames_;
  int indexed_ = 0;             // open brackets with an index name
  std::vector<bool> brackets_;  // open [, true where it began a map
  std::string carried_;         // suffix for the next bracket
  std::vector<std::pair<size_t, std::string>> closers_;
  std::vector<std::pair<size_t, size_t>> cuts_;  // tokens that are left out, the next ones last
};

}  // namespace

std::string RewriteQuery(const Cursor& cursor, size_t begin, size_t end) {
  return Rewriter(cursor, begin, end, 0).Run();
}

std::string RewriteQuery(std::string_view text, Dialect dialect) {
  Tokens tokens = Tokenize(text, dialect);
  if (tokens.unclosed != Unclosed::kNothing)
    throw SyntaxError(text, tokens.unclosed_at, "quote or comment is not closed");
  return RewriteQuery(Cursor(text, tokens.list, dialect), 0, tokens.list.size() - 1);
}

}  // namespace mica::dialect
