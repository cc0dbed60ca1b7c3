#include "sql/followed_table.h"

#include <arrow/api.h>

#include <duckdb/parser/expression/columnref_expression.hpp>
#include <duckdb/parser/expression/constant_expression.hpp>
#include <duckdb/parser/expression/star_expression.hpp>
#include <duckdb/parser/query_node/select_node.hpp>
#include <duckdb/parser/statement/select_statement.hpp>
#include <duckdb/parser/tableref/basetableref.hpp>
#include <duckdb/planner/planner.hpp>
#include <duckdb/storage/table_storage_info.hpp>

#include "base/arrow.h"
#include "base/text.h"
#include "format/made_reader.h"
#include "history/change_stream.h"
#include "sql/errors.h"
#include "sql/result.h"
#include "sql/system_scan.h"
#include "table/row_changes.h"

namespace mica::sql {

namespace {

using SelectPtr = duckdb::unique_ptr<duckdb::SelectStatement>;

// _VALUE_KIND, the last column, as text in front.
std::shared_ptr<arrow::RecordBatch> WithKindFirst(const arrow::RecordBatch& batch) {
  const int last = batch.num_columns() - 1;
  const auto& kinds = static_cast<const arrow::Int8Array&>(*batch.column(last));
  arrow::StringBuilder texts;
  Check(texts.Reserve(batch.num_rows()));
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    std::string_view text = RowKindText(kinds.Value(row));
    Check(texts.Append(text.data(), static_cast<int32_t>(text.size())));
  }
  auto rest = Take(batch.RemoveColumn(last));
  return Take(rest->AddColumn(0, arrow::field(std::string(kRowKindColumn), arrow::utf8()), Take(texts.Finish())));
}

// A whole stream that has an end.
class WholeStream final : public BatchReader {
 public:
  WholeStream(const TablePtr& table, bool kinds, std::function<bool()> stopped)
      : name_(table->name().ToString()), kinds_(kinds), stream_(table), interval_(DiscoveryInterval(table->options())),
        stopped_(std::move(stopped)) {}

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
      if (kinds_) return WithKindFirst(*batch);
      const int last = batch->num_columns() - 1;
      const auto& kinds = static_cast<const arrow::Int8Array&>(*batch->column(last));
      for (int64_t row = 0; row < batch->num_rows(); ++row) {
        if (kinds.Value(row) == 0) continue;
        throw Unsupported("A stream of '{}' takes back or changes rows ('{}'), which aggregates, joins, ORDER BY and the like would "
                          "not undo. Select the rows themselves", name_, RowKindText(kinds.Value(row)));
      }
      return Take(batch->RemoveColumn(last));
    }
  }

 private:
  std::string name_;
  bool kinds_;
  ChangeStream stream_;
  std::chrono::milliseconds interval_;
  std::function<bool()> stopped_;
  std::unique_ptr<BatchReader> rows_;
};

// What needs all rows before it can give one, by the statement's own shape.
std::optional<std::string> NeedsAllRows(const duckdb::QueryNode& query) {
  if (!query.cte_map.map.empty()) return "WITH";
  if (query.type != duckdb::QueryNodeType::SELECT_NODE) return "UNION, INTERSECT or EXCEPT";
  const auto& node = query.Cast<duckdb::SelectNode>();
  if (node.from_table->type == duckdb::TableReferenceType::JOIN) return "JOIN";
  if (node.from_table->type != duckdb::TableReferenceType::BASE_TABLE) return "a query in FROM";
  if (node.sample) return "TABLESAMPLE";
  for (const auto& modifier : query.modifiers) {
    switch (modifier->type) {
      case duckdb::ResultModifierType::ORDER_MODIFIER: return "ORDER BY";
      case duckdb::ResultModifierType::DISTINCT_MODIFIER: return "DISTINCT";
      case duckdb::ResultModifierType::LIMIT_PERCENT_MODIFIER: return "LIMIT in percent";
      case duckdb::ResultModifierType::LIMIT_MODIFIER: {
        const auto& limit = modifier->Cast<duckdb::LimitModifier>();
        if (limit.offset) return "OFFSET";
        if (limit.limit->GetExpressionClass() != duckdb::ExpressionClass::CONSTANT) return "a LIMIT that is computed";
      }
    }
  }
  return std::nullopt;
}

// The same, by what the engine would do.
std::optional<std::string> NeedsAllRows(const duckdb::LogicalOperator& step) {
  using Type = duckdb::LogicalOperatorType;
  switch (step.type) {
    case Type::LOGICAL_PROJECTION:
    case Type::LOGICAL_FILTER:
    case Type::LOGICAL_GET:
    case Type::LOGICAL_UNNEST:
    case Type::LOGICAL_DUMMY_SCAN:
    case Type::LOGICAL_EMPTY_RESULT: break;
    case Type::LOGICAL_AGGREGATE_AND_GROUP_BY: return "an aggregate";
    case Type::LOGICAL_WINDOW: return "a window function";
    case Type::LOGICAL_DISTINCT: return "DISTINCT";
    default: return "a subquery";
  }
  for (const auto& child : step.children) {
    if (auto reason = NeedsAllRows(*child)) return reason;
  }
  return std::nullopt;
}

std::optional<int64_t> TakeLimit(duckdb::QueryNode& query) {
  for (auto item = query.modifiers.begin(); item != query.modifiers.end(); ++item) {
    if ((*item)->type != duckdb::ResultModifierType::LIMIT_MODIFIER) continue;
    const auto& value = (*item)->Cast<duckdb::LimitModifier>().limit->Cast<duckdb::ConstantExpression>().value;
    std::optional<int64_t> limit;
    if (!value.IsNull()) limit = value.DefaultCastAs(duckdb::LogicalType::BIGINT).GetValue<int64_t>();
    query.modifiers.erase(item);
    return limit;
  }
  return std::nullopt;
}

void SetLimit(duckdb::QueryNode& query, int64_t rows) {
  auto limit = duckdb::make_uniq<duckdb::LimitModifier>();
  limit->limit = duckdb::make_uniq<duckdb::ConstantExpression>(duckdb::Value::BIGINT(rows));
  query.modifiers.push_back(std::move(limit));
}

// The kind of each row in front of what is selected, unless it is asked for by its name.
void SelectKind(duckdb::SelectNode& node) {
  const duckdb::string name(kRowKindColumn);
  for (const auto& item : node.select_list) {
    if (item->GetExpressionClass() != duckdb::ExpressionClass::COLUMN_REF) continue;
    if (EqualsIgnoreCase(item->Cast<duckdb::ColumnRefExpression>().GetColumnName(), kRowKindColumn)) return;
  }
  for (auto& item : node.select_list) {
    if (item->GetExpressionClass() == duckdb::ExpressionClass::STAR) {
      item->Cast<duckdb::StarExpression>().exclude_list.insert(duckdb::QualifiedColumnName(name));
    }
  }
  node.select_list.insert(node.select_list.begin(), duckdb::make_uniq<duckdb::ColumnRefExpression>(name));
}

class StreamResult final : public SqlResult {
 public:
  using Send = std::function<std::unique_ptr<DuckResult>(duckdb::unique_ptr<duckdb::SQLStatement>)>;

  StreamResult(StreamState& state, TablePtr table, SelectPtr statement, std::optional<int64_t> limit, Send send)
      : state_(state), stream_(table), interval_(DiscoveryInterval(table->options())), statement_(std::move(statement)),
        limit_(limit), send_(std::move(send)) {
    followed_ = std::make_shared<FollowedRows>();
    followed_->kinds = true;
    followed_->open = [this](const TablePtr&, bool) {
      return MakeReader([this]() -> std::shared_ptr<arrow::RecordBatch> {
        auto batch = step_ ? step_->Next() : nullptr;
        return batch ? WithKindFirst(*batch) : nullptr;
      });
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
  const bool log = system_table && EqualsIgnoreCase(*system_table, "audit_log");
  if (system_table && !log) {
    throw Unsupported("The system table '{}' cannot be followed. A streaming SELECT of the table itself, or of its "
                      "'$audit_log', shows the kinds of rows", name);
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
                             .rows = state.followed};
  if (!followed.kinds) return followed;
  DataField kind;
  kind.name = kRowKindColumn;
  kind.type = DataType::String();
  followed.fields.insert(followed.fields.begin(), std::move(kind));
  return followed;
}

duckdb::TableFunction FollowedEntry::GetScanFunction(duckdb::ClientContext&,
                                                     duckdb::unique_ptr<duckdb::FunctionData>& bind) {
  return BindReader(followed_.fields, [of = followed_](const auto&) { return of.rows->open(of.table, of.kinds); }, bind);
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
    auto result = std::make_unique<StreamResult>(state, table, std::move(statement), limit, send);
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
  state.followed->open = [&state](const TablePtr& of, bool kinds) {
    return std::make_unique<WholeStream>(of, kinds, [&state] { return state.interrupted.load(); });
  };
  return send(parse());
}

}  // namespace mica::sql
