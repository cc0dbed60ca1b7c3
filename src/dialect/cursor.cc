#include "dialect/cursor.h"

#include <algorithm>
#include <unordered_set>

#include "base/text.h"
#include "dialect/keywords.h"

namespace mica::dialect {

const Token& Cursor::Next() {
  const Token& token = Peek();
  if (!AtEnd()) ++at_;
  return token;
}

bool Cursor::AtSequence(std::initializer_list<std::string_view> keywords) const {
  size_t ahead = 0;
  for (std::string_view keyword : keywords) {
    if (!Peek(ahead++).IsWord(keyword)) return false;
  }
  return true;
}

bool Cursor::Accept(std::string_view keyword) {
  if (!At(keyword)) return false;
  ++at_;
  return true;
}

bool Cursor::AcceptSequence(std::initializer_list<std::string_view> keywords) {
  if (!AtSequence(keywords)) return false;
  at_ += keywords.size();
  return true;
}

bool Cursor::AcceptOperator(std::string_view op) {
  if (!Peek().IsOperator(op)) return false;
  ++at_;
  return true;
}

std::optional<std::string_view> Cursor::AcceptOneOf(std::initializer_list<std::string_view> keywords) {
  for (std::string_view keyword : keywords) {
    if (Accept(keyword)) return keyword;
  }
  return std::nullopt;
}

void Cursor::Expect(std::string_view keyword) {
  if (!Accept(keyword)) throw Expected(keyword);
}

void Cursor::ExpectOperator(std::string_view op) {
  if (!AcceptOperator(op)) throw Expected(fmt::format("'{}'", op));
}

std::string_view Cursor::ExpectOneOf(std::initializer_list<std::string_view> keywords) {
  if (auto keyword = AcceptOneOf(keywords)) return *keyword;
  std::vector<std::string> known(keywords.begin(), keywords.end());
  std::string message = fmt::format("expected {}", known.size() == 1 ? "" : "one of ") + Join(known, ", ");
  message += AtEnd() ? ", found the end of the statement" : fmt::format(", found '{}'", Peek().text);
  if (Peek().kind == TokenKind::kWord) message += DidYouMean(ToUpper(Peek().text), known);
  throw SyntaxError(source_, Peek().range.begin, message);
}

void Cursor::ExpectEnd() {
  if (!AtEnd()) throw Expected("the end of the statement");
}

std::string Cursor::ExpectName(std::string_view what) {
  if (!AtName()) throw Expected(what);
  const Token& token = Next();
  std::string name = TextOf(token, token.kind == TokenKind::kDoubleQuoted ? Dialect::kFlink : dialect_);
  if (name.empty())
    throw SyntaxError(source_, token.range.begin, fmt::format("expected {}, found an empty name", what));
  return name;
}

Name Cursor::ExpectPath(std::string_view what) {
  Name name;
  name.range.begin = Peek().range.begin;
  name.parts.push_back(ExpectName(what));
  while (AcceptOperator(".")) {
    // After a dot every word is a name, and so is a number (a database called 2024).
    if (Peek().kind == TokenKind::kNumber) {
      name.parts.emplace_back(Next().text);
    } else {
      name.parts.push_back(ExpectName("a name after '.'"));
    }
  }
  name.range.end = tokens_[at_ - 1].range.end;
  return name;
}

bool Cursor::AtString() const {
  return Peek().kind == TokenKind::kString || Peek().kind == TokenKind::kDoubleQuoted;
}

std::string Cursor::ExpectString(std::string_view what) {
  if (!AtString()) throw Expected(fmt::format("{} in quotes", what));
  return TextOf(Next(), dialect_);
}

int64_t Cursor::ExpectInteger(std::string_view what) {
  auto value = Peek().kind == TokenKind::kNumber ? ParseInteger(Peek().text) : std::nullopt;
  if (!value) throw Expected(what);
  Next();
  return *value;
}

std::optional<Literal> Cursor::AcceptLiteral() {
  if (Accept("NULL")) return Literal{};
  if (Accept("TRUE")) return Literal{Literal::Kind::kBoolean, "true"};
  if (Accept("FALSE")) return Literal{Literal::Kind::kBoolean, "false"};
  if (AtString()) {
    std::string text = TextOf(Next(), dialect_);
    while (AtString()) text += TextOf(Next(), dialect_);  // 'a' 'b' is one text
    return Literal{Literal::Kind::kString, std::move(text)};
  }
  bool typed = At("DATE") || At("TIME") || At("TIMESTAMP") || At("TIMESTAMP_NTZ") || At("TIMESTAMP_LTZ");
  if (typed && Peek(1).kind == TokenKind::kString) {
    Next();
    return Literal{Literal::Kind::kString, TextOf(Next(), dialect_)};
  }
  bool sign = Peek().IsOperator("-") || Peek().IsOperator("+");
  if (Peek(sign ? 1 : 0).kind != TokenKind::kNumber) return std::nullopt;
  std::string text = sign && Next().text == "-" ? "-" : "";
  std::string_view digits = Next().text;
  bool suffixed = dialect_ == Dialect::kSpark;
  while (suffixed && digits.size() > 1 &&
         std::string_view("LSYDFBlsydfb").find(digits.back()) != std::string_view::npos) {
    digits.remove_suffix(1);
  }
  return Literal{Literal::Kind::kNumber, text.append(digits)};
}

Literal Cursor::ExpectLiteral(std::string_view what) {
  auto literal = AcceptLiteral();
  if (!literal) throw Expected(what);
  return *literal;
}

// 'quoted', or plain words with dots and dashes (snapshot.time-retained).
std::string Cursor::ExpectOptionKey() {
  if (AtString()) return ExpectString("an option name");
  if (!AtName() && Peek().kind != TokenKind::kNumber) throw Expected("an option name");
  std::string key = TextOf(Next(), dialect_);
  while (Peek().IsOperator(".") || Peek().IsOperator("-")) {
    key += Next().text;
    if (!AtName() && Peek().kind != TokenKind::kNumber) throw Expected("the rest of the option name");
    key += TextOf(Next(), dialect_);
  }
  return key;
}

Options Cursor::ExpectOptions() {
  Options options;
  ExpectOperator("(");
  if (AcceptOperator(")")) return options;
  do {
    if (Peek().IsOperator(")") && !options.empty()) break;  // a comma after the last one
    size_t begin = Peek().range.begin;
    std::string key = ExpectOptionKey();
    // Spark takes the pair without a sign too.
    const bool pair = dialect_ == Dialect::kSpark && AtString();
    if (!AcceptOperator("==") && !AcceptOperator("=") && !pair)
      throw Expected(fmt::format("'=' and a value for option '{}'", key));
    std::string value;
    if (auto literal = AcceptLiteral()) {
      value = literal->text;
    } else if (Peek().kind == TokenKind::kWord) {
      value = Next().text;
    } else {
      throw Expected(fmt::format("a value for option '{}'", key));
    }
    if (!options.emplace(key, std::move(value)).second) {
      throw SyntaxError(source_, begin, fmt::format("option '{}' is given twice", key));
    }
  } while (AcceptOperator(","));
  ExpectOperator(")");
  return options;
}

std::vector<std::string> Cursor::ExpectOptionKeys() {
  std::vector<std::string> keys;
  ExpectOperator("(");
  do {
    keys.push_back(ExpectOptionKey());
  } while (AcceptOperator(","));
  ExpectOperator(")");
  return keys;
}

std::vector<std::string> Cursor::ExpectNameList(std::string_view what) {
  std::vector<std::string> names;
  ExpectOperator("(");
  do {
    names.push_back(ExpectName(what));
  } while (AcceptOperator(","));
  ExpectOperator(")");
  return names;
}

PartitionSpec Cursor::ExpectPartitionSpec() {
  PartitionSpec spec;
  std::unordered_set<std::string> columns;
  ExpectOperator("(");
  do {
    size_t begin = Peek().range.begin;
    PartitionValue part{ExpectName("a partition column"), std::nullopt};
    if (AcceptOperator("=") || AcceptOperator("==")) {
      part.value = ExpectLiteral(fmt::format("a constant for partition column '{}'", part.column));
    }
    if (!columns.insert(part.column).second) {
      throw SyntaxError(source_, begin, fmt::format("partition column '{}' is given twice", part.column));
    }
    spec.push_back(std::move(part));
  } while (AcceptOperator(","));
  ExpectOperator(")");
  return spec;
}

Options Cursor::AcceptHints() {
  Options options;
  while (Peek().kind == TokenKind::kHint) {
    for (auto& [key, value] : HintOptions(source_, Next(), dialect_)) options.insert_or_assign(key, value);
  }
  return options;
}

std::string_view Cursor::Text(size_t begin, size_t end) const {
  if (begin >= end) return {};
  return source_.substr(tokens_[begin].range.begin, tokens_[end - 1].range.end - tokens_[begin].range.begin);
}

void Cursor::SkipExpression(std::initializer_list<std::string_view> stops) {
  size_t begin = at_;
  size_t depth = 0;
  size_t cases = 0;  // CASE has its own WHEN and THEN
  for (; !AtEnd(); ++at_) {
    const Token& token = Peek();
    if (token.IsOperator("(") || token.IsOperator("[") || token.IsOperator("{")) ++depth;
    if (token.IsOperator(")") || token.IsOperator("]") || token.IsOperator("}")) {
      if (depth == 0) break;
      --depth;
    }
    if (depth > 0) continue;
    if (token.IsWord("CASE")) ++cases;
    if (token.IsWord("END") && cases > 0) --cases;
    if (cases > 0) continue;
    if (token.IsOperator(",")) break;
    bool stop = std::any_of(stops.begin(), stops.end(), [&](std::string_view word) { return token.IsWord(word); });
    if (stop && at_ > begin) break;
  }
  if (at_ == begin) throw Expected("an expression");
}

Error Cursor::Expected(std::string_view what) const {
  std::string message = fmt::format("expected {}, found ", what);
  if (AtEnd()) {
    message += "the end of the statement";
  } else {
    constexpr size_t kShown = 40;
    std::string_view text = Peek().text;
    message += fmt::format("'{}{}'", text.substr(0, kShown), text.size() > kShown ? "..." : "");
  }
  return SyntaxError(source_, Peek().range.begin, message);
}

Error Cursor::UnsupportedHere(std::string_view message) const {
  return UnsupportedAt(source_, Peek().range.begin, message);
}

Options HintOptions(std::string_view source, const Token& hint, Dialect dialect) {
  constexpr size_t kOpen = 3;   // "/*+"
  constexpr size_t kClose = 2;  // "*/"
  // Tokenized in place, so that errors point into the whole text.
  size_t begin = hint.range.begin + kOpen;
  Tokens inner = Tokenize(source.substr(begin, hint.range.end - kClose - begin), dialect);
  if (inner.unclosed != Unclosed::kNothing) throw SyntaxError(source, begin + inner.unclosed_at, "quote is not closed");
  for (Token& token : inner.list) token.range = {token.range.begin + begin, token.range.end + begin};
  Cursor cursor(source, inner.list, dialect);
  Options options;
  while (!cursor.AtEnd()) {
    bool is_options = cursor.At("OPTIONS");
    cursor.Next();
    if (is_options) {
      for (auto& [key, value] : cursor.ExpectOptions()) options.insert_or_assign(key, value);
    } else if (cursor.Peek().IsOperator("(")) {
      cursor.Next();
      for (size_t depth = 1; depth > 0 && !cursor.AtEnd();) {
        const Token& token = cursor.Next();
        depth += token.IsOperator("(") ? 1 : token.IsOperator(")") ? -1 : 0;
      }
    }
  }
  return options;
}

}  // namespace mica::dialect
