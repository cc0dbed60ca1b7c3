#include "dialect/table_clause.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "dialect/keywords.h"
#include "dialect/option_version.h"

namespace mica::dialect {
namespace {

class ClauseParser {
 public:
  ClauseParser(const TokenSlice& tokens, size_t i) : tokens_(tokens), at_(i) {}

  TableClause Parse() {
    while (Hint() || Travel()) {
    }
    clause_.end = at_;
    return std::move(clause_);
  }

 private:
  std::string_view source() const { return tokens_.cursor().source(); }

  bool Hint() {
    const Token& token = tokens_.At(at_);
    if (token.kind != TokenKind::kHint) return false;
    for (auto& [key, value] : HintOptions(source(), token, tokens_.cursor().dialect())) {
      clause_.options.insert_or_assign(key, value);
    }
    ++at_;
    return true;
  }

  bool Travel() {
    size_t unit = tokens_.At(at_).IsWord("FOR") ? at_ + 1 : at_;
    bool version = tokens_.At(unit).IsWord("VERSION") || tokens_.At(unit).IsWord("SYSTEM_VERSION");
    bool timestamp = tokens_.At(unit).IsWord("TIMESTAMP") || tokens_.At(unit).IsWord("SYSTEM_TIME");
    if ((!version && !timestamp) || !tokens_.AtWords(unit + 1, {"AS", "OF"})) return false;
    if (clause_.version || clause_.timestamp) {
      throw SyntaxError(source(), tokens_.At(at_).range.begin, "a table can be read at one version or time only");
    }
    at_ = unit + 3;
    if (version) {
      clause_.version = Version();
    } else {
      clause_.timestamp = Timestamp();
    }
    return true;
  }

  // A number or a text.
  Constant Version() {
    Constant version = ConstantTo(at_, at_ + 1);
    bool fits = version.literal &&
                (version.literal->kind == Literal::Kind::kNumber || version.literal->kind == Literal::Kind::kString);
    if (!fits) throw tokens_.Expected(at_, "a snapshot id, or a tag name in quotes");
    ++at_;
    return version;
  }

  // Any expression without columns.
  Constant Timestamp() {
    size_t begin = at_;
    bool more = true;
    while (more) {
      Operand();
      const Token& token = tokens_.At(at_);
      more = token.IsOperator("+") || token.IsOperator("-") || token.IsOperator("*") || token.IsOperator("||");
      if (more) ++at_;
    }
    return ConstantTo(begin, at_);
  }

  Constant ConstantTo(size_t begin, size_t end) const {
    Constant constant{begin, end, std::nullopt};
    Cursor inner = tokens_.cursor();
    inner.Rewind(begin);
    if (begin < tokens_.end()) constant.literal = inner.AcceptLiteral();
    if (inner.position() != end) constant.literal.reset();
    return constant;
  }

  void Operand() {
    while (tokens_.At(at_).IsOperator("-") || tokens_.At(at_).IsOperator("+")) ++at_;
    const Token& token = tokens_.At(at_);
    if (token.kind == TokenKind::kNumber || token.kind == TokenKind::kString ||
        token.kind == TokenKind::kDoubleQuoted) {
      ++at_;
    } else if (token.IsOperator("(")) {
      at_ = tokens_.Closing(at_);
    } else if (token.kind != TokenKind::kWord || !WordOperand(token)) {
      throw NoOperand(token);
    }
  }

  // f(...), INTERVAL ..., TIMESTAMP '...', CURRENT_TIMESTAMP
  bool WordOperand(const Token& token) {
    if (tokens_.At(at_ + 1).IsOperator("(")) {
      at_ = tokens_.Closing(at_ + 1);
      return true;
    }
    if (token.IsWord("INTERVAL")) {
      Interval();
      return true;
    }
    if (tokens_.At(at_ + 1).kind == TokenKind::kString) {
      at_ += 2;
      return true;
    }
    bool now = token.IsWord("CURRENT_TIMESTAMP") || token.IsWord("LOCALTIMESTAMP") || token.IsWord("CURRENT_DATE");
    if (now) ++at_;
    return now;
  }

  Error NoOperand(const Token& token) const {
    if (token.IsName() && !IsReservedWord(token.text)) {
      return UnsupportedAt(source(), token.range.begin,
                           "reading a table as of the time in a column (temporal join). The time must be a constant");
    }
    return tokens_.Expected(at_, "a timestamp in quotes, or seconds since 1970");
  }

  // INTERVAL '1' DAY, INTERVAL '1 day', INTERVAL '1 2' DAY TO HOUR
  void Interval() {
    bool text = tokens_.At(at_ + 1).kind == TokenKind::kString;
    at_ += 2;
    if (!IsUnit(at_)) {
      if (!text) throw tokens_.Expected(at_, "the unit of the interval");
      return;
    }
    at_ += tokens_.At(at_ + 1).IsWord("TO") && IsUnit(at_ + 2) ? 3 : 1;
  }

  bool IsUnit(size_t i) const {
    static constexpr std::array kUnits = {"YEAR",   "YEARS",   "MONTH",   "MONTHS",   "WEEK",        "WEEKS",
                                          "DAY",    "DAYS",    "HOUR",    "HOURS",    "MINUTE",      "MINUTES",
                                          "SECOND", "SECONDS", "QUARTER", "QUARTERS", "MILLISECOND", "MILLISECONDS"};
    const Token& token = tokens_.At(i);
    return std::any_of(kUnits.begin(), kUnits.end(), [&](std::string_view unit) { return token.IsWord(unit); });
  }

  const TokenSlice& tokens_;
  size_t at_;
  TableClause clause_;
};

// The options that mean the same as a time travel written out.
void AddTravel(const TableClause& clause, std::string_view source, size_t position, Options* options) {
  if (clause.version) options->insert_or_assign("scan.version", clause.version->literal->text);
  if (!clause.timestamp) return;
  const std::optional<Literal>& literal = clause.timestamp->literal;
  if (!literal) {
    throw UnsupportedAt(
        source, position,
        "an OPTIONS hint together with a computed timestamp. Put the time into the hint as 'scan.timestamp'");
  }
  std::optional<int64_t> seconds;
  if (literal->kind == Literal::Kind::kNumber) seconds = ParseInteger(literal->text);
  int64_t millis = 0;
  if (seconds && !__builtin_mul_overflow(*seconds, int64_t{1000}, &millis)) {
    options->insert_or_assign("scan.timestamp-millis", std::to_string(millis));
  } else {
    options->insert_or_assign("scan.timestamp", literal->text);
  }
}

}  // namespace

const Token& TokenSlice::At(size_t i) const {
  static const Token kNothing;
  return i >= begin_ && i < end_ ? cursor_.tokens()[i] : kNothing;
}

bool TokenSlice::AtWords(size_t i, std::initializer_list<std::string_view> words) const {
  for (std::string_view word : words) {
    if (!At(i++).IsWord(word)) return false;
  }
  return true;
}

size_t TokenSlice::Closing(size_t i) const {
  size_t depth = 0;
  for (size_t j = i; j < end_; ++j) {
    if (At(j).IsOperator("(")) ++depth;
    if (At(j).IsOperator(")") && --depth == 0) return j + 1;
  }
  throw SyntaxError(cursor_.source(), At(i).range.begin, "bracket is not closed");
}

Error TokenSlice::Expected(size_t i, std::string_view what) const {
  Cursor here = cursor_;
  here.Rewind(std::min(i, end_));
  return here.Expected(what);
}

TableClause ParseTableClause(const TokenSlice& tokens, size_t i) {
  return ClauseParser(tokens, i).Parse();
}

std::string AtClause(const TableClause& clause, std::string_view constant, std::string_view source, size_t position) {
  if (!clause.options.empty()) {
    Options options = clause.options;
    AddTravel(clause, source, position, &options);
    return fmt::format(" AT (VERSION => {})", QuoteText(EncodeOptions(options)));
  }
  if (clause.version) return fmt::format(" AT (VERSION => {})", constant);
  const std::optional<Literal>& literal = clause.timestamp->literal;
  bool seconds = literal && literal->kind == Literal::Kind::kNumber;
  return fmt::format(" AT (TIMESTAMP => {}{}{})", seconds ? "system.main.to_timestamp(" : "", constant,
                     seconds ? ")" : "");
}

}  // namespace mica::dialect
