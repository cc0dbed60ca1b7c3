#include "sql/followed_table.h"

#include <arrow/api.h>

#include <duckdb/optimizer/optimizer.hpp>
#include <duckdb/parser/query_node/select_node.hpp>
#include <duckdb/parser/statement/select_statement.hpp>
#include <duckdb/parser/tableref/basetableref.hpp>
#include <duckdb/planner/expression/bound_columnref_expression.hpp>
#include <duckdb/planner/operator/logical_filter.hpp>
#include <duckdb/planner/operator/logical_get.hpp>
#include <duckdb/planner/planner.hpp>
#include <duckdb/storage/table_storage_info.hpp>

#include "base/arrow.h"
#include "base/text.h"
#include "engine/duck_types.h"
#include "format/made_reader.h"
#include "history/change_stream.h"
#include "sql/errors.h"
#include "sql/pushed_predicate.h"
#include "sql/result.h"
#include "sql/session_clock.h"
#include "sql/streaming_statement.h"
#include "sql/system_scan.h"
#include "system/state_tables.h"
#include "table/row_changes.h"
#include "types/arrow_types.h"

namespace mica::sql {

namespace {

using SelectPtr = duckdb::unique_ptr<duckdb::SelectStatement>;

// Of the table's columns those that are wanted, or one: batches of no column are of no use to anyone.
std::vector<DataField> WantedFields(const FollowedReference& of, const std::vector<bool>& wanted) {
  const std::vector<DataField>& fields = of.table->schema().fields;
  if (of.updates) return fields;
  std::vector<DataField> some;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (wanted[i + of.kinds]) some.push_back(fields[i]);
  }
  if (some.empty()) some.push_back(fields.front());
  return some;
}

// A batch of wanted columns and _VALUE_KIND as the reference has it: the kind as text in front, NULL for the other columns.
std::shared_ptr<arrow::RecordBatch> AsReferred(const FollowedReference& of, const arrow::RecordBatch& batch) {
  arrow::ArrayVector columns;
  for (const DataField& field : of.fields) {
    if (auto column = batch.GetColumnByName(field.name); column && columns.size() >= size_t{of.kinds}) {
      columns.push_back(std::move(column));
    } else {
      columns.push_back(Take(arrow::MakeArrayOfNull(ToArrowType(field.type), batch.num_rows())));
    }
  }
  if (of.kinds) {
    const auto& kinds = static_cast<const arrow::Int8Array&>(*batch.column(batch.num_columns() - 1));
    arrow::StringBuilder texts;
    Check(texts.Reserve(batch.num_rows()));
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      std::string_view text = RowKindText(kinds.Value(row));
      Check(texts.Append(text.data(), static_cast<int32_t>(text.size())));
    }
    columns.front() = Take(texts.Finish());
  }
  arrow::FieldVector fields;
  for (size_t i = 0; i < columns.size(); ++i) fields.push_back(arrow::field(of.fields[i].name, columns[i]->type()));
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch.num_rows(), std::move(columns));
}

std::unique_ptr<BatchReader> AsReferred(const FollowedReference& of, std::unique_ptr<BatchReader> rows) {
  if (of.updates) return PackUpdates(*of.table, std::move(rows));
  return MakeReader([of, rows = std::shared_ptr<BatchReader>(std::move(rows))]() -> std::shared_ptr<arrow::RecordBatch> {
    auto batch = rows->Next();
    return batch ? AsReferred(of, *batch) : nullptr;
  });
}

// What the filters right above the scan say of the table's columns; nullptr: nothing.
PredicatePtr FilterOf(const duckdb::LogicalOperator& step, const FollowedReference& of) {
  std::vector<PredicatePtr> parts;
  const duckdb::LogicalOperator* at = &step;
  while (at->type == duckdb::LogicalOperatorType::LOGICAL_PROJECTION) at = at->children.front().get();
  const duckdb::LogicalOperator* scan = at;
  while (scan->type == duckdb::LogicalOperatorType::LOGICAL_FILTER) scan = scan->children.front().get();
  if (scan->type != duckdb::LogicalOperatorType::LOGICAL_GET) return nullptr;
  const auto& get = scan->Cast<duckdb::LogicalGet>();
  auto field_of = [&](const duckdb::BoundColumnRefExpression& reference) -> const DataField* {
    if (reference.binding.table_index != get.table_index || reference.depth != 0) return nullptr;
    if (reference.binding.column_index >= get.GetColumnIds().size()) return nullptr;
    const size_t place = get.GetColumnIds()[reference.binding.column_index].GetPrimaryIndex();
    if (place < size_t{of.kinds} || place >= of.fields.size()) return nullptr;
    const DataField& field = of.fields[place];
    return reference.return_type == ToDuckType(field.type) ? &field : nullptr;
  };
  for (; at != scan; at = at->children.front().get()) {
    for (const auto& filter : at->expressions) {
      if (PredicatePtr part = FromExpression(*filter, field_of)) parts.push_back(std::move(part));
    }
  }
  return parts.empty() ? nullptr : Predicate::And(std::move(parts));
}

// A whole stream that has an end.
class WholeStream final : public BatchReader {
 public:
  WholeStream(const FollowedReference& of, const std::vector<bool>& wanted, Clock clock, std::function<bool()> stopped)
      : name_(of.table->name().ToString()), kinds_(of.kinds), stream_(of.table, std::move(clock)),
        interval_(DiscoveryInterval(of.table->options())), stopped_(std::move(stopped)) {
    stream_.Select(WantedFields(of, wanted));
  }

  // The columns that are wanted and _VALUE_KIND.
  std::shared_ptr<arrow::RecordBatch> Next() override {
    while (true) {
      if (!rows_) rows_ = AwaitNext(&stream_, interval_, stopped_);
      if (stopped_()) throw Cancelled("The stream was interrupted");
      if (!rows_) return nullptr;
      auto batch = rows_->Next();
      if (!batch) {
        rows_.reset();
        stream_.Acknowledge();
        continue;
      }
      if (!kinds_) RefuseOthersThanInserts(*batch);
      return batch;
    }
  }

 private:
  void RefuseOthersThanInserts(const arrow::RecordBatch& batch) const {
    const auto& kinds = static_cast<const arrow::Int8Array&>(*batch.column(batch.num_columns() - 1));
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      if (kinds.Value(row) == 0) continue;
      throw Unsupported("A stream of '{}' takes back or changes rows ('{}'), which aggregates, joins, ORDER BY and the like would "
                        "not undo. Select the rows themselves", name_, RowKindText(kinds.Value(row)));
    }
  }

  std::string name_;
  bool kinds_;
  ChangeStream stream_;
  std::chrono::milliseconds interval_;
  std::function<bool()> stopped_;
  std::unique_ptr<BatchReader> rows_;
};

class StreamResult final : public SqlResult {
 public:
  using Send = std::function<std::unique_ptr<DuckResult>(duckdb::unique_ptr<duckdb::SQLStatement>)>;

  StreamResult(StreamState& state, TablePtr table, Clock clock, SelectPtr statement, std::optional<int64_t> limit, Send send)
      : state_(state), stream_(table, std::move(clock)), interval_(DiscoveryInterval(table->options())),
        statement_(std::move(statement)), limit_(limit), send_(std::move(send)) {
    followed_ = std::make_shared<FollowedRows>();
    followed_->kinds = true;
    followed_->open = [this](const FollowedReference& of, const std::vector<bool>& wanted) {
      stream_.Select(WantedFields(of, wanted));
      return AsReferred(of, MakeReader([this]() { return step_ ? step_->Next() : nullptr; }));
    };
  }
  ~StreamResult() override {
    if (state_.followed == followed_) state_.followed.reset();
  }

  // Lets the binder see the table over a step without rows. The plan is the statement's as it was given, without LIMIT.
  std::optional<std::string> WhyNot(duckdb::ClientContext& context) {
    state_.followed = followed_;
    std::optional<std::string> reason;
    context.RunFunctionInTransaction([&] {
      duckdb::Planner planner(context);
      planner.CreatePlan(statement_->Copy());
      reason = NeedsAllRows(*planner.plan);
      if (reason || !state_.reference || state_.reference->updates) return;
      duckdb::Optimizer optimizer(*planner.binder, context);
      stream_.Skip(FilterOf(*optimizer.Optimize(std::move(planner.plan)), *state_.reference));
    });
    return reason;
  }
  // Adds the kinds of rows, and finds the columns.
  void Bind() {
    SelectKind(statement_->node->Cast<duckdb::SelectNode>());
    columns_ = Run(std::nullopt)->columns();
  }

  bool has_rows() const override { return true; }
  const std::vector<SqlColumn>& columns() const override { return columns_; }
  std::optional<int64_t> changed_rows() const override { return std::nullopt; }

  int64_t Render(const RenderSettings& settings, const std::function<void(std::string_view)>& write) override {
    RenderSettings each = settings;
    if (each.format == RenderFormat::kJson) each.format = RenderFormat::kJsonLines;
    // Steps of which the filter leaves nothing have no frame.
    const bool framed = each.format == RenderFormat::kTable || each.format == RenderFormat::kMarkdown;
    return Follow([&](DuckResult& rows) {
      std::string frame;
      int64_t count = framed ? rows.Render(each, [&](std::string_view text) { frame += text; }) : rows.Render(each, write);
      if (framed && count > 0) write(each.format == RenderFormat::kMarkdown ? frame + "\n" : frame);
      each.header = false;
      return count;
    });
  }

  std::vector<std::vector<std::optional<std::string>>> Rows() override {
    std::vector<std::vector<std::optional<std::string>>> all;
    Follow([&](DuckResult& rows) {
      auto some = rows.Rows();
      const auto count = static_cast<int64_t>(some.size());
      std::move(some.begin(), some.end(), std::back_inserter(all));
      return count;
    });
    return all;
  }

  void ExportStream(ArrowArrayStream*) override {
    throw Unsupported("The rows of a streaming SELECT are shown as they come, not handed out as Arrow data. Read increments with "
                      "the options 'incremental-*' instead");
  }

 private:
  std::unique_ptr<DuckResult> Run(std::optional<int64_t> most) {
    auto statement = duckdb::unique_ptr_cast<duckdb::SQLStatement, duckdb::SelectStatement>(statement_->Copy());
    if (most) SetLimit(*statement->node, *most);
    return send_(std::move(statement));
  }

  int64_t Follow(const std::function<int64_t(DuckResult&)>& show) {
    int64_t count = 0;
    while (!limit_ || count < *limit_) {
      step_ = AwaitNext(&stream_, interval_, [this] { return state_.interrupted.load(); });
      if (state_.interrupted) throw Cancelled("The stream was interrupted");
      if (!step_) break;
      count += show(*Run(limit_ ? std::optional(*limit_ - count) : std::nullopt));
      step_.reset();
      // What was not shown in full is not done.
      if (!limit_ || count < *limit_) stream_.Acknowledge();
    }
    return count;
  }

  StreamState& state_;
  ChangeStream stream_;
  std::chrono::milliseconds interval_;
  SelectPtr statement_;
  std::optional<int64_t> limit_;
  Send send_;
  std::shared_ptr<FollowedRows> followed_;
  std::unique_ptr<BatchReader> step_;
  std::vector<SqlColumn> columns_;
};

}  // namespace

StreamState& StreamState::Get(duckdb::ClientContext& context) {
  return *context.registered_state->GetOrCreate<StreamState>("mica_stream");
}

void StreamState::Reset() {
  followed.reset();
  reference.reset();
  asked.reset();
  asked_name.clear();
  is_query = false;
  interrupted = false;
}

namespace {

constexpr std::string_view kStreaming = "streaming", kRuntimeMode = "execution.runtime-mode";

bool RunsStreaming(const SessionState& session) {
  auto mode = session.settings.find(std::string(kRuntimeMode));
  return mode != session.settings.end() && EqualsIgnoreCase(mode->second, "streaming");
}

bool IsTrue(const std::string& value) {
  if (EqualsIgnoreCase(value, "false")) return false;
  if (EqualsIgnoreCase(value, "true")) return true;
  throw InvalidArgument("The option 'streaming' is 'true' or 'false', not '{}'", value);
}

}  // namespace

bool Streams(duckdb::ClientContext& context, const Options& options, bool hinted) {
  if (!hinted && !StreamState::Get(context).is_query) return false;
  auto option = options.find(std::string(kStreaming));
  return option != options.end() ? IsTrue(option->second) : RunsStreaming(SessionState::Get(context));
}

void RefuseFollowing(duckdb::Connection& connection, const std::string& sql) {
  const SessionState& session = SessionState::Get(*connection.context);
  std::string by = RunsStreaming(session) ? std::string(kRuntimeMode) : "";
  for (const auto& [key, value] : session.settings) {
    const bool option = key.starts_with("paimon.") || key.starts_with("spark.paimon.");
    if (option && key.ends_with(".streaming") && EqualsIgnoreCase(value, "true")) by = key;
  }
  if (by.empty() || connection.GetTableNames(sql).empty()) return;
  throw Unsupported("The setting '{}' makes queries follow their tables, so what they would write has no end: RESET '{}' to "
                    "write what is there", by, by);
}

bool ShowsRows(std::string_view system_table) {
  for (std::string_view name : {"audit_log", "binlog", "ro", "row_tracking"}) {
    if (EqualsIgnoreCase(system_table, name)) return true;
  }
  return false;
}

FollowedReference Follow(duckdb::ClientContext& context, const TablePtr& table, const std::string& name,
                         const std::optional<std::string>& system_table) {
  StreamState& state = StreamState::Get(context);
  const bool binlog = system_table && EqualsIgnoreCase(*system_table, "binlog");
  const bool log = binlog || (system_table && EqualsIgnoreCase(*system_table, "audit_log"));
  if (system_table && !log) {
    throw Unsupported("The system table '{}' cannot be followed. A streaming SELECT of the table itself, or of its "
                      "'$audit_log' or '$binlog', shows the kinds of rows", name);
  }
  if (log && table->options().Bool("table-read.sequence-number.enabled", false)) {
    throw Unsupported("'{}' cannot be followed where 'table-read.sequence-number.enabled' is set: follow the table itself", name);
  }
  if (!state.followed) {
    state.asked = table;
    state.asked_name = name;
    throw Unsupported("A streaming read of '{}' has no end, so it stands alone: in a SELECT outside of a transaction, not in INSERT, "
                      "CREATE TABLE AS, EXPLAIN or a view. Take away the option 'streaming'", table->name().ToString());
  }
  FollowedReference followed{.table = table, .fields = table->schema().fields, .kinds = log || state.followed->kinds,
                             .updates = binlog, .rows = state.followed};
  if (binlog) {
    followed.fields = BinlogFields(*table);
  } else if (followed.kinds) {
    DataField kind;
    kind.name = kRowKindColumn;
    kind.type = DataType::String();
    followed.fields.insert(followed.fields.begin(), std::move(kind));
  }
  state.reference = std::make_shared<FollowedReference>(followed);
  state.reference->rows.reset();
  return followed;
}

duckdb::TableFunction FollowedEntry::GetScanFunction(duckdb::ClientContext&,
                                                     duckdb::unique_ptr<duckdb::FunctionData>& bind) {
  return BindReader(followed_.fields, [of = followed_](const auto& wanted) { return of.rows->open(of, wanted); }, bind);
}

namespace {

// A view has the columns that its query gives, so kinds of rows cannot come through.
bool IsOf(const duckdb::SelectStatement& statement, const std::string& name) {
  const auto& node = statement.node->Cast<duckdb::SelectNode>();
  return EqualsIgnoreCase(std::string(node.from_table->Cast<duckdb::BaseTableRef>().table_name), name);
}

}  // namespace

std::unique_ptr<SqlResult> RunStream(duckdb::Connection& connection, const std::string& sql,
                                     const std::function<void(const duckdb::ErrorData&)>& fail) {
  StreamState& state = StreamState::Get(*connection.context);
  TablePtr table = std::exchange(state.asked, nullptr);
  const Clock clock = ClockOf(SessionState::Get(*connection.context));
  auto send = [&connection, fail](duckdb::unique_ptr<duckdb::SQLStatement> statement) {
    auto rows = connection.SendQuery(std::move(statement));
    if (rows->HasError()) fail(rows->GetErrorObject());
    return std::make_unique<DuckResult>(connection.context, std::move(rows));
  };
  auto parse = [&] {
    auto parsed = connection.ExtractStatements(sql);
    if (parsed.size() == 1 && parsed[0]->type == duckdb::StatementType::SELECT_STATEMENT) return std::move(parsed[0]);
    throw Unsupported("A streaming read of '{}' is a single SELECT", table->name().ToString());
  };
  auto statement = duckdb::unique_ptr_cast<duckdb::SQLStatement, duckdb::SelectStatement>(parse());
  auto reason = NeedsAllRows(*statement->node);
  if (!reason && !IsOf(*statement, state.asked_name)) reason = "a view in FROM";
  if (!reason) {
    auto limit = TakeLimit(*statement->node);
    auto result = std::make_unique<StreamResult>(state, table, clock, std::move(statement), limit, send);
    try {
      reason = result->WhyNot(*connection.context);
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      fail(duckdb::ErrorData(error));
    }
    if (!reason) {
      result->Bind();
      return result;
    }
  }
  if (!table->options().Find("scan.bounded.watermark")) {
    throw Unsupported("A stream of '{}' has no end, so a streaming SELECT cannot have {}: it would never give a row. Bound it by "
                      "'scan.bounded.watermark', or take away the option 'streaming'", table->name().ToString(), *reason);
  }
  state.followed = std::make_shared<FollowedRows>();
  state.followed->open = [&state, clock](const FollowedReference& of, const std::vector<bool>& wanted) {
    return AsReferred(of, std::make_unique<WholeStream>(of, wanted, clock, [&state] { return state.interrupted.load(); }));
  };
  return send(parse());
}

}  // namespace mica::sql
