// What may follow a table in a query: time travel and option hints, in the words of both dialects. Finds its extent in
// the tokens and writes the AT clause of query_rewriter.h.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dialect/cursor.h"
#include "dialect/statement.h"

namespace mica::dialect {

// The tokens [begin, end) of a statement; nothing can be seen outside of them.
class TokenSlice {
 public:
  TokenSlice(const Cursor& cursor, size_t begin, size_t end) : cursor_(cursor), begin_(begin), end_(end) {}

  const Cursor& cursor() const { return cursor_; }
  size_t begin() const { return begin_; }
  size_t end() const { return end_; }
  // A token of kind kEnd outside of the slice.
  const Token& At(size_t i) const;
  bool AtWords(size_t i, std::initializer_list<std::string_view> words) const;
  // Position after the bracket that closes the one at i.
  size_t Closing(size_t i) const;
  Error Expected(size_t i, std::string_view what) const;

 private:
  const Cursor& cursor_;
  size_t begin_;
  size_t end_;
};

// A constant in the tokens [begin, end), and its value where it is a literal.
struct Constant {
  size_t begin = 0;
  size_t end = 0;
  std::optional<Literal> literal;
};

struct TableClause {
  Options options;
  std::optional<Constant> version;
  std::optional<Constant> timestamp;
  size_t end = 0;  // token position after it

  bool empty() const { return options.empty() && !version && !timestamp; }
};

// Reads the hints and the time travel from position i on, if there are any.
TableClause ParseTableClause(const TokenSlice& tokens, size_t i);

// " AT (...)" in the engine's form; `constant` is the rewritten text of the version or timestamp, and `position` the
// place in the source for errors.
std::string AtClause(const TableClause& clause, std::string_view constant, std::string_view source, size_t position);

}  // namespace mica::dialect
