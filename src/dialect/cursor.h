// Walks over the tokens of one statement for the recursive-descent parsers of this layer: accept, expect, and errors
// that point at the current token. Also reads the small things all statements share: names, literals, option lists.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/statement.h"
#include "dialect/tokenizer.h"

namespace mica::dialect {

class Cursor {
 public:
  // `tokens` end with kEnd or the semicolon of the statement; `source` is the text that error carets are shown in.
  Cursor(std::string_view source, std::span<const Token> tokens, Dialect dialect)
      : source_(source), tokens_(tokens), dialect_(dialect) {}

  Dialect dialect() const { return dialect_; }
  std::string_view source() const { return source_; }
  std::span<const Token> tokens() const { return tokens_; }
  size_t position() const { return at_; }
  void Rewind(size_t position) { at_ = position; }

  const Token& Peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  const Token& Next();
  bool AtEnd() const { return Peek().kind == TokenKind::kEnd || Peek().kind == TokenKind::kSemicolon; }

  bool At(std::string_view keyword) const { return Peek().IsWord(keyword); }
  bool AtSequence(std::initializer_list<std::string_view> keywords) const;
  bool Accept(std::string_view keyword);
  // All of the words in a row, or nothing is taken.
  bool AcceptSequence(std::initializer_list<std::string_view> keywords);
  bool AcceptOperator(std::string_view op);
  // The keyword that matched.
  std::optional<std::string_view> AcceptOneOf(std::initializer_list<std::string_view> keywords);
  void Expect(std::string_view keyword);
  void ExpectOperator(std::string_view op);
  std::string_view ExpectOneOf(std::initializer_list<std::string_view> keywords);
  void ExpectEnd();

  // One part of a name: a word, `quoted`, or "quoted" where a name must stand.
  std::string ExpectName(std::string_view what);
  // catalog.database.table
  Name ExpectPath(std::string_view what);
  std::string ExpectString(std::string_view what);
  int64_t ExpectInteger(std::string_view what);
  bool AtString() const;
  bool AtName() const { return Peek().IsName() || Peek().kind == TokenKind::kDoubleQuoted; }

  // NULL, TRUE, 12, -1.5, 'text', DATE '2024-01-01': nothing when the tokens are no literal.
  std::optional<Literal> AcceptLiteral();
  Literal ExpectLiteral(std::string_view what);
  // ('k' = 'v', a.b = 3): keys and values as text.
  Options ExpectOptions();
  // ('k', a.b)
  std::vector<std::string> ExpectOptionKeys();
  // (a, b)
  std::vector<std::string> ExpectNameList(std::string_view what);
  // PARTITION (dt = '2024', hh), the word already taken.
  PartitionSpec ExpectPartitionSpec();
  // All /*+ OPTIONS(...) */ hints that stand here; other hints are ignored as the comments they are.
  Options AcceptHints();

  // Source text between two token positions, comments included, without blanks at the ends.
  std::string_view Text(size_t begin, size_t end) const;
  // Skips to the end of an expression: the first of these words, comma or closing bracket outside of brackets.
  void SkipExpression(std::initializer_list<std::string_view> stops);

  // "expected <what>, found '<token>'"
  Error Expected(std::string_view what) const;
  Error UnsupportedHere(std::string_view message) const;

 private:
  std::string ExpectOptionKey();

  std::string_view source_;
  std::span<const Token> tokens_;
  Dialect dialect_;
  size_t at_ = 0;
};

// Options of one /*+ ... */ token; empty when it holds no OPTIONS(...). Throws a syntax error inside `source`.
Options HintOptions(std::string_view source, const Token& hint, Dialect dialect);

}  // namespace mica::dialect
