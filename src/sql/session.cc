#include "sql/session.h"

#include <unistd.h>

#include <duckdb/catalog/catalog_search_path.hpp>
#include <duckdb/main/client_data.hpp>
#include <duckdb/main/extension/extension_loader.hpp>
#include <duckdb/main/valid_checker.hpp>
#include <duckdb/parser/parsed_data/create_collation_info.hpp>

#include "base/allocator.h"
#include "base/text.h"
#include "sql/attached_catalog.h"
#include "sql/duck_types.h"
#include "sql/errors.h"

namespace mica::sql {

namespace {

constexpr const char* kDuckVersion = "v1.5.6";
// How often the waiting thread looks for work that other threads made.
constexpr std::chrono::microseconds kTaskPoll(200);
// What writers may buffer by default; more does not make files bigger or writing faster.
constexpr int64_t kWriteMemory = 256 << 20;
// Below this, what is freed counts.
constexpr int64_t kSmallMemory = 512 << 20;

void WithoutTrailingBlanks(duckdb::DataChunk& arguments, duckdb::ExpressionState&, duckdb::Vector& result) {
  duckdb::UnaryExecutor::Execute<duckdb::string_t, duckdb::string_t>(
      arguments.data[0], result, arguments.size(), [&](duckdb::string_t text) {
        const char* data = text.GetData();
        size_t size = text.GetSize();
        while (size > 0 && data[size - 1] == ' ') --size;
        return duckdb::StringVector::AddString(result, data, size);
      });
}

void RegisterCharCollation(duckdb::DatabaseInstance& database) {
  duckdb::ScalarFunction function(kCharCollation, {duckdb::LogicalType::VARCHAR}, duckdb::LogicalType::VARCHAR,
                                  WithoutTrailingBlanks);
  duckdb::CreateCollationInfo info(kCharCollation, std::move(function), true, false);
  duckdb::ExtensionLoader(database, "mica").RegisterCollation(info);
}

int64_t PhysicalMemory() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<int64_t>(sysconf(_SC_PAGE_SIZE));
}

}  // namespace

Session::Session(const SessionSettings& settings) : state_(duckdb::make_shared_ptr<SessionState>()) {
  state_->catalog = settings.catalog ? settings.catalog : OpenCatalog(settings.catalog_options);
  state_->catalog_name = settings.catalog_name;
  state_->current_database = settings.database;
  state_->dialect = ToLower(settings.dialect);
  if (state_->dialect != "spark" && state_->dialect != "flink") {
    throw InvalidArgument("The dialect '{}' is not known. Use spark or flink", settings.dialect);
  }
  memory_bytes_ = settings.memory_bytes.value_or(PhysicalMemory() / 2);
  threads_ = settings.threads;
  Open();
}

Session::~Session() = default;

void Session::Open() {
  // Layouts of DuckDB's classes hold for one exact version.
  if (std::string_view(duckdb::DuckDB::LibraryVersion()) != kDuckVersion) {
    throw Internal("libduckdb.so is version {}, but {} is needed", duckdb::DuckDB::LibraryVersion(), kDuckVersion);
  }
  connection_.reset();
  database_.reset();
  duckdb::DBConfig config;
  config.options.load_extensions = false;
  config.options.maximum_memory = static_cast<duckdb::idx_t>(memory_bytes_);
  if (threads_) config.options.maximum_threads = static_cast<duckdb::idx_t>(*threads_);
  config.options.temporary_directory = fmt::format("/tmp/mica-spill-{}", getpid());
  MicaCatalog::Register(config);
  try {
    database_ = duckdb::make_uniq<duckdb::DuckDB>(nullptr, &config);
    for (const char* extension : {"core_functions", "parquet", "json", "icu"}) {
      duckdb::ExtensionHelper::LoadExtension(*database_, extension);
    }
    RegisterCharCollation(*database_->instance);
    connection_ = duckdb::make_uniq<duckdb::Connection>(*database_);
  } catch (const std::exception& error) {
    throw FromDuck(duckdb::ErrorData(error));
  }
  connection_->context->registered_state->Insert(SessionState::kKey, state_);
  ApplyMemory(memory_bytes_);
  for (const std::string& sql : {
           std::string("SET enable_progress_bar = true"), std::string("SET enable_progress_bar_print = false"),
           std::string("SET progress_bar_time = 0"), std::string("SET autoinstall_known_extensions = false"),
           std::string("SET autoload_known_extensions = false"),
           fmt::format("ATTACH '' AS {} (TYPE mica)", dialect::QuoteName(state_->catalog_name)),
       }) {
    auto result = connection_->Query(sql);
    if (result->HasError()) throw FromDuck(result->GetErrorObject());
  }
  ApplySearchPath();
  for (const auto& [key, value] : state_->settings) {
    if (key == "spark.sql.session.timeZone" || key == "table.local-time-zone") {
      connection_->Query(fmt::format("SET TimeZone = {}", dialect::QuoteText(value)));
    }
  }
}

void Session::ApplySearchPath() {
  auto& context = *connection_->context;
  context.RunFunctionInTransaction([&] {
    duckdb::ClientData::Get(context).catalog_search_path->Set(
        duckdb::CatalogSearchEntry(state_->catalog_name, state_->current_database), duckdb::CatalogSetPathType::SET_DIRECTLY);
  });
}

void Session::ApplyMemory(int64_t bytes) {
  memory_bytes_ = bytes;
  // Writers and DuckDB share one budget: a quarter, up to a bound, buffers rows to be written.
  state_->write_memory_bytes = std::clamp<int64_t>(bytes / 4, 16 << 20, kWriteMemory);
  ReturnFreedBuffersAtOnce(bytes < kSmallMemory);
  auto result = connection_->Query(fmt::format("SET memory_limit = '{}B'", bytes - bytes / 4));
  if (result->HasError()) throw FromDuck(result->GetErrorObject());
}

dialect::Dialect Session::dialect() const {
  return state_->dialect == "flink" ? dialect::Dialect::kFlink : dialect::Dialect::kSpark;
}

dialect::TypeRules Session::type_rules() const {
  dialect::TypeRules rules;
  auto type = state_->settings.find("spark.sql.timestampType");
  rules.timestamp_ntz = type != state_->settings.end() && EqualsIgnoreCase(type->second, "TIMESTAMP_NTZ");
  return rules;
}

std::vector<std::string> Session::Split(std::string_view text, bool* complete) {
  std::vector<std::string> statements;
  bool last_complete = true;
  for (const auto& part : dialect::SplitStatements(text, dialect())) {
    statements.emplace_back(text.substr(part.range.begin, part.range.end - part.range.begin));
    last_complete = part.complete;
  }
  if (complete != nullptr) *complete = last_complete;
  return statements;
}

bool Session::autocommit() { return connection_->IsAutoCommit(); }

void Session::Interrupt() { connection_->Interrupt(); }

std::optional<double> Session::Progress() {
  double percent = connection_->context->GetQueryProgress().GetPercentage();
  if (percent < 0) return std::nullopt;
  return percent / 100;
}

std::unique_ptr<SqlResult> Session::Run(const std::string& text) {
  if (duckdb::ValidChecker::IsInvalidated(*database_->instance)) Open();
  state_->commit_error.reset();
  state_->write_request.reset();
  try {
    auto result = RunParsed(dialect::ParseStatement(text, dialect(), type_rules()));
    state_->write_request.reset();
    return result;
  } catch (const Error&) {
    state_->write_request.reset();
    throw;
  } catch (const std::exception& error) {
    state_->write_request.reset();
    throw FromDuck(duckdb::ErrorData(error));
  }
}

std::unique_ptr<SqlResult> Session::RunParsed(const dialect::Statement& statement) {
  return std::visit([this](const auto& body) { return Execute(body); }, statement.body);
}

void Session::Fail(const duckdb::ErrorData& error) {
  if (state_->commit_error) {
    Error own = *state_->commit_error;
    state_->commit_error.reset();
    throw own;
  }
  throw FromDuck(error);
}

duckdb::unique_ptr<duckdb::QueryResult> Session::Write(const std::string& sql) {
  auto pending = connection_->PendingQuery(sql);
  if (pending->HasError()) Fail(pending->GetErrorObject());
  while (true) {
    auto state = pending->ExecuteTask();
    // A failed statement is ready too, but has nothing to execute.
    if (pending->HasError()) Fail(pending->GetErrorObject());
    if (duckdb::PendingQueryResult::IsResultReady(state)) return pending->Execute();
    if (state == duckdb::PendingExecutionResult::BLOCKED) pending->WaitForTask();
    if (state == duckdb::PendingExecutionResult::NO_TASKS_AVAILABLE) std::this_thread::sleep_for(kTaskPoll);
  }
}

duckdb::unique_ptr<duckdb::QueryResult> Session::Send(const std::string& sql, bool writes) {
  // Not SendQuery for what only writes: while the one thread of an ordered sink works, its loop spins on a whole core.
  auto result = writes ? Write(sql) : connection_->SendQuery(sql);
  if (result->HasError()) Fail(result->GetErrorObject());
  return result;
}

std::unique_ptr<SqlResult> Session::RunText(const std::string& sql, bool rows, bool plain) {
  auto result = Send(sql, !rows);
  bool has_rows = rows && result->properties.return_type == duckdb::StatementReturnType::QUERY_RESULT;
  if (has_rows) {
    auto own = std::make_unique<DuckResult>(connection_->context, std::move(result));
    own->set_plain(plain);
    return own;
  }
  std::optional<int64_t> changed;
  bool counts = result->properties.return_type == duckdb::StatementReturnType::CHANGED_ROWS;
  try {
    while (auto chunk = result->Fetch()) {
      if (chunk->size() == 0) break;
      if (counts && chunk->ColumnCount() == 1) changed = changed.value_or(0) + chunk->GetValue(0, 0).GetValue<int64_t>();
    }
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    Fail(duckdb::ErrorData(error));
  }
  if (result->HasError()) Fail(result->GetErrorObject());
  return NoResult(changed);
}

Session::ResultPtr Session::Texts(const std::vector<std::string>& columns, const std::vector<TextRow>& rows, bool plain) {
  auto result = TextResult(connection_->context, columns, rows);
  result->set_plain(plain);
  return result;
}

TableName Session::Resolve(const dialect::Name& name) const {
  const auto& parts = name.parts;
  switch (parts.size()) {
    case 1: return TableName{state_->current_database, parts[0]};
    case 2: return TableName{parts[0], parts[1]};
    case 3:
      if (parts[0] != state_->catalog_name) {
        throw InvalidArgument("The catalog '{}' does not exist: this session has '{}'", parts[0], state_->catalog_name);
      }
      return TableName{parts[1], parts[2]};
    default: throw InvalidArgument("'{}' is not the name of a table", Join(parts, "."));
  }
}

std::string Session::ResolveDatabase(const dialect::Name& name) const {
  const auto& parts = name.parts;
  if (parts.size() == 1) return parts[0];
  if (parts.size() == 2 && parts[0] == state_->catalog_name) return parts[1];
  throw InvalidArgument("'{}' is not the name of a database", Join(parts, "."));
}

void Session::RefuseInTransaction(std::string_view statement) {
  if (!autocommit()) {
    throw Unsupported("{} cannot run in a transaction: it takes effect at once. COMMIT or ROLLBACK first", statement);
  }
}

CommitSettings Session::NewCommitSettings() const {
  CommitSettings settings;
  settings.publisher = state_->catalog->publisher();
  return settings;
}

Session::ResultPtr Session::Execute(const dialect::Query& query) {
  using Kind = dialect::Query::Kind;
  switch (query.kind) {
    case Kind::kSelect:
    case Kind::kOther: return RunText(query.query.sql, true);
    case Kind::kUpdate:
    case Kind::kDelete:
    case Kind::kMerge: {
      std::string_view verb = query.kind == Kind::kUpdate ? "UPDATE" : query.kind == Kind::kDelete ? "DELETE" : "MERGE INTO";
      throw Unsupported("{} of '{}' is not supported yet; nothing was changed", verb,
                        query.target ? Join(query.target->parts, ".") : std::string("the table"));
    }
  }
  throw Internal("Unknown kind of query");
}

std::string Session::PrepareInsert(const dialect::Insert& insert) {
  TableName name = Resolve(insert.target);
  TablePtr table = state_->catalog->GetTable(TableName{name.database, ParseTableReference(name.table).table});
  const TableSchema& schema = table->schema();
  WriteRequest request;
  request.overwrite = insert.overwrite;
  request.options = insert.options;
  for (const auto& item : insert.partition) {
    bool known = std::find(schema.partition_keys.begin(), schema.partition_keys.end(), item.column) != schema.partition_keys.end();
    if (!known) {
      throw InvalidArgument("The column '{}' is not a partition column of '{}'{}", item.column, name.ToString(),
                            DidYouMean(item.column, schema.partition_keys));
    }
    if (!item.value) continue;
    if (item.value->kind == dialect::Literal::Kind::kNull) {
      request.null_partition.push_back(item.column);
    } else {
      request.static_partition[item.column] = item.value->text;
    }
  }
  bool has_static = !request.static_partition.empty() || !request.null_partition.empty();
  std::vector<std::string> columns = insert.columns;
  auto is_static = [&](const std::string& column) {
    return request.static_partition.contains(column) ||
           std::find(request.null_partition.begin(), request.null_partition.end(), column) != request.null_partition.end();
  };
  for (const std::string& column : columns) {
    if (is_static(column)) {
      throw InvalidArgument("The column '{}' has a value in PARTITION and is in the column list too", column);
    }
  }
  if (columns.empty() && has_static && !insert.by_name) {
    for (const DataField& field : schema.fields) {
      if (!is_static(field.name)) columns.push_back(field.name);
    }
  }
  auto hive_style = state_->settings.find("spark.paimon.write.hive-style-dynamic-partition.enabled");
  if (insert.has_partition_clause && insert.columns.empty() && !insert.by_name &&
      hive_style != state_->settings.end() && hive_style->second == "true") {
    // Dynamic partition columns come last in the query.
    columns.clear();
    for (const DataField& field : schema.fields) {
      if (std::find(schema.partition_keys.begin(), schema.partition_keys.end(), field.name) == schema.partition_keys.end()) {
        columns.push_back(field.name);
      }
    }
    for (const auto& item : insert.partition) {
      if (!item.value) columns.push_back(item.column);
    }
  }
  std::string sql = fmt::format("INSERT INTO {}.{}.{}", dialect::QuoteName(state_->catalog_name),
                                dialect::QuoteName(name.database), dialect::QuoteName(name.table));
  if (!columns.empty()) {
    sql += " (";
    for (size_t i = 0; i < columns.size(); ++i) sql += (i > 0 ? ", " : "") + dialect::QuoteName(columns[i]);
    sql += ")";
  }
  if (insert.by_name) sql += " BY NAME";
  sql += " " + insert.query.sql;
  state_->write_request = std::move(request);
  return sql;
}

Session::ResultPtr Session::Execute(const dialect::Insert& insert) { return RunText(PrepareInsert(insert), false); }

Session::ResultPtr Session::Execute(const dialect::Explain& explain) {
  std::string sql;
  if (const auto* query = std::get_if<dialect::Query>(&explain.statement->body)) {
    if (query->kind != dialect::Query::Kind::kSelect && query->kind != dialect::Query::Kind::kOther) return Execute(*query);
    sql = query->query.sql;
  } else if (const auto* insert = std::get_if<dialect::Insert>(&explain.statement->body)) {
    if (explain.mode == dialect::Explain::Mode::kAnalyze) {
      throw Unsupported("EXPLAIN ANALYZE of INSERT would write: use EXPLAIN");
    }
    sql = PrepareInsert(*insert);
  } else {
    throw Unsupported("EXPLAIN is for queries and INSERT");
  }
  return RunText((explain.mode == dialect::Explain::Mode::kAnalyze ? "EXPLAIN ANALYZE " : "EXPLAIN ") + sql, true, true);
}

Session::ResultPtr Session::Execute(const dialect::Transaction& transaction) {
  using Action = dialect::Transaction::Action;
  switch (transaction.action) {
    case Action::kBegin: return RunText("BEGIN TRANSACTION", false);
    case Action::kCommit: return RunText("COMMIT", false);
    case Action::kRollback: return RunText("ROLLBACK", false);
  }
  throw Internal("Unknown transaction statement");
}

}  // namespace mica::sql

extern "C" __attribute__((visibility("default"))) mica::SqlSession* MicaOpenSession(const mica::SessionSettings* settings) {
  return new mica::sql::Session(*settings);
}
