#include "dialect/parser.h"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/text.h"
#include "dialect/cursor.h"
#include "dialect/keywords.h"
#include "dialect/statement_parsers.h"

namespace mica::dialect {
namespace {

StatementBody ParseBody(Cursor& cursor, const TypeRules& rules, bool inside_explain);

StatementBody ParseExplain(Cursor& cursor, const TypeRules& rules) {
  cursor.Expect("EXPLAIN");
  Explain explain;
  if (cursor.Accept("ANALYZE")) {
    explain.mode = Explain::Mode::kAnalyze;
  } else if (cursor.AcceptOneOf({"EXTENDED", "FORMATTED", "COST", "CODEGEN"})) {
    explain.mode = Explain::Mode::kExtended;
  } else if (!cursor.AcceptSequence({"PLAN", "FOR"})) {
    while (cursor.AcceptOneOf({"ESTIMATED_COST", "CHANGELOG_MODE", "JSON_EXECUTION_PLAN", "PLAN_ADVICE"})) {
      explain.mode = Explain::Mode::kExtended;
      cursor.AcceptOperator(",");
    }
  }
  Statement inner;
  size_t begin = cursor.position();
  inner.range.begin = cursor.Peek().range.begin;
  inner.body = ParseBody(cursor, rules, true);
  inner.source = cursor.Text(begin, cursor.position());
  inner.range.end = inner.range.begin + inner.source.size();
  explain.statement = std::make_shared<const Statement>(std::move(inner));
  return explain;
}

struct Head {
  std::string_view word;
  StatementBody (*parse)(Cursor& cursor);
};

template <StatementBody (*kParse)(Cursor&, size_t)>
StatementBody FromHere(Cursor& cursor) {
  return kParse(cursor, cursor.position());
}

template <Query::Kind kKind>
StatementBody EngineStatement(Cursor& cursor) {
  return ParseEngineStatement(cursor, kKind);
}

constexpr std::array kHeads = {
    Head{"SELECT", EngineStatement<Query::Kind::kSelect>},
    Head{"WITH", ParseWith},
    Head{"VALUES", EngineStatement<Query::Kind::kSelect>},
    Head{"FROM", EngineStatement<Query::Kind::kSelect>},
    Head{"TABLE", EngineStatement<Query::Kind::kSelect>},
    Head{"INSERT", ParseInsert},
    Head{"UPDATE", FromHere<ParseUpdate>},
    Head{"DELETE", FromHere<ParseDelete>},
    Head{"MERGE", FromHere<ParseMerge>},
    Head{"TRUNCATE", ParseTruncate},
    Head{"CALL", ParseCall},
    Head{"DROP", ParseDrop},
    Head{"SHOW", ParseShow},
    Head{"DESCRIBE", ParseDescribe},
    Head{"DESC", ParseDescribe},
    Head{"ANALYZE", ParseAnalyze},
    Head{"REFRESH", ParseRefresh},
    Head{"CACHE", ParseCache},
    Head{"UNCACHE", ParseCache},
    Head{"CLEAR", ParseCache},
    Head{"COMMENT", ParseComment},
    Head{"USE", ParseUse},
    Head{"SET", ParseSet},
    Head{"RESET", ParseReset},
    Head{"BEGIN", ParseTransaction},
    Head{"START", ParseTransaction},
    Head{"COMMIT", ParseTransaction},
    Head{"END", ParseTransaction},
    Head{"ROLLBACK", ParseTransaction},
    Head{"ABORT", ParseTransaction},
};

// Statements of the SQL engine that belong to neither dialect.
constexpr std::array<std::string_view, 15> kEngineHeads = {
    "ATTACH",  "CHECKPOINT", "COPY",   "DEALLOCATE", "DETACH",    "EXECUTE", "FORCE",  "IMPORT",
    "INSTALL", "PIVOT",      "PRAGMA", "PREPARE",    "SUMMARIZE", "UNPIVOT", "VACUUM",
};

// Known in Spark or Flink, and not here.
constexpr std::array<std::string_view, 11> kRefusedHeads = {
    "ADD", "COMPILE", "EXPORT", "GRANT", "LIST", "LOAD", "LOCK", "MSCK", "REPAIR", "REVOKE", "UNLOCK",
};

Error UnknownStatement(const Cursor& cursor) {
  const Token& token = cursor.Peek();
  if (token.kind != TokenKind::kWord) return cursor.Expected("a statement");
  for (std::string_view refused : kRefusedHeads) {
    if (token.IsWord(refused)) return cursor.UnsupportedHere(fmt::format("{} statements", refused));
  }
  std::vector<std::string> known = {"ALTER", "CREATE", "EXPLAIN", "REPLACE"};
  for (const Head& head : kHeads) known.emplace_back(head.word);
  known.insert(known.end(), kEngineHeads.begin(), kEngineHeads.end());
  return SyntaxError(
      cursor.source(), token.range.begin,
      fmt::format("expected a statement, found '{}'{}", token.text, DidYouMean(ToUpper(token.text), known)));
}

StatementBody ParseBody(Cursor& cursor, const TypeRules& rules, bool inside_explain) {
  if (cursor.Peek().IsOperator("(")) return ParseEngineStatement(cursor, Query::Kind::kSelect);
  for (const Head& head : kHeads) {
    if (cursor.At(head.word)) return head.parse(cursor);
  }
  if (cursor.At("CREATE")) return ParseCreate(cursor, rules);
  if (cursor.At("REPLACE")) return ParseReplace(cursor, rules);
  if (cursor.At("ALTER")) return ParseAlter(cursor, rules);
  if (cursor.At("EXPLAIN") && !inside_explain) return ParseExplain(cursor, rules);
  if (cursor.AtSequence({"EXECUTE", "STATEMENT", "SET"})) throw cursor.UnsupportedHere("STATEMENT SET");
  for (std::string_view head : kEngineHeads) {
    if (cursor.At(head)) return ParseEngineStatement(cursor, Query::Kind::kOther);
  }
  throw UnknownStatement(cursor);
}

// A set of statements is one statement that ends after its END, whatever semicolons it holds.
bool BeginsStatementSet(std::span<const Token> tokens) {
  return tokens.size() > 2 && (tokens[0].IsWord("EXECUTE") || tokens[0].IsWord("BEGIN")) &&
         tokens[1].IsWord("STATEMENT") && tokens[2].IsWord("SET");
}

// Calls `take(tokens)` for the tokens of each statement, with the token that ends it.
template <typename Take>
void ForEachStatement(const Tokens& tokens, Take take) {
  size_t begin = 0;
  for (size_t i = 0; i < tokens.list.size(); ++i) {
    TokenKind kind = tokens.list[i].kind;
    if (kind != TokenKind::kSemicolon && kind != TokenKind::kEnd) continue;
    const auto part = std::span(tokens.list).subspan(begin, i + 1 - begin);
    if (kind == TokenKind::kSemicolon && BeginsStatementSet(part)) {
      const bool over = part[part.size() - 2].IsWord("END") && part[part.size() - 3].kind == TokenKind::kSemicolon;
      if (!over) continue;
    }
    if (i > begin) take(part);
    begin = i + 1;
  }
}

void CheckClosed(std::string_view text, const Tokens& tokens) {
  if (tokens.unclosed == Unclosed::kNothing) return;
  std::string_view what = tokens.unclosed == Unclosed::kComment      ? "comment is not closed, '*/' is missing"
                          : tokens.unclosed == Unclosed::kQuotedName ? "quoted name is not closed, '`' is missing"
                                                                     : "text is not closed, its last quote is missing";
  throw SyntaxError(text, tokens.unclosed_at, what);
}

}  // namespace

std::vector<Statement> Parse(std::string_view script, Dialect dialect, const TypeRules& rules) {
  Tokens tokens = Tokenize(script, dialect);
  CheckClosed(script, tokens);
  std::vector<Statement> statements;
  ForEachStatement(tokens, [&](std::span<const Token> part) {
    Cursor cursor(script, part, dialect);
    Statement statement;
    statement.range = {part.front().range.begin, part[part.size() - 2].range.end};
    statement.body = ParseBody(cursor, rules, false);
    cursor.ExpectEnd();
    statement.source = script.substr(statement.range.begin, statement.range.end - statement.range.begin);
    statements.push_back(std::move(statement));
  });
  return statements;
}

Statement ParseStatement(std::string_view text, Dialect dialect, const TypeRules& rules) {
  std::vector<Statement> statements = Parse(text, dialect, rules);
  if (statements.size() != 1) {
    throw InvalidArgument("Expected one statement, found {}", statements.size());
  }
  return std::move(statements.front());
}

std::vector<StatementText> SplitStatements(std::string_view script, Dialect dialect) {
  Tokens tokens = Tokenize(script, dialect);
  std::vector<StatementText> parts;
  ForEachStatement(tokens, [&](std::span<const Token> part) {
    parts.push_back(
        {{part.front().range.begin, part[part.size() - 2].range.end}, part.back().kind == TokenKind::kSemicolon});
  });
  if (tokens.unclosed != Unclosed::kNothing) {
    if (parts.empty() || parts.back().complete) parts.push_back({{tokens.unclosed_at, script.size()}, false});
    parts.back().range.end = script.size();
  }
  return parts;
}

}  // namespace mica::dialect
