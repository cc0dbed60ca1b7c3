// What the shell offers at the end of a line: beginnings of statements, procedures and their arguments, options, databases,
// tables, columns. Nothing is read but the catalog, and nothing here fails.
#include <set>

#include "base/text.h"
#include "dialect/statement_list.h"
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
};
constexpr std::string_view kSeparators = " \t\n(,.;=<>+-*/'\"`";

// The fixed words that a syntax begins with: "SHOW TABLES" of "SHOW TABLES [IN db]".
std::string Beginning(std::string_view syntax) {
  size_t end = 0;
  while (end < syntax.size() && ((syntax[end] >= 'A' && syntax[end] <= 'Z') || syntax[end] == ' ')) ++end;
  // A word that goes on in small letters is a name.
  if (end < syntax.size() && syntax[end] >= 'a' && syntax[end] <= 'z' && end > 0 && syntax[end - 1] != ' ') {
    while (end > 0 && syntax[end - 1] != ' ') --end;
  }
  return std::string(Trim(syntax.substr(0, end)));
}

class Line {
 public:
  explicit Line(const std::string& text) : text_(text) {
    size_t at = text.find_last_of(kSeparators);
    start_ = at == std::string::npos ? 0 : at + 1;
    size_t semicolon = text.rfind(';', start_ == 0 ? std::string::npos : start_ - 1);
    statement_ = semicolon == std::string::npos ? 0 : semicolon + 1;
    while (statement_ < text.size() && (text[statement_] == ' ' || text[statement_] == '\n')) ++statement_;
  }

  size_t start() const { return start_; }
  std::string_view prefix() const { return std::string_view(text_).substr(start_); }
  // All words of the statement so far.
  std::string_view statement() const { return std::string_view(text_).substr(statement_); }
  size_t statement_start() const { return statement_; }
  // The name before the dot that the prefix follows.
  std::optional<std::string> before_dot() const {
    if (start_ == 0 || text_[start_ - 1] != '.') return std::nullopt;
    size_t word = start_ >= 2 ? text_.find_last_of(" \t\n(,;=<>+-*/'\"", start_ - 2) : std::string::npos;
    word = word == std::string::npos ? 0 : word + 1;
    std::string name = text_.substr(word, start_ - 1 - word);
    std::erase(name, '`');
    return name;
  }
  // The procedure whose open parenthesis the end of the line is in.
  const Procedure* procedure() const {
    size_t open = text_.rfind('(');
    if (open == std::string::npos || text_.find(')', open) != std::string::npos || !Begins("CALL ")) return nullptr;
    size_t dot = text_.rfind('.', open);
    if (dot == std::string::npos) return nullptr;
    std::string_view name = Trim(std::string_view(text_).substr(dot + 1, open - dot - 1));
    for (const Procedure& procedure : Procedures()) {
      if (EqualsIgnoreCase(procedure.name, name)) return &procedure;
    }
    return nullptr;
  }
  bool Begins(std::string_view words) const { return EqualsIgnoreCase(statement().substr(0, words.size()), words); }
  bool Names(const std::string& name) const {
    size_t at = text_.find(name);
    return at != std::string::npos && at + name.size() < start_;
  }

 private:
  const std::string& text_;
  size_t start_ = 0;
  size_t statement_ = 0;
};

class Offers {
 public:
  void Add(std::string_view text, std::string_view prefix, size_t start) {
    if (text.size() < prefix.size() || !EqualsIgnoreCase(text.substr(0, prefix.size()), prefix)) return;
    if (seen_.emplace(text).second) offers_.push_back(Completion{std::string(text), start});
  }
  std::vector<Completion> Take() { return std::move(offers_); }

 private:
  std::set<std::string, std::less<>> seen_;
  std::vector<Completion> offers_;
};

void OfferColumns(Catalog& catalog, const TableName& table, const Line& line, Offers& offers) {
  TablePtr found = catalog.GetTable(table);
  for (const DataField& field : found->schema().fields) offers.Add(field.name, line.prefix(), line.start());
}

void OfferAfterDot(Catalog& catalog, const std::string& database, const std::string& name, const Line& line, Offers& offers) {
  size_t dot = name.rfind('.');
  std::string last = dot == std::string::npos ? name : name.substr(dot + 1);
  if (EqualsIgnoreCase(last, "sys")) {
    for (const Procedure& procedure : Procedures()) offers.Add(procedure.name, line.prefix(), line.start());
  } else if (catalog.DatabaseExists(last)) {
    for (const std::string& table : catalog.ListTables(last)) offers.Add(table, line.prefix(), line.start());
  } else if (catalog.TableExists(TableName{database, last})) {
    OfferColumns(catalog, TableName{database, last}, line, offers);
  }
}

void OfferNames(Catalog& catalog, const std::string& current, const Line& line, Offers& offers) {
  for (const std::string& table : catalog.ListTables(current)) {
    if (line.Names(table)) OfferColumns(catalog, TableName{current, table}, line, offers);
    offers.Add(table, line.prefix(), line.start());
  }
  for (const std::string& database : catalog.ListDatabases()) offers.Add(database, line.prefix(), line.start());
}

// Inside of quotes: keys of options, and tables for the arguments of procedures.
void OfferQuoted(Catalog& catalog, const std::string& database, std::string_view inside, size_t start, Offers& offers) {
  if (inside.empty()) return;
  for (const OptionInfo& option : KnownOptions()) offers.Add(option.key, inside, start);
  for (const std::string& table : catalog.ListTables(database)) offers.Add(table, inside, start);
}

}  // namespace

std::vector<Completion> Session::Complete(const std::string& text) {
  Line line(text);
  Offers offers;
  try {
    if (std::count(text.begin(), text.end(), '\'') % 2 == 1) {
      size_t start = text.rfind('\'') + 1;
      OfferQuoted(catalog(), current_database(), std::string_view(text).substr(start), start, offers);
      return offers.Take();
    }
    if (auto name = line.before_dot()) {
      OfferAfterDot(catalog(), current_database(), *name, line, offers);
      return offers.Take();
    }
    if (const Procedure* procedure = line.procedure()) {
      for (const ProcedureArgument& argument : procedure->arguments) {
        offers.Add(argument.name + " => ", line.prefix(), line.start());
      }
    }
    OfferNames(catalog(), current_database(), line, offers);
  } catch (const std::exception&) {
    // Completion never disturbs the line.
  }
  // The rest of a beginning of which the words before are there already.
  std::string_view said = line.statement().substr(0, line.start() - line.statement_start());
  for (const dialect::StatementInfo& statement : dialect::Statements()) {
    std::string beginning = Beginning(statement.syntax);
    if (beginning.size() > said.size() && EqualsIgnoreCase(std::string_view(beginning).substr(0, said.size()), said)) {
      offers.Add(std::string_view(beginning).substr(said.size()), line.prefix(), line.start());
    }
  }
  if (line.Begins("CALL ")) offers.Add("sys.", line.prefix(), line.start());
  if (!said.empty()) {
    for (std::string_view word : kWords) offers.Add(word, line.prefix(), line.start());
  }
  return offers.Take();
}

}  // namespace mica::sql
