// What the shell offers at the end of a line: beginnings of statements, procedures and their arguments, options, databases,
// tables, columns. Nothing is read but the catalog, and nothing here fails.
#include <set>

#include "base/text.h"
#include "dialect/keywords.h"
#include "dialect/statement_beginnings.h"
#include "dialect/statement_list.h"
#include "dialect/tokenizer.h"
#include "meta/option_list.h"
#include "procedures/registry.h"
#include "sql/session.h"

namespace mica::sql {

namespace {

constexpr std::string_view kWords[] = {
    "FROM", "WHERE", "GROUP BY", "ORDER BY", "HAVING", "LIMIT", "JOIN", "LEFT JOIN", "ON", "AND", "OR", "NOT", "NULL", "IN",
    "BETWEEN", "LIKE", "DISTINCT", "COUNT(*)", "VALUES", "PARTITION", "PARTITIONED BY", "TBLPROPERTIES", "WITH", "COMMENT",
    "NOT NULL", "DEFAULT", "PRIMARY KEY", "VERSION AS OF", "TIMESTAMP AS OF", "ADD COLUMN", "RENAME COLUMN", "DROP COLUMN",
    "ALTER COLUMN", "SET TBLPROPERTIES", "CREATE TAG", "DELETE TAG", "COMPUTE STATISTICS", "FOR ALL COLUMNS", "EXTENDED",
    "SET", "USING", "WHEN MATCHED THEN", "WHEN NOT MATCHED THEN", "WHEN NOT MATCHED BY SOURCE THEN", "UPDATE SET", "INSERT",
};

// What is typed so far: the tokens of the last statement, and the beginning of the word at the end of the line.
class Line {
 public:
  Line(const std::string& text, dialect::Dialect dialect) : text_(text), tokens_(dialect::Tokenize(text, dialect)) {
    std::vector<dialect::Token>& list = tokens_.list;
    list.pop_back();  // kEnd
    start_ = text.size();
    if (tokens_.unclosed != dialect::Unclosed::kNothing) {
      start_ = std::min(tokens_.unclosed_at + 1, text.size());
      while (!list.empty() && list.back().range.end > tokens_.unclosed_at) list.pop_back();
    } else if (!list.empty() && list.back().kind == dialect::TokenKind::kWord && list.back().range.end == text.size()) {
      start_ = list.back().range.begin;
      list.pop_back();
    }
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i].kind == dialect::TokenKind::kSemicolon) first_ = i + 1;
    }
  }

  size_t start() const { return start_; }
  std::string_view prefix() const { return std::string_view(text_).substr(start_); }
  bool in_text() const { return tokens_.unclosed == dialect::Unclosed::kString; }
  bool in_comment() const { return tokens_.unclosed == dialect::Unclosed::kComment; }
  // The statement before the word at the end.
  std::string_view said() const {
    if (first_ >= tokens_.list.size()) return {};
    size_t begin = tokens_.list[first_].range.begin;
    return std::string_view(text_).substr(begin, start_ - begin);
  }
  bool Begins(std::string_view word) const { return At(first_).IsWord(word); }

  // The names before the dot that the word at the end follows.
  std::vector<std::string> before_dot() const {
    std::vector<std::string> names;
    size_t end = tokens_.list.size();
    for (; end >= first_ + 2 && At(end - 1).IsOperator(".") && At(end - 2).IsName(); end -= 2) {
      names.insert(names.begin(), dialect::TextOf(At(end - 2), dialect::Dialect::kFlink));
    }
    return names;
  }

  // The procedure in whose brackets the end of the line is, and the arguments that are named already.
  const Procedure* procedure(std::set<std::string>* given) const {
    if (!Begins("CALL")) return nullptr;
    size_t open = first_ + 1;
    while (open < tokens_.list.size() && !At(open).IsOperator("(")) ++open;
    int depth = 0;
    for (size_t i = open; i < tokens_.list.size(); ++i) {
      depth += At(i).IsOperator("(") ? 1 : At(i).IsOperator(")") ? -1 : 0;
      if (depth == 1 && At(i).IsName() && At(i + 1).IsOperator("=>")) {
        given->insert(dialect::TextOf(At(i), dialect::Dialect::kFlink));
      }
    }
    if (depth != 1 || !At(open - 1).IsName()) return nullptr;
    for (const Procedure& procedure : Procedures()) {
      if (EqualsIgnoreCase(procedure.name, dialect::TextOf(At(open - 1), dialect::Dialect::kFlink))) return &procedure;
    }
    return nullptr;
  }

  // Every name of the statement, of one part or more, with the name that can be its alias.
  struct Path {
    dialect::Name name;
    std::string alias;
  };
  std::vector<Path> paths() const {
    std::vector<Path> result;
    for (size_t i = first_; i < tokens_.list.size() && result.size() < kMostPaths; ++i) {
      if (!At(i).IsName() || dialect::IsReservedWord(At(i).text)) continue;
      Path path;
      path.name.parts.push_back(dialect::TextOf(At(i), dialect::Dialect::kFlink));
      for (; At(i + 1).IsOperator(".") && At(i + 2).IsName(); i += 2) {
        path.name.parts.push_back(dialect::TextOf(At(i + 2), dialect::Dialect::kFlink));
      }
      size_t alias = At(i + 1).IsWord("AS") ? i + 2 : i + 1;
      if (At(alias).IsName()) path.alias = dialect::TextOf(At(alias), dialect::Dialect::kFlink);
      result.push_back(std::move(path));
    }
    return result;
  }

 private:
  // Lines of a hand are shorter.
  static constexpr size_t kMostPaths = 50;

  const dialect::Token& At(size_t i) const {
    static const dialect::Token kNothing;
    return i < tokens_.list.size() ? tokens_.list[i] : kNothing;
  }

  const std::string& text_;
  dialect::Tokens tokens_;
  size_t start_ = 0;
  size_t first_ = 0;
};

class Offers {
 public:
  explicit Offers(const Line& line) : line_(line) {}

  void Add(std::string_view text) {
    std::string_view prefix = line_.prefix();
    if (text.size() < prefix.size() || !EqualsIgnoreCase(text.substr(0, prefix.size()), prefix)) return;
    if (seen_.emplace(text).second) offers_.push_back(Completion{std::string(text), line_.start()});
  }
  void AddAll(const std::vector<std::string>& names) {
    for (const std::string& name : names) Add(name);
  }
  std::vector<Completion> Take() { return std::move(offers_); }

 private:
  const Line& line_;
  std::set<std::string, std::less<>> seen_;
  std::vector<Completion> offers_;
};

// Names of the catalogs, as far as they can be read: where one cannot be reached, others still can.
class KnownNames {
 public:
  explicit KnownNames(SessionState& state) : state_(state) {}

  std::vector<std::string> Catalogs() const { return state_.catalogs.Names(); }
  std::vector<std::string> Databases() const { return state_.catalog->ListDatabases(); }
  std::vector<std::string> TablesAndViews(Catalog& catalog, const std::string& database) const {
    std::vector<std::string> names = catalog.ListTables(database);
    for (std::string& view : catalog.ListViews(database)) names.push_back(std::move(view));
    return names;
  }
  std::vector<std::string> TablesAndViews() const { return TablesAndViews(*state_.catalog, state_.current_database); }

  // The columns of a table or view; none when the name is of neither.
  std::vector<std::string> Columns(const std::vector<std::string>& parts) const {
    std::shared_ptr<Catalog> catalog = state_.catalog;
    TableName name{state_.current_database, parts.back()};
    if (parts.size() > 3 || (parts.size() == 3 && !state_.catalogs.Contains(parts[0]))) return {};
    if (parts.size() > 1) name.database = parts[parts.size() - 2];
    if (parts.size() == 3) catalog = state_.catalogs.Get(parts[0]);
    std::vector<DataField> fields;
    if (catalog->TableExists(name)) {
      fields = catalog->GetTable(name)->schema().fields;
    } else if (auto view = catalog->FindView(name)) {
      fields = view->fields;
    }
    std::vector<std::string> names;
    for (const DataField& field : fields) names.push_back(field.name);
    return names;
  }

  // What can stand after these names and a dot.
  std::vector<std::string> After(const std::vector<std::string>& parts) const {
    if (EqualsIgnoreCase(parts.back(), "sys")) {
      std::vector<std::string> names;
      for (const Procedure& procedure : Procedures()) names.push_back(procedure.name);
      return names;
    }
    bool catalog = state_.catalogs.Contains(parts[0]);
    if (parts.size() == 1 && catalog) return state_.catalogs.Get(parts[0])->ListDatabases();
    if (parts.size() == 1 && state_.catalog->DatabaseExists(parts[0])) return TablesAndViews(*state_.catalog, parts[0]);
    if (parts.size() == 2 && catalog) return TablesAndViews(*state_.catalogs.Get(parts[0]), parts[1]);
    return Columns(parts);
  }

 private:
  SessionState& state_;
};

void OfferNames(const KnownNames& known, const Line& line, Offers& offers) {
  std::vector<std::string> before = line.before_dot();
  if (!before.empty()) offers.AddAll(known.After(before));
  for (const Line::Path& path : line.paths()) {
    // Of a name before the dot, those that the statement gives to the table count too.
    bool meant = before.empty() || (before.size() == 1 && (path.alias == before[0] || path.name.parts.back() == before[0]));
    if (meant) offers.AddAll(known.Columns(path.name.parts));
  }
  if (!before.empty()) return;
  offers.AddAll(known.TablesAndViews());
  offers.AddAll(known.Databases());
  offers.AddAll(known.Catalogs());
}

// Inside of quotes: keys of options, and tables for the arguments of procedures.
void OfferQuoted(const KnownNames& known, const Line& line, Offers& offers) {
  if (line.prefix().empty()) return;
  for (const OptionInfo& option : KnownOptions()) offers.Add(option.key);
  offers.AddAll(known.TablesAndViews());
}

// The rest of a beginning of which the words before are there already.
void OfferStatements(const Line& line, Offers& offers) {
  std::string_view said = line.said();
  for (const dialect::StatementInfo& statement : dialect::Statements()) {
    for (const std::string& beginning : dialect::Beginnings(statement.syntax)) {
      if (beginning.size() > said.size() && EqualsIgnoreCase(std::string_view(beginning).substr(0, said.size()), said)) {
        offers.Add(std::string_view(beginning).substr(said.size()));
      }
    }
  }
}

}  // namespace

std::vector<Completion> Session::Complete(const std::string& text) {
  Line line(text, dialect());
  Offers offers(line);
  if (line.in_comment()) return {};
  try {
    KnownNames known(*state_);
    if (line.in_text()) {
      OfferQuoted(known, line, offers);
      return offers.Take();
    }
    std::set<std::string> given;
    if (const Procedure* procedure = line.procedure(&given)) {
      for (const ProcedureArgument& argument : procedure->arguments) {
        if (!given.contains(argument.name)) offers.Add(argument.name + " => ");
      }
    }
    OfferNames(known, line, offers);
  } catch (const std::exception&) {
    // Completion never disturbs the line.
  }
  if (!line.before_dot().empty()) return offers.Take();
  OfferStatements(line, offers);
  if (line.Begins("CALL")) offers.Add("sys.");
  if (!line.said().empty()) {
    for (std::string_view word : kWords) offers.Add(word);
  }
  return offers.Take();
}

}  // namespace mica::sql
