// Cuts Spark and Flink SQL text into tokens that know their place in the source. One tokenizer serves both dialects:
// the only difference is "..." (text in Spark, a name in Flink) and the backslash (an escape in Spark text).
// Takes time linear in the text and keeps no copy of it: tokens point into the text, which must outlive them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mica::dialect {

enum class Dialect { kSpark, kFlink };

// Half-open range of bytes in the text that was parsed.
struct SourceRange {
  size_t begin = 0;
  size_t end = 0;
  bool operator==(const SourceRange&) const = default;
};

enum class TokenKind {
  kWord,          // keyword or plain name, also t$snapshots
  kQuotedName,    // `name`
  kDoubleQuoted,  // "...": text or name, by dialect and position
  kString,        // '...', r'...'
  kBinary,        // X'1F'
  kNumber,        // 1, 1.5e3, and Spark's 1L, 2.5BD
  kOperator,      // one operator or punctuation character, or one of :: => -> <=> <> != <= >= == ||
  kHint,          // /*+ ... */
  kSemicolon,
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  SourceRange range;
  std::string_view text;  // as written, quotes included

  // Case-insensitive comparison with an upper-case keyword; quoted names are never keywords.
  bool IsWord(std::string_view keyword) const;
  bool IsOperator(std::string_view op) const { return kind == TokenKind::kOperator && text == op; }
  bool IsName() const { return kind == TokenKind::kWord || kind == TokenKind::kQuotedName; }
};

// What stopped the tokenizer before the end of the text: the statement is not complete.
enum class Unclosed { kNothing, kString, kQuotedName, kComment };

struct Tokens {
  std::vector<Token> list;  // the last one is kEnd
  Unclosed unclosed = Unclosed::kNothing;
  size_t unclosed_at = 0;
};

// Never throws: what is not closed is reported in the result, an unknown byte becomes an operator.
Tokens Tokenize(std::string_view text, Dialect dialect);

// Text of a string token, or the name of a quoted or plain name: quotes taken off, escapes resolved.
std::string TextOf(const Token& token, Dialect dialect);

// 'it''s' and "a ""name""": the quoting that every engine shares.
std::string QuoteText(std::string_view text);
std::string QuoteName(std::string_view name);
// `name`, as Spark and Flink quote it.
std::string BackQuoted(std::string_view name);

// InvalidArgument "Syntax error at line 2, column 5: <message>" followed by the source line and a caret.
Error SyntaxError(std::string_view source, size_t position, std::string_view message);
// The same place in the text for a statement that is understood and refused: Unsupported.
Error UnsupportedAt(std::string_view source, size_t position, std::string_view message);

}  // namespace mica::dialect
