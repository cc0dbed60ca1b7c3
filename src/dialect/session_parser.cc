#include "dialect/keywords.h"
#include "dialect/statement_parsers.h"

namespace mica::dialect {
namespace {

// A key or value of SET: its text as written, or without quotes when it is one quoted token.
std::string SettingText(const Cursor& cursor, size_t begin, size_t end) {
  if (end == begin + 1) return TextOf(cursor.tokens()[begin], cursor.dialect());
  return std::string(cursor.Text(begin, end));
}

size_t End(const Cursor& cursor) {
  return cursor.tokens().size() - 1;
}

}  // namespace

StatementBody ParseUse(Cursor& cursor) {
  cursor.Expect("USE");
  Use use;
  bool more = cursor.Peek(1).IsName() || cursor.Peek(1).kind == TokenKind::kDoubleQuoted;
  if (more && cursor.Accept("CATALOG")) {
    use.catalog = true;
  } else if (more) {
    cursor.AcceptOneOf({"DATABASE", "SCHEMA", "NAMESPACE"});
  }
  use.name = cursor.ExpectPath("the name of a catalog or database");
  return use;
}

StatementBody ParseSet(Cursor& cursor) {
  bool engine = false;
  for (std::string_view word : {"VARIABLE", "GLOBAL", "LOCAL", "SESSION"}) {
    engine = engine || (cursor.Peek(1).IsWord(word) && cursor.Peek(2).kind == TokenKind::kWord);
  }
  if (engine) return ParseEngineStatement(cursor, Query::Kind::kOther);
  cursor.Expect("SET");
  Set set;
  size_t begin = cursor.position();
  size_t end = End(cursor);
  bool all = cursor.Peek().IsOperator("-") && cursor.Peek(1).IsWord("V") && begin + 2 == end;
  if (begin < end && !all) {
    size_t equals = begin;
    while (equals < end && !cursor.tokens()[equals].IsOperator("=")) ++equals;
    bool to = equals == end && cursor.Peek(1).IsWord("TO");
    if (equals == end && cursor.AtSequence({"TIME", "ZONE"}) && begin + 2 < end) {
      set.key = "spark.sql.session.timeZone";
      set.value = SettingText(cursor, begin + 2, end);
    } else if (equals == end && !to) {
      set.key = SettingText(cursor, begin, end);
    } else {
      if (to) equals = begin + 1;
      if (equals == begin) throw cursor.Expected("the name of a setting");
      set.key = SettingText(cursor, begin, equals);
      set.value = equals + 1 < end ? SettingText(cursor, equals + 1, end) : "";
    }
  }
  cursor.Rewind(end);
  return set;
}

StatementBody ParseReset(Cursor& cursor) {
  cursor.Expect("RESET");
  Reset reset;
  if (!cursor.AtEnd()) reset.key = SettingText(cursor, cursor.position(), End(cursor));
  cursor.Rewind(End(cursor));
  return reset;
}

StatementBody ParseTransaction(Cursor& cursor) {
  if (cursor.AtSequence({"BEGIN", "STATEMENT", "SET"})) throw cursor.UnsupportedHere("STATEMENT SET");
  Transaction transaction;
  std::string_view word = cursor.ExpectOneOf({"BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT"});
  if (word == "COMMIT" || word == "END") transaction.action = Transaction::Action::kCommit;
  if (word == "ROLLBACK" || word == "ABORT") transaction.action = Transaction::Action::kRollback;
  if (word == "START") {
    cursor.Expect("TRANSACTION");
  } else {
    cursor.AcceptOneOf({"TRANSACTION", "WORK"});
  }
  return transaction;
}

}  // namespace mica::dialect
