// Turns SQL text of Spark or Flink into statements. Both dialects parse every form of both; the dialect decides only
// what a bare TIMESTAMP and "..." mean. Errors are InvalidArgument (syntax) or Unsupported, with line, column and a
// caret. Nothing here runs or resolves anything, so a script is refused before its first statement has had an effect.
#pragma once

#include <string_view>
#include <vector>

#include "dialect/statement.h"
#include "dialect/tokenizer.h"
#include "dialect/type_parser.h"

namespace mica::dialect {

// Every statement of a script.
std::vector<Statement> Parse(std::string_view script, Dialect dialect, const TypeRules& rules = {});

// Exactly one statement, with or without a semicolon.
Statement ParseStatement(std::string_view text, Dialect dialect, const TypeRules& rules = {});

// A statement of a script that may still be growing, as a shell needs it.
struct StatementText {
  SourceRange range;      // without the semicolon
  bool complete = false;  // the semicolon is there
};

// Cuts a script at the semicolons outside of quotes and comments. Never throws; empty statements are left out.
std::vector<StatementText> SplitStatements(std::string_view script, Dialect dialect);

}  // namespace mica::dialect
