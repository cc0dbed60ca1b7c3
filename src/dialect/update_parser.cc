#include <algorithm>
#include <unordered_set>

#include "base/text.h"
#include "dialect/keywords.h"
#include "dialect/query_rewriter.h"
#include "dialect/statement_parsers.h"

namespace mica::dialect {
namespace {

size_t End(const Cursor& cursor) {
  return cursor.tokens().size() - 1;
}

// One column of SET and its new value.
struct Assignment {
  std::string column;
  std::string value;
};

// Writes SET lists for the engine, which knows only plain columns on the left: t.a = 1 becomes a = 1, and s.x = 1
// becomes s = struct_update(s, x := 1).
class AssignmentRewriter {
 public:
  AssignmentRewriter(Cursor& cursor, const Name& target, const std::optional<std::string>& alias)
      : cursor_(cursor), target_(target), alias_(alias) {}

  // From the token after SET to the end of the list.
  std::string Take(std::initializer_list<std::string_view> stops) {
    assignments_.clear();
    assigned_.clear();
    do {
      Name left = cursor_.ExpectPath("a column name");
      cursor_.ExpectOperator("=");
      Expression right = TakeExpression(cursor_, stops);
      Assign(WithoutTable(left), right.sql, left.range.begin);
    } while (cursor_.AcceptOperator(","));
    std::string out;
    for (const Assignment& assignment : assignments_) {
      out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", QuoteName(assignment.column), assignment.value);
    }
    return out;
  }

 private:
  // The column and the fields in it: the name of the table in front is taken off.
  std::vector<std::string> WithoutTable(const Name& left) const {
    std::vector<std::string> qualifier = alias_ ? std::vector<std::string>{*alias_} : target_.parts;
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

  void Assign(const std::vector<std::string>& path, const std::string& value, size_t at) {
    constexpr size_t kMaxFields = 16;
    if (path.size() > kMaxFields) throw UnsupportedAt(cursor_.source(), at, "fields nested this deep");
    if (!assigned_.insert(ToLower(path.front())).second) {
      throw path.size() == 1
          ? SyntaxError(cursor_.source(), at, fmt::format("column '{}' is assigned twice", path.front()))
          : UnsupportedAt(cursor_.source(), at, "two assignments inside one column. Assign the whole column");
    }
    assignments_.push_back({path.front(), FieldValue(path, 1, value)});
  }

  // The column with one field changed: struct_update(s, x := struct_update(s.x, y := value)).
  static std::string FieldValue(const std::vector<std::string>& path, size_t depth, const std::string& value) {
    if (depth == path.size()) return value;
    std::string holder;
    for (size_t i = 0; i < depth; ++i) holder += (i == 0 ? "" : ".") + QuoteName(path[i]);
    return fmt::format("struct_update({}, {} := {})", holder, QuoteName(path[depth]),
                       FieldValue(path, depth + 1, value));
  }

  Cursor& cursor_;
  const Name& target_;
  const std::optional<std::string>& alias_;
  std::vector<Assignment> assignments_;
  std::unordered_set<std::string> assigned_;
};

std::optional<std::string> AcceptAlias(Cursor& cursor) {
  if (cursor.Accept("AS")) return cursor.ExpectName("an alias");
  if (!cursor.AtName() || (cursor.Peek().kind == TokenKind::kWord && IsReservedWord(cursor.Peek().text)))
    return std::nullopt;
  return cursor.ExpectName("an alias");
}

// A SET list from here on has a left side that the engine cannot read.
bool NeedsRewriting(const Cursor& cursor) {
  size_t depth = 0;
  bool left = true;  // at the start of an assignment
  for (size_t i = cursor.position(); i < End(cursor); ++i) {
    const Token& token = cursor.tokens()[i];
    if (depth == 0 && left && i + 1 < End(cursor) && cursor.tokens()[i + 1].IsOperator(".")) return true;
    left = depth == 0 && token.IsOperator(",");
    if (token.IsOperator("(")) ++depth;
    if (token.IsOperator(")") && depth-- == 0) return false;
    bool stops = token.IsWord("WHERE") || token.IsWord("WHEN") || token.IsWord("FROM") || token.IsWord("SET");
    if (depth == 0 && stops) return false;
  }
  return false;
}

// Collects the text of the statement: the parts copied as they are, and the SET lists written anew.
class StatementWriter {
 public:
  StatementWriter(const Cursor& cursor, size_t begin, size_t target_end)
      : cursor_(cursor), from_(begin), target_end_(target_end) {}

  void Insert(size_t begin, size_t end, const std::string& text) {
    sql_ += RewriteQuery(cursor_, from_, begin, Target(begin)) + " " + text + " ";
    from_ = end;
  }
  std::string Finish() { return sql_ + RewriteQuery(cursor_, from_, End(cursor_), Target(End(cursor_))); }

 private:
  std::optional<size_t> Target(size_t end) const {
    if (from_ < target_end_ && target_end_ <= end) return target_end_;
    return std::nullopt;
  }

  const Cursor& cursor_;
  size_t from_;
  size_t target_end_;
  std::string sql_;
};

// The rest of the statement: every SET list in it, up to `stops`, is brought into the engine's form.
Query Finish(Cursor& cursor, size_t begin, Query::Kind kind, std::initializer_list<std::string_view> stops) {
  Query query;
  query.kind = kind;
  query.target = cursor.ExpectPath("a table name");
  StatementWriter writer(cursor, begin, cursor.position());
  cursor.AcceptHints();
  std::optional<std::string> alias = AcceptAlias(cursor);
  AssignmentRewriter assignments(cursor, *query.target, alias);
  size_t depth = 0;
  while (!cursor.AtEnd()) {
    const Token& token = cursor.Next();
    if (token.IsOperator("(")) ++depth;
    if (token.IsOperator(")") && depth > 0) --depth;
    bool set = depth == 0 && token.IsWord("SET") && kind != Query::Kind::kDelete && NeedsRewriting(cursor);
    if (!set) continue;
    size_t list = cursor.position();
    std::string text = assignments.Take(stops);
    writer.Insert(list, cursor.position(), text);
  }
  query.query = {writer.Finish(), std::string(cursor.Text(begin, End(cursor)))};
  return query;
}

}  // namespace

StatementBody ParseUpdate(Cursor& cursor, size_t begin) {
  cursor.Expect("UPDATE");
  return Finish(cursor, begin, Query::Kind::kUpdate, {"WHERE", "FROM", "RETURNING"});
}

StatementBody ParseDelete(Cursor& cursor, size_t begin) {
  cursor.Expect("DELETE");
  cursor.Expect("FROM");
  return Finish(cursor, begin, Query::Kind::kDelete, {});
}

StatementBody ParseMerge(Cursor& cursor, size_t begin) {
  cursor.Expect("MERGE");
  cursor.Expect("INTO");
  return Finish(cursor, begin, Query::Kind::kMerge, {"WHEN", "RETURNING"});
}

}  // namespace mica::dialect
