#include "dialect/tokenizer.h"

#include <algorithm>

#include <fmt/format.h>

namespace mica::dialect {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (static_cast<unsigned char>(c) & 0x80) != 0;
}
bool IsWordPart(char c) {
  return IsLetter(c) || IsDigit(c) || c == '$';
}
bool IsSpace(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
char Upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
}

class Scanner {
 public:
  Scanner(std::string_view text, Dialect dialect) : text_(text), dialect_(dialect) {}

  Tokens Run() {
    tokens_.list.reserve(text_.size() / 5 + 2);
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
    while (at_ < text_.size()) Next();
    Add(TokenKind::kEnd, text_.size());
    return std::move(tokens_);
  }

 private:
  char Peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool StartsWith(std::string_view prefix) const { return text_.compare(at_, prefix.size(), prefix) == 0; }

  void Add(TokenKind kind, size_t end) {
    tokens_.list.push_back({kind, {at_, end}, text_.substr(at_, end - at_)});
    at_ = end;
  }

  void Next() {
    char c = Peek();
    if (IsSpace(c)) {
      ++at_;
    } else if (StartsWith("--")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (StartsWith("/*")) {
      Comment();
    } else if (c == '\'') {
      Quoted(TokenKind::kString, at_, dialect_ == Dialect::kSpark);
    } else if (c == '"') {
      Quoted(TokenKind::kDoubleQuoted, at_, dialect_ == Dialect::kSpark);
    } else if (c == '`') {
      Quoted(TokenKind::kQuotedName, at_, false);
    } else if ((c == 'r' || c == 'R') && dialect_ == Dialect::kSpark && (Peek(1) == '\'' || Peek(1) == '"')) {
      Quoted(TokenKind::kString, at_ + 1, false);
    } else if ((c == 'x' || c == 'X') && Peek(1) == '\'') {
      Quoted(TokenKind::kBinary, at_ + 1, false);
    } else if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)) && !AfterName())) {
      NumberOrWord();
    } else if (IsLetter(c)) {
      Add(TokenKind::kWord, WordEnd(at_));
    } else if (c == ';') {
      Add(TokenKind::kSemicolon, at_ + 1);
    } else {
      Operator();
    }
  }

  // In t.1 the dot belongs to the path.
  bool AfterName() const {
    return !tokens_.list.empty() && tokens_.list.back().range.end == at_ && tokens_.list.back().IsName();
  }

  size_t WordEnd(size_t from) const {
    while (from < text_.size() && IsWordPart(text_[from])) ++from;
    return from;
  }

  // Comments nest. A hint is a comment that starts with a plus; its text is a token of its own.
  void Comment() {
    size_t depth = 1;
    size_t end = at_ + 2;
    while (depth > 0) {
      end = text_.find_first_of("*/", end);
      if (end == std::string_view::npos || end + 1 >= text_.size()) return Open(Unclosed::kComment);
      std::string_view pair = text_.substr(end, 2);
      if (pair == "/*") {
        ++depth;
        end += 2;
      } else if (pair == "*/") {
        --depth;
        end += 2;
      } else {
        ++end;
      }
    }
    if (Peek(2) == '+') return Add(TokenKind::kHint, end);
    at_ = end;
  }

  void Quoted(TokenKind kind, size_t quote_at, bool backslash) {
    char quote = text_[quote_at];
    size_t end = quote_at + 1;
    for (; end < text_.size(); ++end) {
      if (backslash && text_[end] == '\\') {
        ++end;
      } else if (text_[end] == quote) {
        if (end + 1 >= text_.size() || text_[end + 1] != quote) return Add(kind, end + 1);
        ++end;
      }
    }
    Open(kind == TokenKind::kQuotedName ? Unclosed::kQuotedName : Unclosed::kString);
  }

  void Open(Unclosed what) {
    tokens_.unclosed = what;
    tokens_.unclosed_at = at_;
    at_ = text_.size();
  }

  void NumberOrWord() {
    size_t end = at_;
    auto digits = [&] {
      while (end < text_.size() && (IsDigit(text_[end]) || text_[end] == '_')) ++end;
    };
    digits();
    bool whole = true;
    if (end < text_.size() && text_[end] == '.' && (end + 1 >= text_.size() || !IsLetter(text_[end + 1]))) {
      ++end;
      whole = false;
      digits();
    }
    if (end < text_.size() && Upper(text_[end]) == 'E') {
      size_t exponent = end + 1;
      if (exponent < text_.size() && (text_[exponent] == '+' || text_[exponent] == '-')) ++exponent;
      if (exponent < text_.size() && IsDigit(text_[exponent])) {
        end = exponent;
        whole = false;
        digits();
      }
    }
    size_t word_end = WordEnd(end);
    std::string_view suffix = text_.substr(end, word_end - end);
    if (suffix.empty() || IsNumberSuffix(suffix)) return Add(TokenKind::kNumber, word_end);
    // A name such as 2024_orders or 0x1F.
    Add(whole ? TokenKind::kWord : TokenKind::kNumber, whole ? word_end : end);
  }

  bool IsNumberSuffix(std::string_view suffix) const {
    if (dialect_ != Dialect::kSpark) return false;
    if (suffix.size() == 1) return std::string_view("LSYDF").find(Upper(suffix[0])) != std::string_view::npos;
    return suffix.size() == 2 && Upper(suffix[0]) == 'B' && Upper(suffix[1]) == 'D';
  }

  void Operator() {
    for (std::string_view op : {"<=>", "::", "=>", "->", "<>", "!=", "<=", ">=", "==", "||", ":="}) {
      if (StartsWith(op)) return Add(TokenKind::kOperator, at_ + op.size());
    }
    Add(TokenKind::kOperator, at_ + 1);
  }

  std::string_view text_;
  Dialect dialect_;
  size_t at_ = 0;
  Tokens tokens_;
};

void AppendUtf8(uint32_t code, std::string* out) {
  if (code < 0x80) {
    *out += static_cast<char>(code);
  } else if (code < 0x800) {
    *out += static_cast<char>(0xC0 | (code >> 6));
    *out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    *out += static_cast<char>(0xE0 | (code >> 12));
    *out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    *out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    *out += static_cast<char>(0xF0 | (code >> 18));
    *out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    *out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    *out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// \uXXXX, or nothing when the four digits are not there. Surrogates stay as written: they are no characters.
bool UnicodeEscape(std::string_view rest, std::string* out) {
  if (rest.size() < 5 || rest[0] != 'u') return false;
  uint32_t code = 0;
  for (char c : rest.substr(1, 4)) {
    char upper = Upper(c);
    if (IsDigit(upper)) {
      code = code * 16 + static_cast<uint32_t>(upper - '0');
    } else if (upper >= 'A' && upper <= 'F') {
      code = code * 16 + static_cast<uint32_t>(upper - 'A' + 10);
    } else {
      return false;
    }
  }
  if (code >= 0xD800 && code <= 0xDFFF) return false;
  AppendUtf8(code, out);
  return true;
}

// Appends what the backslash at the start of `rest` stands for; gives how many bytes it took.
size_t Unescape(std::string_view rest, std::string* out) {
  if (rest.size() < 2) {
    *out += '\\';
    return 1;
  }
  if (UnicodeEscape(rest.substr(1), out)) return 6;
  switch (rest[1]) {
    case 'n':
      *out += '\n';
      break;
    case 't':
      *out += '\t';
      break;
    case 'r':
      *out += '\r';
      break;
    case 'b':
      *out += '\b';
      break;
    case 'Z':
      *out += '\x1A';
      break;
    case '0':
      *out += '\0';
      break;
    case '%':
    case '_':
      *out += '\\';
      *out += rest[1];
      break;  // stays for LIKE
    default:
      *out += rest[1];
  }
  return 2;
}

std::string Quote(std::string_view text, char quote) {
  std::string out(1, quote);
  for (char c : text) {
    if (c == quote) out += quote;
    out += c;
  }
  return out += quote;
}

std::string WithCaret(std::string_view source, size_t position, std::string_view message) {
  constexpr size_t kBefore = 70;
  constexpr size_t kAfter = 40;
  position = std::min(position, source.size());
  size_t newline = position == 0 ? std::string_view::npos : source.rfind('\n', position - 1);
  size_t line_begin = newline == std::string_view::npos ? 0 : newline + 1;
  size_t line_end = std::min(source.find('\n', position), source.size());
  size_t line = 1 + static_cast<size_t>(std::count(source.begin(), source.begin() + line_begin, '\n'));
  auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  auto characters = [&](size_t from, size_t to) {
    return static_cast<size_t>(std::count_if(source.begin() + from, source.begin() + to, is_start));
  };
  size_t from = position - line_begin > kBefore ? position - kBefore : line_begin;
  size_t to = line_end - position > kAfter ? position + kAfter : line_end;
  while (from > line_begin && !is_start(source[from])) --from;
  while (to < line_end && !is_start(source[to])) ++to;
  std::string excerpt(source.substr(from, to - from));
  for (char& c : excerpt) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  std::string_view dots = from > line_begin ? "..." : "";
  return fmt::format("line {}, column {}: {}\n  {}{}{}\n  {:>{}}", line, characters(line_begin, position) + 1, message,
                     dots, excerpt, to < line_end ? "..." : "", "^", dots.size() + characters(from, position) + 1);
}

}  // namespace

bool Token::IsWord(std::string_view keyword) const {
  return kind == TokenKind::kWord && text.size() == keyword.size() &&
         std::equal(text.begin(), text.end(), keyword.begin(), [](char a, char b) { return Upper(a) == b; });
}

Tokens Tokenize(std::string_view text, Dialect dialect) {
  return Scanner(text, dialect).Run();
}

std::string TextOf(const Token& token, Dialect dialect) {
  std::string_view text = token.text;
  bool quoted = token.kind == TokenKind::kString || token.kind == TokenKind::kBinary ||
                token.kind == TokenKind::kDoubleQuoted || token.kind == TokenKind::kQuotedName;
  if (!quoted) return std::string(text);
  bool prefixed = text.front() != '\'' && text.front() != '"' && text.front() != '`';
  if (prefixed) text.remove_prefix(1);
  bool backslash = dialect == Dialect::kSpark && !prefixed && token.kind != TokenKind::kQuotedName;
  char quote = text.front();
  text = text.substr(1, text.size() - 2);
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    if (backslash && text[i] == '\\') {
      i += Unescape(text.substr(i), &out);
    } else {
      out += text[i];
      i += text[i] == quote ? 2 : 1;
    }
  }
  return out;
}

std::string QuoteText(std::string_view text) {
  return Quote(text, '\'');
}
std::string QuoteName(std::string_view name) {
  return Quote(name, '"');
}
std::string BackQuoted(std::string_view name) {
  return Quote(name, '`');
}

Error SyntaxError(std::string_view source, size_t position, std::string_view message) {
  return InvalidArgument("Syntax error at {}", WithCaret(source, position, message));
}

Error UnsupportedAt(std::string_view source, size_t position, std::string_view message) {
  return Unsupported("Not supported, {}", WithCaret(source, position, message));
}

}  // namespace mica::dialect
