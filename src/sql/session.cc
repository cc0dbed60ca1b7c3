#include "sql/session.h"

#include <unistd.h>

#include <duckdb/catalog/catalog_search_path.hpp>
#include <duckdb/main/client_data.hpp>
#include <duckdb/main/extension/extension_loader.hpp>
#include <duckdb/main/valid_checker.hpp>
#include <duckdb/parser/parsed_data/create_collation_info.hpp>

#include "base/allocator.h"
#include "base/text.h"
#include "catalog/empty_catalog.h"
#include "engine/duck_types.h"
#include "sql/attached_catalog.h"
#include "sql/cast_rules.h"
#include "sql/errors.h"
#include "sql/followed_table.h"
#include "sql/session_clock.h"

namespace mica::sql {

namespace {

constexpr const char* kDuckVersion = "v1.5.6";
// How often the waiting thread looks for work that other threads made.
constexpr std::chrono::microseconds kTaskPoll(200);
// What writers may buffer by default; more does not make files bigger or writing faster.
constexpr int64_t kWriteMemory = 256 << 20, kLeastWriteMemory = 8 << 20;
constexpr int64_t kMergeMemory = 4 << 20, kLeastMergeMemory = 1 << 20;
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

// The engine knows neither catalogs nor databases by similar names, and not that a catalog holds nothing.
std::string NearestTo(SessionState& state, const std::string& message) {
  auto between = [&](std::string_view before, std::string_view after) {
    size_t begin = message.find(before);
    if (begin == std::string::npos) return std::string();
    begin += before.size();
    size_t end = message.find(after, begin);
    return end == std::string::npos ? std::string() : message.substr(begin, end - begin);
  };
  try {
    std::string database = between("The database '", "' does not exist");
    if (!database.empty()) return DidYouMean(database, state.catalog->ListDatabases());
    std::string catalog = between("Catalog \"", "\" does not exist");
    if (!catalog.empty()) return DidYouMean(catalog, state.catalogs.Names());
    std::string column = between("Referenced column \"", "\" not found");
    if (column == kRowId || column == kSequenceNumber) {
      return fmt::format(". Only tables with 'row-tracking.enabled' have '{}'", column);
    }
    const auto* empty = dynamic_cast<const EmptyCatalog*>(state.catalog.get());
    if (empty != nullptr && message.starts_with("The table '")) return ": " + empty->way_out();
  } catch (const Error&) {
    // A hint only.
  }
  return {};
}

}  // namespace

Session::Session(const SessionSettings& settings) : state_(duckdb::make_shared_ptr<SessionState>()) {
  state_->catalogs.Add(settings.catalog_name, settings.catalog_options, settings.catalog);
  for (const auto& [name, options] : settings.more_catalogs) state_->catalogs.Add(name, options);
  state_->catalog = state_->catalogs.Get(settings.catalog_name);
  state_->catalog_name = settings.catalog_name;
  state_->current_database = settings.database;
  state_->dialect = ToLower(settings.dialect);
  if (state_->dialect != "spark" && state_->dialect != "flink") {
    throw InvalidArgument("The dialect '{}' is not known. Use spark or flink", settings.dialect);
  }
  memory_bytes_ = settings.memory_bytes.value_or(PhysicalMemory() / 2);
  threads_ = settings.threads;
  start_ = {state_->dialect, memory_bytes_};
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
    RegisterCasts(*database_->instance);
    connection_ = duckdb::make_uniq<duckdb::Connection>(*database_);
  } catch (const std::exception& error) {
    throw FromDuck(duckdb::ErrorData(error));
  }
  connection_->context->registered_state->Insert(SessionState::kKey, state_);
  ApplyMemory(memory_bytes_);
  for (const std::string& sql : {
           std::string("SET enable_progress_bar = true"),
           std::string("SET enable_progress_bar_print = false"),
           std::string("SET progress_bar_time = 0"),
           std::string("SET autoinstall_known_extensions = false"),
           std::string("SET autoload_known_extensions = false"),
           // NULL is the smallest value, as in Spark and Flink.
           std::string("SET default_null_order = 'nulls_first_on_asc_last_on_desc'"),
       }) {
    auto result = connection_->Query(sql);
    if (result->HasError()) throw FromDuck(result->GetErrorObject());
  }
  for (const std::string& name : state_->catalogs.Names()) Attach(name);
  ApplySearchPath();
  for (const auto& [key, value] : state_->settings) {
    if (key == "spark.sql.session.timeZone" || key == "table.local-time-zone") {
      connection_->Query(fmt::format("SET TimeZone = {}", dialect::QuoteText(value)));
    }
  }
}

void Session::Attach(const std::string& catalog_name) {
  auto result = connection_->Query(fmt::format("ATTACH '' AS {} (TYPE mica)", dialect::QuoteName(catalog_name)));
  if (result->HasError()) throw FromDuck(result->GetErrorObject());
}

void Session::UseDatabase(const DatabaseAddress& address) {
  address.Require();
  state_->catalog = address.catalog;
  state_->catalog_name = address.catalog_name;
  state_->current_database = address.database;
  ApplySearchPath();
}

void Session::ApplySearchPath() {
  SetSearchPath(state_->catalog_name, state_->current_database);
}

void Session::SetSearchPath(const std::string& catalog_name, const std::string& database) {
  auto& context = *connection_->context;
  context.RunFunctionInTransaction([&] {
    duckdb::vector<duckdb::CatalogSearchEntry> path = {{catalog_name, database}, {catalog_name, kFunctionSchema}};
    duckdb::ClientData::Get(context).catalog_search_path->Set(std::move(path),
                                                              duckdb::CatalogSetPathType::SET_DIRECTLY);
  });
}

void Session::ApplyMemory(int64_t bytes) {
  memory_bytes_ = bytes;
  // Writers and DuckDB share one budget: a sixth, up to a bound, buffers rows to be written.
  state_->write_memory_bytes = std::clamp<int64_t>(bytes / 6, kLeastWriteMemory, kWriteMemory);
  state_->merge_memory_bytes = std::clamp<int64_t>(bytes / 64, kLeastMergeMemory, kMergeMemory);
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

bool Session::autocommit() {
  return connection_->IsAutoCommit();
}

void Session::Interrupt() {
  StreamState::Get(*connection_->context).interrupted = true;
  connection_->Interrupt();
}

std::optional<double> Session::Progress() {
  double percent = connection_->context->GetQueryProgress().GetPercentage();
  if (percent < 0) return std::nullopt;
  return percent / 100;
}

std::unique_ptr<SqlResult> Session::Run(const std::string& text) {
  if (duckdb::ValidChecker::IsInvalidated(*database_->instance)) Open();
  state_->commit_error.reset();
  state_->write_request.reset();
  StreamState::Get(*connection_->context).Reset();
  try {
    auto result = RunParsed(dialect::ParseStatement(text, dialect(), type_rules()));
    state_->write_request.reset();
    return result;
  } catch (const Error& error) {
    state_->write_request.reset();
    throw InWordsOf(text, error);
  } catch (const std::exception& error) {
    state_->write_request.reset();
    throw InWordsOf(text, FromDuck(duckdb::ErrorData(error)));
  }
}

std::unique_ptr<SqlResult> Session::RunParsed(const dialect::Statement& statement) {
  return std::visit([this](const auto& body) { return Execute(body); }, statement.body);
}

void Session::Fail(const duckdb::ErrorData& error, const std::string& sql) {
  if (state_->commit_error) {
    Error own = *state_->commit_error;
    state_->commit_error.reset();
    throw own;
  }
  Error own = FromDuck(error, sql);
  std::string hint = NearestTo(*state_, own.message());
  if (hint.empty()) throw own;
  // The first line says what is missing, the others where.
  std::string message = own.message();
  message.insert(std::min(message.find('\n'), message.size()), hint.substr(1));
  throw Error(ErrorKind::kNotFound, message);
}

duckdb::unique_ptr<duckdb::SQLStatement> Session::RunUpToLast(const std::string& sql) {
  duckdb::vector<duckdb::unique_ptr<duckdb::SQLStatement>> statements;
  try {
    statements = connection_->ExtractStatements(sql);
  } catch (const std::exception& error) {
    throw FromDuck(duckdb::ErrorData(error), sql);
  }
  MICA_CHECK(!statements.empty());
  for (size_t i = 0; i + 1 < statements.size(); ++i) {
    auto result = connection_->Query(std::move(statements[i]));
    if (result->HasError()) Fail(result->GetErrorObject());
  }
  return std::move(statements.back());
}

duckdb::unique_ptr<duckdb::QueryResult> Session::Write(const std::string& sql) {
  auto pending = connection_->PendingQuery(RunUpToLast(sql));
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
  if (result->HasError()) Fail(result->GetErrorObject(), sql);
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
      if (counts && chunk->ColumnCount() == 1)
        changed = changed.value_or(0) + chunk->GetValue(0, 0).GetValue<int64_t>();
    }
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    Fail(duckdb::ErrorData(error));
  }
  if (result->HasError()) Fail(result->GetErrorObject());
  return NoResult(changed);
}

Session::ResultPtr Session::Texts(const std::vector<std::string>& columns, const std::vector<TextRow>& rows,
                                  bool plain) {
  auto result = TextResult(connection_->context, columns, rows);
  result->set_plain(plain);
  return result;
}

DatabaseAddress Session::CurrentDatabase() const {
  return {state_->catalog_name, state_->catalog, state_->current_database};
}

TableAddress Session::Resolve(const dialect::Name& name) const {
  const auto& parts = name.parts;
  if (parts.empty() || parts.size() > 3) throw InvalidArgument("'{}' is not the name of a table", Join(parts, "."));
  if (parts.size() == 1) return {state_->catalog_name, state_->catalog, {state_->current_database, parts[0]}};
  if (parts.size() == 2) return {state_->catalog_name, state_->catalog, {parts[0], parts[1]}};
  return {parts[0], state_->catalogs.Get(parts[0]), {parts[1], parts[2]}};
}

DatabaseAddress Session::ResolveDatabase(const dialect::Name& name) const {
  const auto& parts = name.parts;
  if (parts.empty() || parts.size() > 2) throw InvalidArgument("'{}' is not the name of a database", Join(parts, "."));
  if (parts.size() == 1) return {state_->catalog_name, state_->catalog, parts[0]};
  return {parts[0], state_->catalogs.Get(parts[0]), parts[1]};
}

void Session::RefuseInTransaction(std::string_view statement) {
  if (!autocommit()) {
    throw Unsupported("{} cannot run in a transaction: it takes effect at once. COMMIT or ROLLBACK first", statement);
  }
}

CommitSettings Session::NewCommitSettings(Catalog& catalog) const {
  CommitSettings settings;
  settings.publisher = catalog.publisher();
  settings.clock = ClockOf(*state_);
  return settings;
}

Session::ResultPtr Session::Execute(const dialect::Query& query) {
  StreamState::Get(*connection_->context).is_query = true;
  try {
    return RunText(query.query.sql, true);
  } catch (...) {
    if (!StreamState::Get(*connection_->context).asked) throw;
  }
  RefuseInTransaction("A streaming SELECT");
  return RunStream(*connection_, query.query.sql, [this](const duckdb::ErrorData& error) { Fail(error); });
}

Session::ResultPtr Session::Execute(const dialect::Insert& insert) {
  MergeSchema(insert);
  return RunText(PrepareInsert(insert), false);
}

Session::ResultPtr Session::Execute(const dialect::Explain& explain) {
  std::string sql;
  const dialect::StatementBody& body = explain.statement->body;
  const auto* query = std::get_if<dialect::Query>(&body);
  if (!query && explain.mode == dialect::Explain::Mode::kAnalyze) {
    throw Unsupported("EXPLAIN ANALYZE of a statement that changes something would change it: use EXPLAIN");
  }
  if (query) {
    sql = query->query.sql;
  } else if (const auto* insert = std::get_if<dialect::Insert>(&body)) {
    sql = PrepareInsert(*insert);
  } else if (const auto* update = std::get_if<dialect::Update>(&body)) {
    sql = PrepareUpdate(*update);
  } else if (const auto* deletion = std::get_if<dialect::Delete>(&body)) {
    sql = PrepareDelete(*deletion);
  } else if (const auto* merge = std::get_if<dialect::Merge>(&body)) {
    sql = PrepareMerge(*merge);
  } else {
    throw Unsupported("EXPLAIN is for queries, INSERT, UPDATE, DELETE and MERGE INTO");
  }
  return RunText((explain.mode == dialect::Explain::Mode::kAnalyze ? "EXPLAIN ANALYZE " : "EXPLAIN ") + sql, true,
                 true);
}

Session::ResultPtr Session::CommitTransaction() {
  auto& context = *connection_->context;
  const bool failed =
      context.transaction.HasActiveTransaction() && duckdb::ValidChecker::IsInvalidated(context.ActiveTransaction());
  if (!failed) return RunText("COMMIT", false);
  RunText("ROLLBACK", false);
  throw InvalidArgument(
      "The transaction was rolled back, nothing of it was written: a statement in it had failed. Run it again "
      "without that statement");
}

Session::ResultPtr Session::Execute(const dialect::Transaction& transaction) {
  using Action = dialect::Transaction::Action;
  switch (transaction.action) {
    case Action::kBegin:
      return RunText("BEGIN TRANSACTION", false);
    case Action::kCommit:
      return CommitTransaction();
    case Action::kRollback:
      return RunText("ROLLBACK", false);
  }
  throw Internal("Unknown transaction statement");
}

}  // namespace mica::sql

extern "C" __attribute__((visibility("default"))) mica::SqlSession* MicaOpenSession(
    const mica::SessionSettings* settings) {
  return new mica::sql::Session(*settings);
}
