#include "dialect/query_rewriter.h"

#include <array>
#include <utility>
#include <vector>

#include "base/json.h"
#include "dialect/keywords.h"
#include "dialect/table_clause.h"
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
    for (size_t i = begin_; i < end_;) i = Step(i);
    Replace({tokens_[end_ - 1].range.end, tokens_[end_ - 1].range.end}, "");
    return std::move(out_);
  }

 private:
  enum class Frame { kPlain, kCast, kDateFormat };

  const Token& At(size_t i) const { return slice_.At(i); }

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
    if (slice_.AtWords(i, {"LATERAL", "VIEW"})) {
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
