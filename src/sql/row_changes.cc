#include "sql/row_changes.h"

#include "sql/arrow_vectors.h"
#include "sql/changed_table.h"
#include "sql/errors.h"
#include "sql/split_list.h"
#include "table/row_deletion.h"

namespace mica::sql {

namespace {

using duckdb::idx_t;

// Of rows that a thread collects before it hands them to its writer.
constexpr int64_t kMostBatchBytes = 16 << 20;

struct ChangesGlobalState : public duckdb::GlobalSinkState {
  std::mutex mutex;
  RowMarks marks;
  std::vector<std::unique_ptr<TableWrite>> writers;  // of threads that are done; files are deleted with a writer
  std::shared_ptr<WriteMemory> memory;
  duckdb::optional_ptr<PendingWrite> pending;
  std::atomic<int64_t> rows{0};
};

struct ChangesLocalState : public duckdb::LocalSinkState {
  std::unique_ptr<VectorsToBatch> batch;
  std::unique_ptr<TableWrite> writer;
  RowMarks marks;
  duckdb::DataChunk written;
};

class PhysicalChangeRows final : public duckdb::PhysicalOperator {
 public:
  PhysicalChangeRows(duckdb::PhysicalPlan& plan, duckdb::vector<duckdb::LogicalType> types, idx_t cardinality,
                     duckdb::Catalog& catalog, TablePtr table, std::optional<Snapshot> snapshot)
      : PhysicalOperator(plan, duckdb::PhysicalOperatorType::EXTENSION, std::move(types), cardinality),
        catalog_(catalog), table_(std::move(table)), snapshot_(std::move(snapshot)),
        vectors_(table_->options().Bool("deletion-vectors.enabled", false)),
        column_count_(table_->schema().fields.size()) {}

  duckdb::string GetName() const override { return "MICA_CHANGE_ROWS"; }
  duckdb::InsertionOrderPreservingMap<duckdb::string> ParamsToString() const override {
    duckdb::InsertionOrderPreservingMap<duckdb::string> result;
    result["Table"] = table_->name().ToString();
    result["By"] = vectors_ ? "deletion vectors" : "new files";
    return result;
  }

  bool IsSink() const override { return true; }
  bool IsSource() const override { return true; }
  bool ParallelSink() const override { return true; }
  bool SinkOrderDependent() const override { return false; }

  duckdb::unique_ptr<duckdb::GlobalSinkState> GetGlobalSinkState(duckdb::ClientContext& context) const override {
    return Guard([&]() -> duckdb::unique_ptr<duckdb::GlobalSinkState> {
      auto state = duckdb::make_uniq<ChangesGlobalState>();
      state->memory = std::make_shared<WriteMemory>(SessionState::Get(context).write_memory_bytes);
      state->pending = &MicaTransaction::Get(context, catalog_).StartWrite(table_, false, {});
      state->pending->changes = true;
      return state;
    });
  }

  duckdb::unique_ptr<duckdb::LocalSinkState> GetLocalSinkState(duckdb::ExecutionContext& context) const override {
    return Guard([&]() -> duckdb::unique_ptr<duckdb::LocalSinkState> {
      auto state = duckdb::make_uniq<ChangesLocalState>();
      const int64_t memory = SessionState::Get(context.client).write_memory_bytes;
      state->batch = std::make_unique<VectorsToBatch>(context.client, table_->schema().fields,
                                                      std::min(memory / 8, kMostBatchBytes));
      duckdb::vector<duckdb::LogicalType> types = children[0].get().GetTypes();
      types.resize(column_count_);
      state->written.InitializeEmpty(types);
      return state;
    });
  }

  duckdb::SinkResultType Sink(duckdb::ExecutionContext& context, duckdb::DataChunk& chunk,
                              duckdb::OperatorSinkInput& input) const override {
    return Guard([&] {
      if (context.client.IsInterrupted()) throw duckdb::InterruptException();
      auto& global = input.global_state.Cast<ChangesGlobalState>();
      auto& local = input.local_state.Cast<ChangesLocalState>();
      duckdb::SelectionVector written(STANDARD_VECTOR_SIZE);
      const idx_t written_count = Note(chunk, global, local, written);
      if (written_count == 0) return duckdb::SinkResultType::NEED_MORE_INPUT;
      for (idx_t i = 0; i < column_count_; ++i) local.written.data[i].Slice(chunk.data[i], written, written_count);
      local.written.SetCardinality(written_count);
      local.batch->Append(local.written);
      if (local.batch->full()) Flush(global, local);
      return duckdb::SinkResultType::NEED_MORE_INPUT;
    });
  }

  duckdb::SinkCombineResultType Combine(duckdb::ExecutionContext&, duckdb::OperatorSinkCombineInput& input) const override {
    return Guard([&] {
      auto& global = input.global_state.Cast<ChangesGlobalState>();
      auto& local = input.local_state.Cast<ChangesLocalState>();
      Flush(global, local);
      std::lock_guard lock(global.mutex);
      if (!global.marks.Add(local.marks)) RefuseSecondMatch();
      if (local.writer) global.writers.push_back(std::move(local.writer));
      return duckdb::SinkCombineResultType::FINISHED;
    });
  }

  duckdb::SinkFinalizeType Finalize(duckdb::Pipeline&, duckdb::Event&, duckdb::ClientContext& context,
                                    duckdb::OperatorSinkFinalizeInput& input) const override {
    return Guard([&] {
      auto& global = input.global_state.Cast<ChangesGlobalState>();
      PendingWrite& pending = *global.pending;
      ThreadExecutor executor;
      std::vector<CommitMessage> messages;
      try {
        if (snapshot_ && !global.marks.files().empty()) {
          RowDeletion deletion(table_, *snapshot_, global.marks, EnginePathOf(*table_), executor);
          WriteKept(context, deletion, global, executor);
          messages = deletion.TakeMessages();
        }
        for (auto& writer : global.writers) {
          for (CommitMessage& message : writer->PrepareCommit()) messages.push_back(std::move(message));
        }
      } catch (...) {
        AbortMessages(*table_, messages);
        throw;
      }
      pending.anything |= !messages.empty();
      for (CommitMessage& message : messages) pending.messages.push_back(std::move(message));
      return duckdb::SinkFinalizeType::READY;
    });
  }

  duckdb::SourceResultType GetDataInternal(duckdb::ExecutionContext&, duckdb::DataChunk& chunk,
                                           duckdb::OperatorSourceInput&) const override {
    chunk.SetCardinality(1);
    chunk.SetValue(0, 0, duckdb::Value::BIGINT(sink_state->Cast<ChangesGlobalState>().rows));
    return duckdb::SourceResultType::FINISHED;
  }

 private:
  // Notes the places of changed rows, and picks the rows to be written.
  idx_t Note(duckdb::DataChunk& chunk, ChangesGlobalState& global, ChangesLocalState& local,
             duckdb::SelectionVector& written) const {
    duckdb::UnifiedVectorFormat kinds, paths, rows;
    chunk.data[column_count_].ToUnifiedFormat(chunk.size(), kinds);
    chunk.data[column_count_ + 1].ToUnifiedFormat(chunk.size(), paths);
    chunk.data[column_count_ + 2].ToUnifiedFormat(chunk.size(), rows);
    idx_t written_count = 0;
    int64_t changed = 0;
    for (idx_t i = 0; i < chunk.size(); ++i) {
      const int8_t kind = duckdb::UnifiedVectorFormat::GetData<int8_t>(kinds)[kinds.sel->get_index(i)];
      const bool replaces = kind == kUpdatedRow || kind == kDeletedRow;
      if (replaces || kind == kUnchangedRow) {
        const duckdb::string_t& path = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(paths)[paths.sel->get_index(i)];
        const int64_t row = duckdb::UnifiedVectorFormat::GetData<int64_t>(rows)[rows.sel->get_index(i)];
        if (!local.marks.Note({path.GetData(), path.GetSize()}, row, replaces)) RefuseSecondMatch();
      }
      changed += kind == kUnchangedRow ? 0 : 1;
      if (kind == kInsertedRow || kind == kUpdatedRow) written.set_index(written_count++, i);
    }
    global.rows += changed;
    return written_count;
  }

  [[noreturn]] void RefuseSecondMatch() const {
    throw InvalidArgument("Cannot run MERGE INTO '{}': a row of it matches more than one row of the source. Make the source "
                          "rows distinct, or the condition of ON narrower", table_->name().ToString());
  }

  std::unique_ptr<TableWrite> NewWriter(const std::shared_ptr<WriteMemory>& memory) const {
    WriteSettings settings;
    settings.memory = memory;
    return TableWrite::Create(table_, settings);
  }

  void Flush(ChangesGlobalState& global, ChangesLocalState& local) const {
    auto batch = local.batch->Take();
    if (batch == nullptr) return;
    if (ordered()) {
      // Sequence numbers of a bucket come from one writer.
      std::lock_guard lock(global.mutex);
      if (global.writers.empty()) global.writers.push_back(NewWriter(global.memory));
      global.writers.front()->Write(batch);
      return;
    }
    if (!local.writer) local.writer = NewWriter(global.memory);
    local.writer->Write(batch);
  }

  bool ordered() const { return BucketModeOf(table_->schema()) != BucketMode::kUnaware; }

  // The rows that stay of files with changed rows go into the same new files as the changed ones.
  void WriteKept(duckdb::ClientContext& context, const RowDeletion& deletion, ChangesGlobalState& global,
                 Executor& executor) const {
    const size_t files = deletion.rewritten_count();
    if (files == 0) return;
    const size_t writers = ordered() ? 1 : std::min(files, executor.parallelism());
    while (global.writers.size() < writers) global.writers.push_back(NewWriter(global.memory));
    std::atomic<size_t> next{0};
    executor.ForEach(writers, [&](size_t writer) {
      for (size_t file = next++; file < files; file = next++) {
        deletion.ReadKept(file, [&](const std::shared_ptr<arrow::RecordBatch>& batch) {
          if (context.IsInterrupted()) throw Cancelled("Interrupted");
          global.writers[writer]->Write(batch);
        });
      }
    });
  }

  duckdb::Catalog& catalog_;
  TablePtr table_;
  std::optional<Snapshot> snapshot_;
  bool vectors_;
  idx_t column_count_;
};

}  // namespace

duckdb::PhysicalOperator& PlanRowChanges(duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
                                         MicaTableEntry& entry, TablePtr table, duckdb::PhysicalOperator& rows,
                                         const duckdb::vector<duckdb::LogicalType>& result_types) {
  auto& transaction = MicaTransaction::Get(context, entry.ParentCatalog());
  if (transaction.pending(table->name()) != nullptr) {
    throw Unsupported("The table '{}' was written in this transaction: its rows cannot be changed before the commit",
                      table->name().ToString());
  }
  auto& change = planner.Make<PhysicalChangeRows>(result_types, rows.estimated_cardinality, entry.ParentCatalog(),
                                                  std::move(table), entry.snapshot());
  change.children.push_back(rows);
  return change;
}

}  // namespace mica::sql
