#include <algorithm>

#include "base/text.h"
#include "dialect/keywords.h"
#include "dialect/query_rewriter.h"
#include "dialect/statement_parsers.h"
#include "dialect/table_clause.h"

namespace mica::dialect {
namespace {

// The changed table with its alias, and the WITH before the statement.
template <typename Body>
void TakeTarget(Cursor& cursor, size_t with_begin, size_t with_end, Body* body) {
  if (with_begin < with_end) body->with = RewriteQuery(cursor, with_begin, with_end) + "\n";
  body->target = cursor.ExpectPath("a table name");
  if (!ParseTableClause(TokenSlice(cursor, cursor.position(), cursor.tokens().size() - 1), cursor.position()).empty()) {
    throw cursor.UnsupportedHere("options or time travel on the table that is changed");
  }
  cursor.AcceptHints();
  if (cursor.Accept("AS")) {
    body->alias = cursor.ExpectName("an alias");
  } else if (cursor.AtName() && !(cursor.Peek().kind == TokenKind::kWord && IsReservedWord(cursor.Peek().text))) {
    body->alias = cursor.ExpectName("an alias");
  }
}

// The column and the fields in it: the name of the table in front is taken off.
ColumnPath WithoutTable(const Name& left, const Name& target, const std::optional<std::string>& alias) {
  std::vector<std::string> qualifier = alias ? std::vector<std::string>{*alias} : target.parts;
  for (size_t skip = 0; skip < qualifier.size(); ++skip) {
    size_t count = qualifier.size() - skip;
    bool matches =
        left.parts.size() > count &&
        std::equal(qualifier.begin() + static_cast<std::ptrdiff_t>(skip), qualifier.end(), left.parts.begin(),
                   [](const std::string& a, const std::string& b) { return EqualsIgnoreCase(a, b); });
    if (matches) return {left.parts.begin() + static_cast<std::ptrdiff_t>(count), left.parts.end()};
  }
  return left.parts;
}

// Whether one of the two names the other or something inside of it.
bool Overlap(const ColumnPath& a, const ColumnPath& b) {
  return std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin(),
                    [](const std::string& x, const std::string& y) { return EqualsIgnoreCase(x, y); });
}

template <typename Body>
std::vector<Assignment> TakeAssignments(Cursor& cursor, const Body& body,
                                        std::initializer_list<std::string_view> stops) {
  constexpr size_t kMaxFields = 16;
  std::vector<Assignment> assignments;
  do {
    Name left = cursor.ExpectPath("a column name");
    Assignment assignment;
    assignment.path = WithoutTable(left, body.target, body.alias);
    if (assignment.path.size() > kMaxFields) {
      throw UnsupportedAt(cursor.source(), left.range.begin, "fields nested this deep");
    }
    for (const Assignment& other : assignments) {
      if (!Overlap(assignment.path, other.path)) continue;
      throw SyntaxError(cursor.source(), left.range.begin,
                        fmt::format("column '{}' is assigned twice", Join(assignment.path, ".")));
    }
    cursor.ExpectOperator("=");
    assignment.value = TakeExpression(cursor, stops);
    assignments.push_back(std::move(assignment));
  } while (cursor.AcceptOperator(","));
  return assignments;
}

void TakeWhere(Cursor& cursor, std::optional<Expression>* where) {
  if (cursor.Accept("WHERE")) *where = TakeExpression(cursor, {"RETURNING"});
  if (cursor.At("RETURNING")) throw cursor.UnsupportedHere("RETURNING. Query the table before or after");
}

MergeClause TakeClause(Cursor& cursor, const Merge& merge) {
  using When = MergeClause::When;
  using Action = MergeClause::Action;
  MergeClause clause;
  cursor.Expect("WHEN");
  if (cursor.Accept("NOT")) {
    cursor.Expect("MATCHED");
    clause.when = When::kNotMatched;
    if (cursor.Accept("BY")) {
      if (cursor.ExpectOneOf({"SOURCE", "TARGET"}) == "SOURCE") clause.when = When::kNotMatchedBySource;
    }
  } else {
    cursor.Expect("MATCHED");
  }
  if (cursor.Accept("AND")) clause.condition = TakeExpression(cursor, {"THEN"});
  cursor.Expect("THEN");
  if (clause.when == When::kNotMatched) {
    cursor.Expect("INSERT");
    if (cursor.AcceptOperator("*")) {
      clause.action = Action::kInsertAll;
      return clause;
    }
    clause.action = Action::kInsert;
    if (cursor.Peek().IsOperator("(")) {
      cursor.Next();
      do {
        Name left = cursor.ExpectPath("a column name");
        ColumnPath path = WithoutTable(left, merge.target, merge.alias);
        if (path.size() > 1) throw UnsupportedAt(cursor.source(), left.range.begin, "INSERT of a nested field");
        clause.columns.push_back(path.front());
      } while (cursor.AcceptOperator(","));
      cursor.ExpectOperator(")");
    }
    cursor.Expect("VALUES");
    cursor.ExpectOperator("(");
    do {
      clause.values.push_back(TakeExpression(cursor, {}));
    } while (cursor.AcceptOperator(","));
    cursor.ExpectOperator(")");
    return clause;
  }
  if (cursor.Accept("DELETE")) return clause;
  if (!cursor.Accept("UPDATE")) throw cursor.Expected("UPDATE or DELETE");
  cursor.Expect("SET");
  if (cursor.AcceptOperator("*")) {
    if (clause.when == When::kNotMatchedBySource) {
      throw cursor.UnsupportedHere("UPDATE SET * without a source row. Name the columns");
    }
    clause.action = Action::kUpdateAll;
    return clause;
  }
  clause.action = Action::kUpdate;
  clause.assignments = TakeAssignments(cursor, merge, {"WHEN", "RETURNING"});
  return clause;
}

}  // namespace

StatementBody ParseUpdate(Cursor& cursor, size_t begin) {
  Update update;
  size_t with_end = cursor.position();
  cursor.Expect("UPDATE");
  TakeTarget(cursor, begin, with_end, &update);
  cursor.Expect("SET");
  update.assignments = TakeAssignments(cursor, update, {"WHERE", "FROM", "RETURNING"});
  if (cursor.At("FROM")) throw cursor.UnsupportedHere("UPDATE with FROM. Use MERGE INTO");
  TakeWhere(cursor, &update.where);
  return update;
}

StatementBody ParseDelete(Cursor& cursor, size_t begin) {
  Delete body;
  size_t with_end = cursor.position();
  cursor.Expect("DELETE");
  cursor.Expect("FROM");
  TakeTarget(cursor, begin, with_end, &body);
  if (cursor.At("USING")) throw cursor.UnsupportedHere("DELETE with USING. Use MERGE INTO, or a subquery in WHERE");
  TakeWhere(cursor, &body.where);
  return body;
}

StatementBody ParseMerge(Cursor& cursor, size_t begin) {
  Merge merge;
  size_t with_end = cursor.position();
  cursor.Expect("MERGE");
  cursor.Expect("INTO");
  TakeTarget(cursor, begin, with_end, &merge);
  cursor.Expect("USING");
  size_t source_begin = cursor.position();
  cursor.SkipExpression({"ON"});
  merge.source = {RewriteQuery(cursor, source_begin, cursor.position()),
                  std::string(cursor.Text(source_begin, cursor.position()))};
  cursor.Expect("ON");
  merge.on = TakeExpression(cursor, {"WHEN"});
  do {
    merge.clauses.push_back(TakeClause(cursor, merge));
    if (cursor.At("RETURNING")) throw cursor.UnsupportedHere("RETURNING. Query the table before or after");
  } while (!cursor.AtEnd());
  return merge;
}

}  // namespace mica::dialect
