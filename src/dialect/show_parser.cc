#include <array>

#include "base/text.h"
#include "dialect/keywords.h"
#include "dialect/statement_parsers.h"

namespace mica::dialect {
namespace {

// SHOW followed by one of these words; those with two words are handled apart.
struct Subject {
  std::string_view word;
  Show::What what;
  enum class Takes { kNothing, kDatabase, kTable, kColumnsOf } takes;
};
constexpr std::array kSubjects = {
    Subject{"CATALOGS", Show::What::kCatalogs, Subject::Takes::kNothing},
    Subject{"DATABASES", Show::What::kDatabases, Subject::Takes::kDatabase},
    Subject{"SCHEMAS", Show::What::kDatabases, Subject::Takes::kDatabase},
    Subject{"NAMESPACES", Show::What::kDatabases, Subject::Takes::kDatabase},
    Subject{"TABLES", Show::What::kTables, Subject::Takes::kDatabase},
    Subject{"VIEWS", Show::What::kViews, Subject::Takes::kDatabase},
    Subject{"FUNCTIONS", Show::What::kFunctions, Subject::Takes::kDatabase},
    Subject{"PROCEDURES", Show::What::kProcedures, Subject::Takes::kDatabase},
    Subject{"COLUMNS", Show::What::kColumns, Subject::Takes::kColumnsOf},
    Subject{"PARTITIONS", Show::What::kPartitions, Subject::Takes::kTable},
    Subject{"TBLPROPERTIES", Show::What::kTableProperties, Subject::Takes::kTable},
    Subject{"TAGS", Show::What::kTags, Subject::Takes::kTable},
    Subject{"BRANCHES", Show::What::kBranches, Subject::Takes::kTable},
};

void AcceptPattern(Cursor& cursor, Show* show) {
  if (cursor.Accept("LIKE") || cursor.AtString()) show->pattern = cursor.ExpectString("a pattern");
}

void AcceptDatabase(Cursor& cursor, Show* show) {
  if (cursor.AcceptOneOf({"FROM", "IN"})) show->name = cursor.ExpectPath("a database name");
}

// FROM or IN before the table, and Spark's second FROM for its database.
void ColumnsOf(Cursor& cursor, Show* show) {
  cursor.ExpectOneOf({"FROM", "IN"});
  show->name = cursor.ExpectPath("a table name");
  if (cursor.AcceptOneOf({"FROM", "IN"})) {
    Name database = cursor.ExpectPath("a database name");
    if (show->name->parts.size() == 1) {
      show->name->parts.insert(show->name->parts.begin(), database.parts.begin(), database.parts.end());
    }
  }
}

void TableOf(Cursor& cursor, Show* show) {
  show->name = cursor.ExpectPath("a table name");
  if (cursor.Accept("PARTITION")) show->partition = cursor.ExpectPartitionSpec();
  if (show->what != Show::What::kTableProperties || !cursor.Peek().IsOperator("(")) return;
  std::vector<std::string> keys = cursor.ExpectOptionKeys();
  if (keys.size() != 1) throw cursor.Expected("one property name");
  show->pattern = keys.front();
}

Show ShowCreate(Cursor& cursor) {
  Show show;
  std::string_view what = cursor.ExpectOneOf({"TABLE", "VIEW", "DATABASE", "SCHEMA", "CATALOG"});
  show.what = what == "TABLE"     ? Show::What::kCreateTable
              : what == "VIEW"    ? Show::What::kCreateView
              : what == "CATALOG" ? Show::What::kCreateCatalog
                                  : Show::What::kCreateDatabase;
  show.name = cursor.ExpectPath("a name");
  cursor.AcceptSequence({"AS", "SERDE"});
  return show;
}

Show ShowCurrent(Cursor& cursor) {
  Show show;
  std::string_view what = cursor.ExpectOneOf({"CATALOG", "DATABASE", "NAMESPACE", "SCHEMA"});
  show.what = what == "CATALOG" ? Show::What::kCurrentCatalog : Show::What::kCurrentDatabase;
  return show;
}

Show ShowExtended(Cursor& cursor) {
  Show show;
  show.what = Show::What::kTableExtended;
  AcceptDatabase(cursor, &show);
  cursor.Expect("LIKE");
  show.pattern = cursor.ExpectString("a pattern");
  if (cursor.Accept("PARTITION")) show.partition = cursor.ExpectPartitionSpec();
  return show;
}

Error UnknownSubject(const Cursor& cursor) {
  std::vector<std::string> known = {"CREATE", "CURRENT"};
  for (const Subject& subject : kSubjects) known.emplace_back(subject.word);
  return SyntaxError(
      cursor.source(), cursor.Peek().range.begin,
      fmt::format("cannot show '{}'{}", cursor.Peek().text, DidYouMean(ToUpper(cursor.Peek().text), known)));
}

}  // namespace

StatementBody ParseShow(Cursor& cursor) {
  // The engine's own.
  if (cursor.Peek(1).IsWord("ALL")) return ParseEngineStatement(cursor, Query::Kind::kOther);
  cursor.Expect("SHOW");
  if (cursor.Accept("CREATE")) return ShowCreate(cursor);
  if (cursor.Accept("CURRENT")) return ShowCurrent(cursor);
  if (cursor.AcceptSequence({"TABLE", "EXTENDED"})) return ShowExtended(cursor);
  cursor.AcceptOneOf({"USER", "SYSTEM", "EXTENDED"});
  for (const Subject& subject : kSubjects) {
    if (!cursor.Accept(subject.word)) continue;
    Show show;
    show.what = subject.what;
    if (subject.takes == Subject::Takes::kTable) TableOf(cursor, &show);
    if (subject.takes == Subject::Takes::kColumnsOf) ColumnsOf(cursor, &show);
    if (subject.takes == Subject::Takes::kDatabase) AcceptDatabase(cursor, &show);
    if (subject.takes != Subject::Takes::kTable) AcceptPattern(cursor, &show);
    return show;
  }
  if (cursor.AtEnd()) throw cursor.Expected("what to show, such as TABLES");
  throw UnknownSubject(cursor);
}

StatementBody ParseDescribe(Cursor& cursor) {
  cursor.ExpectOneOf({"DESCRIBE", "DESC"});
  Describe describe;
  const bool said = cursor.At("QUERY") && (cursor.Peek(1).IsName() || cursor.Peek(1).IsOperator("("));
  if (said) cursor.Next();
  const bool query = said || cursor.Peek().IsOperator("(") || cursor.At("SELECT") || cursor.At("WITH") ||
                     cursor.At("VALUES") || cursor.At("FROM");
  if (query) {
    describe.what = Describe::What::kQuery;
    describe.query = TakeQuery(cursor);
    return describe;
  }
  const bool function = cursor.At("FUNCTION") && cursor.Peek(1).kind != TokenKind::kEnd;
  if (function) {
    cursor.Next();
    describe.what = Describe::What::kFunction;
    if (cursor.Peek(1).kind != TokenKind::kEnd) describe.extended = cursor.Accept("EXTENDED");
    const bool symbol = cursor.Peek().kind == TokenKind::kOperator || cursor.AtString();
    describe.name = symbol ? Name{{TextOf(cursor.Peek(), cursor.dialect())}, cursor.Peek().range}
                           : cursor.ExpectPath("the name of a function");
    if (symbol) cursor.Next();
    return describe;
  }
  bool more = cursor.Peek(1).IsName();
  if (more) {
    if (auto what = cursor.AcceptOneOf({"DATABASE", "SCHEMA", "NAMESPACE", "CATALOG"})) {
      describe.what = *what == "CATALOG" ? Describe::What::kCatalog : Describe::What::kDatabase;
    } else {
      cursor.Accept("TABLE");
    }
  }
  if (cursor.Peek(1).IsName()) describe.extended = cursor.AcceptOneOf({"EXTENDED", "FORMATTED"}).has_value();
  describe.name = cursor.ExpectPath("a table name");
  if (describe.what != Describe::What::kTable) return describe;
  if (cursor.Accept("PARTITION")) describe.partition = cursor.ExpectPartitionSpec();
  if (cursor.AtName()) describe.column = cursor.ExpectPath("a column name").parts;
  return describe;
}

StatementBody ParseAnalyze(Cursor& cursor) {
  // Bare ANALYZE is the engine's own.
  if (cursor.Peek(1).kind == TokenKind::kEnd || cursor.Peek(1).kind == TokenKind::kSemicolon) {
    return ParseEngineStatement(cursor, Query::Kind::kOther);
  }
  cursor.Expect("ANALYZE");
  cursor.Expect("TABLE");
  Analyze analyze;
  analyze.name = cursor.ExpectPath("a table name");
  if (cursor.Accept("PARTITION")) analyze.partition = cursor.ExpectPartitionSpec();
  cursor.Expect("COMPUTE");
  cursor.Expect("STATISTICS");
  if (cursor.Accept("NOSCAN")) {
    analyze.no_scan = true;
  } else if (cursor.AcceptSequence({"FOR", "ALL", "COLUMNS"})) {
    analyze.all_columns = true;
  } else if (cursor.Accept("FOR")) {
    cursor.Expect("COLUMNS");
    do {
      analyze.columns.push_back(cursor.ExpectName("a column name"));
    } while (cursor.AcceptOperator(","));
  }
  return analyze;
}

StatementBody ParseCache(Cursor& cursor) {
  using Action = Cache::Action;
  Cache cache;
  const std::string_view word = cursor.ExpectOneOf({"CACHE", "UNCACHE", "CLEAR"});
  if (word == "CLEAR") {
    cursor.Expect("CACHE");
    return cache;
  }
  cache.action = word == "CACHE" ? Action::kCache : Action::kUncache;
  if (cache.action == Action::kCache) cursor.Accept("LAZY");
  cursor.Expect("TABLE");
  if (cache.action == Action::kUncache) cache.if_exists = cursor.AcceptSequence({"IF", "EXISTS"});
  cache.name = cursor.ExpectPath("a table name");
  if (cache.action == Action::kUncache) return cache;
  if (cursor.Accept("OPTIONS")) cursor.ExpectOptions();
  const bool query = cursor.Accept("AS") || cursor.At("SELECT") || cursor.At("WITH") || cursor.At("VALUES");
  if (query) cache.query = TakeQuery(cursor);
  return cache;
}

StatementBody ParseRefresh(Cursor& cursor) {
  cursor.Expect("REFRESH");
  cursor.Accept("TABLE");
  return Refresh{cursor.ExpectPath("a table name")};
}

}  // namespace mica::dialect
