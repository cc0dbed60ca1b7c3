// A session over one DuckDB: turns statements into catalog calls or DuckDB queries. Everything is declared here; session.cc
// opens and runs, ddl.cc changes tables and databases, settings.cc sets, show.cc looks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dialect/parser.h"
#include "procedures/sql_session.h"
#include "sql/changed_table.h"
#include "sql/merge_source.h"
#include "sql/result.h"
#include "sql/session_state.h"

namespace mica::sql {

struct KnownView;

class Session final : public SqlSession {
 public:
  explicit Session(const SessionSettings& settings);
  ~Session() override;

  std::vector<std::string> Split(std::string_view text, bool* complete) override;
  std::unique_ptr<SqlResult> Run(const std::string& statement) override;
  void Interrupt() override;
  std::optional<double> Progress() override;
  std::vector<Completion> Complete(const std::string& line) override;
  std::string current_database() override { return state_->current_database; }
  Catalog& catalog() override { return *state_->catalog; }
  bool autocommit() override;

 private:
  using ResultPtr = std::unique_ptr<SqlResult>;

  void Open();
  void ApplySearchPath();
  void SetSearchPath(const std::string& catalog_name, const std::string& database);
  // Makes a registered catalog known to the engine.
  void Attach(const std::string& catalog_name);
  void UseDatabase(const DatabaseAddress& address);
  dialect::Dialect dialect() const;
  dialect::TypeRules type_rules() const;

  ResultPtr RunParsed(const dialect::Statement& statement);
  // Text that DuckDB runs; `rows` false throws the rows away and keeps the count.
  ResultPtr RunText(const std::string& sql, bool rows, bool plain = false);
  duckdb::unique_ptr<duckdb::QueryResult> Send(const std::string& sql, bool writes = false);
  duckdb::unique_ptr<duckdb::QueryResult> Write(const std::string& sql);
  // PIVOT comes apart into several statements, of which the last one gives or writes the rows.
  duckdb::unique_ptr<duckdb::SQLStatement> RunUpToLast(const std::string& sql);
  [[noreturn]] void Fail(const duckdb::ErrorData& error, const std::string& sql = {});

  ResultPtr Execute(const dialect::Query& query);
  ResultPtr Execute(const dialect::Insert& insert);
  ResultPtr Execute(const dialect::Update& update);
  ResultPtr Execute(const dialect::Delete& body);
  ResultPtr Execute(const dialect::Merge& merge);
  ResultPtr Execute(const dialect::Truncate& truncate);
  ResultPtr Execute(const dialect::Call& call);
  ResultPtr Execute(const dialect::CreateTable& create);
  ResultPtr Execute(const dialect::DropTable& drop);
  ResultPtr Execute(const dialect::AlterTable& alter);
  ResultPtr Execute(const dialect::AlterTag& alter);
  ResultPtr Execute(const dialect::CreateView& create);
  ResultPtr Execute(const dialect::DropView& drop);
  ResultPtr Execute(const dialect::CreateDatabase& create);
  ResultPtr Execute(const dialect::DropDatabase& drop);
  ResultPtr Execute(const dialect::AlterDatabase& alter);
  ResultPtr Execute(const dialect::CreateCatalog& create);
  ResultPtr Execute(const dialect::DropCatalog& drop);
  ResultPtr Execute(const dialect::Use& use);
  ResultPtr Execute(const dialect::Set& set);
  ResultPtr Execute(const dialect::Reset& reset);
  ResultPtr Execute(const dialect::Show& show);
  ResultPtr Execute(const dialect::Describe& describe);
  ResultPtr Execute(const dialect::Explain& explain);
  ResultPtr Execute(const dialect::Analyze& analyze);
  ResultPtr Execute(const dialect::Refresh& refresh);
  ResultPtr Execute(const dialect::Cache& cache);
  ResultPtr Execute(const dialect::Transaction& transaction);
  ResultPtr CommitTransaction();

  // Brings the query's new columns to the table when its options say so.
  void MergeSchema(const dialect::Insert& insert);
  // INSERT as DuckDB's text; what DuckDB cannot say goes into the session's write request.
  std::string PrepareInsert(const dialect::Insert& insert);
  // The table that a statement changes: readable at its latest snapshot, and writable.
  ChangedTable OpenChanged(const dialect::Name& name, const std::optional<std::string>& alias);
  // UPDATE, DELETE and MERGE INTO as an INSERT of changed rows (changed_table.h). Everything is checked, nothing is changed.
  std::string PrepareUpdate(const dialect::Update& update);
  std::string PrepareDelete(const dialect::Delete& body);
  std::string PrepareMerge(const dialect::Merge& merge);
  std::string ChangesText(const ChangedTable& target, const std::string& query);
  // Whether the rows to delete are whole partitions, which then are dropped.
  bool DropsPartitions(const dialect::Delete& body);
  MergeSource SourceOf(const dialect::Merge& merge, const ChangedTable& target);
  // Throws InvalidArgument when a row of a primary-key table matches several rows of the source.
  void CheckMatchesOnce(const dialect::Merge& merge);
  // Runs something that takes several queries, so that all see one state.
  ResultPtr InTransaction(const std::function<ResultPtr()>& run);
  TableDefinition DefinitionOf(const dialect::CreateTable& create);
  void TakeColumns(const dialect::QueryText& query, TableDefinition* definition);
  ResultPtr ReplaceTable(const dialect::CreateTable& create, const TableAddress& address, const TableDefinition& definition);
  std::vector<DataField> FieldsOfView(const dialect::CreateView& create, const DatabaseAddress& address);
  ResultPtr CreateViewOf(const TableAddress& address);
  std::vector<std::string> TemporaryViews();  // ascending
  bool IsTemporaryView(const std::string& name);
  std::optional<KnownView> ViewNamed(const dialect::Name& name);  // a temporary one first
  ResultPtr AllSettings();
  ResultPtr OneSetting(const std::string& key);
  void ApplySetting(const std::string& key, const std::string& value);
  void SetCatalogOption(const std::string& key, const std::string& value);
  std::string DefaultText(const dialect::Expression& expression, const DataField& field);
  void ApplyMemory(int64_t bytes);

  // catalog.database.table or fewer parts; what is left out is the current one. Throws NotFound for an unknown catalog.
  TableAddress Resolve(const dialect::Name& name) const;
  DatabaseAddress ResolveDatabase(const dialect::Name& name) const;
  ResultPtr DescribeQuery(const dialect::QueryText& query);
  ResultPtr DescribeFunction(const std::string& name, bool extended);
  DatabaseAddress CurrentDatabase() const;
  // Statements that change metadata commit at once, so they have no place in a transaction.
  void RefuseInTransaction(std::string_view statement);
  ResultPtr Texts(const std::vector<std::string>& columns, const std::vector<TextRow>& rows, bool plain = false);
  CommitSettings NewCommitSettings(Catalog& catalog) const;

  duckdb::unique_ptr<duckdb::DuckDB> database_;
  duckdb::unique_ptr<duckdb::Connection> connection_;
  duckdb::shared_ptr<SessionState> state_;
  int64_t memory_bytes_ = 0;
  // What RESET goes back to.
  struct {
    std::string dialect;
    int64_t memory_bytes = 0;
  } start_;
  std::optional<int32_t> threads_;
};

// Values of secrets do not appear in what is shown.
std::string Masked(const std::string& key, const std::string& value);
// CREATE TABLE that makes an equal table; of an external one with the place of its files.
std::string CreateTableText(const Table& table, const std::string& dialect, bool external);
// A spec of literals as values; NULL for the default name. Every column has to be one of the partition's.
std::map<std::string, Value> PartitionValues(const Table& table, const dialect::PartitionSpec& spec);
bool LikeMatches(std::string_view pattern, std::string_view text);

}  // namespace mica::sql
