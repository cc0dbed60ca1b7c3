#include "sql/insert.h"

#include <duckdb/execution/operator/projection/physical_projection.hpp>

#include "base/text.h"
#include "engine/duck_types.h"
#include "sql/arrow_vectors.h"
#include "sql/column_default.h"
#include "sql/errors.h"
#include "sql/partition_literal.h"
#include "sql/row_changes.h"

namespace mica::sql {

namespace {

using duckdb::idx_t;
using duckdb::LogicalType;

// Of rows that a thread collects before it hands them to the writer.
constexpr int64_t kMostBatchBytes = 16 << 20;

struct InsertTarget {
  TablePtr table;
  bool overwrite = false;
  OverwriteScope scope;
  bool parallel = false;
  bool replaces = false;
  bool row_kinds = false;  // _VALUE_KIND follows the columns

  std::vector<DataField> fields() const {
    std::vector<DataField> fields = table->schema().fields;
    if (row_kinds) fields.push_back(ValueKindField());
    return fields;
  }
};

struct GlobalState : public duckdb::GlobalSinkState {
  std::mutex mutex;
  duckdb::optional_ptr<MicaTransaction> transaction;
  duckdb::optional_ptr<PendingWrite> pending;
  std::shared_ptr<Executor> executor;
  std::unique_ptr<TableWrite> writer;  // the one of a sink that is not parallel
  std::vector<CommitMessage> messages;
  int64_t rows = 0;
  std::shared_ptr<WriteMemory> memory;

  ~GlobalState() override {
    // Not reached Finalize: nobody will commit these files.
    if (!messages.empty() && table) {
      try {
        AbortMessages(*table, messages);
      } catch (const std::exception&) {
        // The maintenance of orphan files finds them.
      }
    }
  }
  TablePtr table;
};

struct LocalState : public duckdb::LocalSinkState {
  std::unique_ptr<VectorsToBatch> batch;
  std::unique_ptr<TableWrite> writer;
  int64_t rows = 0;
};

class PhysicalInsertIntoTable final : public duckdb::PhysicalOperator {
 public:
  PhysicalInsertIntoTable(duckdb::PhysicalPlan& plan, duckdb::vector<LogicalType> types, idx_t cardinality,
                          duckdb::Catalog& catalog, InsertTarget target)
      : PhysicalOperator(plan, duckdb::PhysicalOperatorType::EXTENSION, std::move(types), cardinality),
        catalog_(catalog),
        target_(std::move(target)) {}

  duckdb::string GetName() const override {
    return target_.row_kinds ? "MICA_CHANGE_ROWS" : target_.overwrite ? "MICA_INSERT_OVERWRITE" : "MICA_INSERT";
  }
  duckdb::InsertionOrderPreservingMap<duckdb::string> ParamsToString() const override {
    duckdb::InsertionOrderPreservingMap<duckdb::string> result;
    result["Table"] = target_.table->name().ToString();
    if (target_.overwrite) {
      result["Overwrite"] = target_.scope.dynamic ? "partitions of the input"
                            : target_.scope.partition.empty() ? "whole table" : "given partition";
    }
    return result;
  }

  bool IsSink() const override { return true; }
  bool IsSource() const override { return true; }
  bool ParallelSink() const override { return target_.parallel; }
  bool SinkOrderDependent() const override { return !target_.parallel; }

  duckdb::unique_ptr<duckdb::GlobalSinkState> GetGlobalSinkState(duckdb::ClientContext& context) const override {
    return Guard([&]() -> duckdb::unique_ptr<duckdb::GlobalSinkState> {
      auto state = duckdb::make_uniq<GlobalState>();
      state->table = target_.table;
      state->transaction = &MicaTransaction::Get(context, catalog_);
      state->pending = &state->transaction->StartWrite(target_.table, target_.overwrite, target_.scope);
      state->pending->replaces = target_.replaces;
      state->memory = std::make_shared<WriteMemory>(SessionState::Get(context).write_memory_bytes);
      if (!target_.parallel) {
        state->executor = state->pending->executor;
        state->writer = std::move(state->pending->writer);
        if (!state->writer) state->writer = NewWriter(state->memory, state->executor.get());
      }
      return state;
    });
  }

  duckdb::unique_ptr<duckdb::LocalSinkState> GetLocalSinkState(duckdb::ExecutionContext& context) const override {
    return Guard([&]() -> duckdb::unique_ptr<duckdb::LocalSinkState> {
      auto state = duckdb::make_uniq<LocalState>();
      const int64_t memory = SessionState::Get(context.client).write_memory_bytes;
      state->batch = std::make_unique<VectorsToBatch>(context.client, target_.fields(),
                                                      std::min(memory / 8, kMostBatchBytes));
      return state;
    });
  }

  duckdb::SinkResultType Sink(duckdb::ExecutionContext& context, duckdb::DataChunk& chunk,
                              duckdb::OperatorSinkInput& input) const override {
    return Guard([&] {
      if (context.client.IsInterrupted()) throw duckdb::InterruptException();
      auto& local = input.local_state.Cast<LocalState>();
      local.batch->Append(chunk);
      if (local.batch->full()) Flush(input.global_state.Cast<GlobalState>(), local);
      return duckdb::SinkResultType::NEED_MORE_INPUT;
    });
  }

  duckdb::SinkCombineResultType Combine(duckdb::ExecutionContext&, duckdb::OperatorSinkCombineInput& input) const override {
    return Guard([&] {
      auto& global = input.global_state.Cast<GlobalState>();
      auto& local = input.local_state.Cast<LocalState>();
      Flush(global, local);
      std::vector<CommitMessage> messages;
      if (local.writer) messages = local.writer->PrepareCommit();
      std::lock_guard lock(global.mutex);
      for (CommitMessage& message : messages) global.messages.push_back(std::move(message));
      global.rows += local.rows;
      return duckdb::SinkCombineResultType::FINISHED;
    });
  }

  duckdb::SinkFinalizeType Finalize(duckdb::Pipeline&, duckdb::Event&, duckdb::ClientContext&,
                                    duckdb::OperatorSinkFinalizeInput& input) const override {
    return Guard([&] {
      auto& global = input.global_state.Cast<GlobalState>();
      PendingWrite& pending = *global.pending;
      if (global.writer) {
        for (CommitMessage& message : global.writer->PrepareCommit()) pending.messages.push_back(std::move(message));
        if (target_.table->schema().has_primary_key()) pending.writer = std::move(global.writer);
      }
      for (CommitMessage& message : global.messages) pending.messages.push_back(std::move(message));
      global.messages.clear();
      pending.anything |= target_.overwrite || global.rows > 0;
      return duckdb::SinkFinalizeType::READY;
    });
  }

  duckdb::SourceResultType GetDataInternal(duckdb::ExecutionContext&, duckdb::DataChunk& chunk,
                                           duckdb::OperatorSourceInput&) const override {
    chunk.SetCardinality(1);
    chunk.SetValue(0, 0, duckdb::Value::BIGINT(sink_state->Cast<GlobalState>().rows));
    return duckdb::SourceResultType::FINISHED;
  }

 private:
  std::unique_ptr<TableWrite> NewWriter(std::shared_ptr<WriteMemory> memory, Executor* executor) const {
    WriteSettings settings;
    settings.memory = std::move(memory);
    settings.ignore_existing = target_.overwrite;
    // An ordered sink has one writer, whose buckets are encoded side by side at the end.
    settings.executor = executor;
    return TableWrite::Create(target_.table, settings);
  }

  void Flush(GlobalState& global, LocalState& local) const {
    auto batch = local.batch->Take();
    if (batch == nullptr) return;
    local.rows += batch->num_rows();
    if (target_.parallel) {
      if (!local.writer) local.writer = NewWriter(global.memory, nullptr);
      local.writer->Write(batch);
      return;
    }
    global.writer->Write(batch);
  }

  duckdb::Catalog& catalog_;
  InsertTarget target_;
};

InsertTarget TargetOf(duckdb::ClientContext& context, MicaTableEntry& entry, const WriteRequest& request) {
  SessionState& session = SessionState::Get(context);
  InsertTarget target;
  target.table = entry.table();
  if (!request.options.empty()) target.table = target.table->WithOptions(request.options);
  const TableSchema& schema = target.table->schema();
  CheckWritable(schema);
  target.overwrite = request.overwrite;
  target.replaces = request.replacement != nullptr;
  if (request.overwrite) {
    PartitionNaming naming = target.table->options().partition_naming();
    for (const auto& [column, text] : request.static_partition) {
      target.scope.partition[column] = PartitionLiteral(context, text, schema.Field(column).type, naming);
    }
    for (const std::string& column : request.null_partition) target.scope.partition[column] = Value{};
    bool partitioned = !schema.partition_keys.empty();
    bool dynamic;
    if (session.dialect == "flink") {
      dynamic = target.table->options().Bool("dynamic-partition-overwrite", true);
    } else {
      auto mode = session.settings.find("spark.sql.sources.partitionOverwriteMode");
      dynamic = mode != session.settings.end() && EqualsIgnoreCase(mode->second, "dynamic") &&
                schema.partition_keys.size() > target.scope.partition.size();
    }
    target.scope.dynamic = partitioned && request.dynamic_partitions.value_or(dynamic);
    if (target.scope.dynamic) target.scope.partition.clear();
  }
  // Rows of tables without buckets have no order among each other, so every thread writes its own files.
  target.parallel = BucketModeOf(schema) == BucketMode::kUnaware;
  return target;
}

}  // namespace

duckdb::PhysicalOperator& PlanMicaInsert(duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
                                         duckdb::LogicalInsert& op, duckdb::optional_ptr<duckdb::PhysicalOperator> plan) {
  auto* entry = dynamic_cast<MicaTableEntry*>(&op.table);
  if (entry == nullptr) throw Unsupported("The system table '{}' cannot be written", std::string(op.table.name));
  if (op.return_chunk) throw Unsupported("INSERT ... RETURNING into '{}' is not supported", std::string(op.table.name));
  if (op.on_conflict_info.action_type != duckdb::OnConflictAction::THROW) {
    throw Unsupported("INSERT ... ON CONFLICT into '{}' is not supported: a primary-key table replaces rows of the same key",
                      std::string(op.table.name));
  }
  SessionState& session = SessionState::Get(context);
  WriteRequest request = session.write_request.value_or(WriteRequest{});
  InsertTarget target = TargetOf(context, *entry, request);
  const TableSchema& schema = target.table->schema();
  PartitionNaming naming = target.table->options().partition_naming();
  if (request.changes) {
    if (!schema.has_primary_key()) return PlanRowChanges(context, planner, *entry, target.table, *plan, op.types);
    target.row_kinds = true;
    auto& change = planner.Make<PhysicalInsertIntoTable>(op.types, op.estimated_cardinality, entry->ParentCatalog(),
                                                         std::move(target));
    change.children.push_back(*plan);
    return change;
  }

  // One projection: given columns, static partition values, defaults for what is left out and for NULL (P-25).
  duckdb::vector<LogicalType> types;
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> expressions;
  bool changes = !op.column_index_map.empty();
  idx_t position = 0;
  for (const auto& column : op.table.GetColumns().Physical()) {
    const DataField& field = schema.fields[column.Physical().index];
    types.push_back(column.Type());
    auto static_value = request.static_partition.find(field.name);
    bool null_value = std::find(request.null_partition.begin(), request.null_partition.end(), field.name) !=
                      request.null_partition.end();
    duckdb::unique_ptr<duckdb::Expression> expression;
    bool given = false;
    if (static_value != request.static_partition.end() || null_value) {
      Value value = null_value ? Value{} : PartitionLiteral(context, static_value->second, field.type, naming);
      expression = duckdb::make_uniq<duckdb::BoundConstantExpression>(ToDuckValue(value, field.type));
      changes = true;
    } else if (op.column_index_map.empty()) {
      expression = duckdb::make_uniq<duckdb::BoundReferenceExpression>(column.Type(), position);
      given = true;
    } else {
      idx_t mapped = op.column_index_map[column.Physical()];
      if (mapped == duckdb::DConstants::INVALID_INDEX) {
        expression = std::move(op.bound_defaults[column.StorageOid()]);
      } else {
        expression = duckdb::make_uniq<duckdb::BoundReferenceExpression>(column.Type(), mapped);
        given = true;
      }
    }
    if (given && field.default_value) {
      duckdb::Value value = DefaultOf(context, field);
      if (!value.IsNull()) {
        auto coalesce = duckdb::make_uniq<duckdb::BoundOperatorExpression>(duckdb::ExpressionType::OPERATOR_COALESCE,
                                                                           column.Type());
        coalesce->children.push_back(std::move(expression));
        coalesce->children.push_back(duckdb::make_uniq<duckdb::BoundConstantExpression>(std::move(value)));
        expression = std::move(coalesce);
        changes = true;
      }
    }
    expressions.push_back(std::move(expression));
    ++position;
  }
  if (changes) {
    auto& projection =
        planner.Make<duckdb::PhysicalProjection>(std::move(types), std::move(expressions), plan->estimated_cardinality);
    projection.children.push_back(*plan);
    plan = &projection;
  }
  auto& insert = planner.Make<PhysicalInsertIntoTable>(op.types, op.estimated_cardinality, entry->ParentCatalog(),
                                                       std::move(target));
  insert.children.push_back(*plan);
  return insert;
}

}  // namespace mica::sql
