#include "base/text.h"
#include "dialect/keywords.h"
#include "dialect/query_rewriter.h"
#include "dialect/statement_parsers.h"

namespace mica::dialect {
namespace {

size_t End(const Cursor& cursor) {
  return cursor.tokens().size() - 1;
}

bool AtQuery(const Cursor& cursor, size_t ahead = 0) {
  const Token& token = cursor.Peek(ahead);
  if (token.IsOperator("(")) return true;
  for (std::string_view word : {"SELECT", "WITH", "VALUES", "FROM", "TABLE"}) {
    if (token.IsWord(word)) return true;
  }
  return false;
}

void ParseInsertTarget(Cursor& cursor, Insert* insert) {
  cursor.Expect("INSERT");
  insert->overwrite = cursor.ExpectOneOf({"INTO", "OVERWRITE"}) == "OVERWRITE";
  if (insert->overwrite) cursor.Accept("INTO");
  if (cursor.At("DIRECTORY") || cursor.AtSequence({"LOCAL", "DIRECTORY"})) {
    throw cursor.UnsupportedHere("INSERT OVERWRITE DIRECTORY. Use COPY (SELECT ...) TO 'path'");
  }
  bool names_table = cursor.At("TABLE") && (cursor.Peek(1).IsName() || cursor.Peek(1).kind == TokenKind::kDoubleQuoted);
  if (names_table) cursor.Next();
  insert->target = cursor.ExpectPath("a table name");
}

// Hints, partition clause, column list and BY NAME come in any order that Spark or Flink has.
void ParseInsertClauses(Cursor& cursor, Insert* insert) {
  while (true) {
    if (cursor.Peek().kind == TokenKind::kHint) {
      for (auto& [key, value] : cursor.AcceptHints()) insert->options.insert_or_assign(key, value);
    } else if (cursor.At("PARTITION") && !insert->has_partition_clause) {
      cursor.Next();
      insert->has_partition_clause = true;
      insert->partition = cursor.ExpectPartitionSpec();
      if (cursor.AtSequence({"IF", "NOT", "EXISTS"})) throw cursor.UnsupportedHere("INSERT with IF NOT EXISTS");
    } else if (cursor.AcceptSequence({"BY", "NAME"})) {
      insert->by_name = true;
    } else if (cursor.AcceptSequence({"BY", "POSITION"})) {
      insert->by_name = false;
    } else if (cursor.Peek().IsOperator("(") && !AtQuery(cursor, 1) && insert->columns.empty()) {
      insert->columns = cursor.ExpectNameList("a column name");
    } else {
      return;
    }
  }
}

// CTEs before INSERT belong to its query: WITH a AS (...) INSERT INTO t SELECT ...
Insert ParseInsertAfter(Cursor& cursor, size_t with_begin) {
  Insert insert;
  size_t with_end = cursor.position();
  ParseInsertTarget(cursor, &insert);
  ParseInsertClauses(cursor, &insert);
  if (cursor.AtSequence({"REPLACE", "WHERE"}))
    throw cursor.UnsupportedHere("INSERT with REPLACE WHERE. Use INSERT OVERWRITE");
  if (cursor.AtSequence({"ON", "CONFLICT"}))
    throw cursor.UnsupportedHere("ON CONFLICT. A primary key of the table decides");
  if (!AtQuery(cursor)) throw cursor.Expected("VALUES or a query");
  insert.query = TakeQuery(cursor);
  if (with_begin < with_end) {
    insert.query.sql = RewriteQuery(cursor, with_begin, with_end) + "\n" + insert.query.sql;
    insert.query.source = std::string(cursor.Text(with_begin, with_end)) + "\n" + insert.query.source;
  }
  return insert;
}

}  // namespace

QueryText TakeQuery(Cursor& cursor) {
  size_t begin = cursor.position();
  if (cursor.AtEnd()) throw cursor.Expected("a query");
  cursor.Rewind(End(cursor));
  return {RewriteQuery(cursor, begin, End(cursor)), std::string(cursor.Text(begin, End(cursor)))};
}

Expression TakeExpression(Cursor& cursor, std::initializer_list<std::string_view> stops) {
  Expression expression;
  size_t begin = cursor.position();
  cursor.SkipExpression(stops);
  size_t end = cursor.position();
  cursor.Rewind(begin);
  auto literal = cursor.AcceptLiteral();
  if (literal && cursor.position() == end) expression.literal = std::move(literal);
  cursor.Rewind(end);
  expression.sql = RewriteQuery(cursor, begin, end);
  expression.source = cursor.Text(begin, end);
  return expression;
}

StatementBody ParseEngineStatement(Cursor& cursor, Query::Kind kind) {
  return Query{kind, TakeQuery(cursor)};
}

StatementBody ParseInsert(Cursor& cursor) {
  // INSERT OR REPLACE is the engine's own.
  if (cursor.Peek(1).IsWord("OR")) return ParseEngineStatement(cursor, Query::Kind::kOther);
  return ParseInsertAfter(cursor, cursor.position());
}

StatementBody ParseWith(Cursor& cursor) {
  size_t begin = cursor.position();
  size_t depth = 0;
  for (size_t i = begin; i < End(cursor); ++i) {
    const Token& token = cursor.tokens()[i];
    if (token.IsOperator("(")) ++depth;
    if (token.IsOperator(")") && depth > 0) --depth;
    // The statement starts where a CTE closed.
    bool starts = depth == 0 && i > begin && cursor.tokens()[i - 1].IsOperator(")");
    if (!starts) continue;
    cursor.Rewind(i);
    if (token.IsWord("INSERT")) return ParseInsertAfter(cursor, begin);
    if (token.IsWord("UPDATE")) return ParseUpdate(cursor, begin);
    if (token.IsWord("DELETE")) return ParseDelete(cursor, begin);
    if (token.IsWord("MERGE")) return ParseMerge(cursor, begin);
    if (token.IsWord("SELECT")) break;
  }
  cursor.Rewind(begin);
  return ParseEngineStatement(cursor, Query::Kind::kSelect);
}

StatementBody ParseTruncate(Cursor& cursor) {
  cursor.Expect("TRUNCATE");
  cursor.Accept("TABLE");
  Truncate truncate;
  truncate.name = cursor.ExpectPath("a table name");
  if (cursor.Accept("PARTITION")) truncate.partition = cursor.ExpectPartitionSpec();
  return truncate;
}

StatementBody ParseCall(Cursor& cursor) {
  cursor.Expect("CALL");
  Call call;
  call.procedure = cursor.ExpectPath("the name of a procedure");
  cursor.ExpectOperator("(");
  while (!cursor.Peek().IsOperator(")")) {
    CallArgument argument;
    if (cursor.AtName() && (cursor.Peek(1).IsOperator("=>") || cursor.Peek(1).IsOperator(":="))) {
      argument.name = cursor.ExpectName("the name of an argument");
      cursor.Next();
    }
    argument.value = TakeExpression(cursor, {});
    call.arguments.push_back(std::move(argument));
    if (!cursor.AcceptOperator(",")) break;
  }
  cursor.ExpectOperator(")");
  return call;
}

}  // namespace mica::dialect
