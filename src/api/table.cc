#include "mica/table.h"

#include <arrow/api.h>
#include <arrow/c/bridge.h>

#include "api/border.h"
#include "api/state.h"
#include "base/arrow.h"
#include "compaction/compact.h"
#include "meta/commit_history.h"
#include "table/read.h"
#include "table/scan.h"
#include "types/arrow_types.h"

namespace mica::api {

namespace {

// The rows of a split for the C interface. The table is kept as long as the stream.
class SplitStream final : public arrow::RecordBatchReader {
 public:
  SplitStream(TablePtr table, std::unique_ptr<BatchReader> reader, std::shared_ptr<arrow::Schema> schema)
      : table_(std::move(table)), reader_(std::move(reader)), schema_(std::move(schema)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    try {
      *batch = reader_->Next();
      return arrow::Status::OK();
    } catch (const std::exception& error) {
      return arrow::Status::IOError(error.what());
    }
  }

 private:
  TablePtr table_;
  std::unique_ptr<BatchReader> reader_;
  std::shared_ptr<arrow::Schema> schema_;
};

std::vector<mica::CommitMessage> MessagesOf(const std::vector<CommitMessage>& messages) {
  std::vector<mica::CommitMessage> all;
  for (const CommitMessage& message : messages) all.push_back(message.state().message);
  return all;
}

OverwriteScope ScopeOf(const std::map<std::string, std::string>& partition, const TableSchema& schema) {
  OverwriteScope scope;
  const std::vector<DataField> fields = schema.PartitionFields();
  for (const auto& [name, text] : partition) {
    const int at = FindField(fields, name);
    if (at < 0) throw InvalidArgument("'{}' is no partition column of the table", name);
    scope.partition[name] = ValueFromString(text, fields[static_cast<size_t>(at)].type);
  }
  return scope;
}

}  // namespace

const std::string& Table::database() const {
  return state_->table->name().database;
}

const std::string& Table::name() const {
  return state_->table->name().table;
}

std::vector<std::string> Table::partition_keys() const {
  return state_->table->schema().partition_keys;
}

std::vector<std::string> Table::primary_keys() const {
  return state_->table->schema().primary_keys;
}

const std::map<std::string, std::string>& Table::options() const {
  return state_->table->schema().options;
}

void Table::ExportSchema(ArrowSchema* out) const {
  AtBorder([&] { Check(arrow::ExportSchema(*ToArrowSchema(state_->table->schema().fields), out)); });
}

std::vector<Split> Table::Plan(const PlanOptions& options) const {
  return AtBorder([&] {
    TimeTravel travel{
        .snapshot_id = options.snapshot_id, .tag = options.tag, .timestamp_millis = options.timestamp_millis};
    if (options.snapshot_id.has_value() + options.tag.has_value() + options.timestamp_millis.has_value() > 1) {
      throw InvalidArgument("Only one of 'snapshot_id', 'tag' and 'timestamp_millis' can be given");
    }
    ResolvedSnapshot resolved = ResolveSnapshot(*state_->table, travel);
    ScanRequest request{.snapshot = resolved.snapshot, .limit = options.limit};
    if (options.filter) {
      request.predicate = ToPredicate(*options.filter, resolved.schema->fields);
      request.limit.reset();
    }
    auto table = state_->table->WithSchema(resolved.schema);
    std::vector<Split> splits;
    for (mica::Split& split : PlanScan(*table, request).splits) {
      splits.emplace_back(std::make_shared<const Split::State>(Split::State{std::move(split), resolved.schema->id}));
    }
    return splits;
  });
}

void Table::Read(const Split& split, const ReadOptions& options, ArrowArrayStream* out) const {
  AtBorder([&] {
    TablePtr table = state_->table;
    if (split.state().schema_id != table->schema().id) {
      table = table->WithSchema(table->schemas().Get(split.state().schema_id));
    }
    const std::vector<DataField>& all = table->schema().fields;
    ReadRequest request{.fields = all, .batch_rows = options.batch_rows};
    if (options.columns) {
      request.fields.clear();
      for (const std::string& name : *options.columns) {
        const int at = FindField(all, name);
        if (at < 0) throw NotFound("The table '{}' has no column '{}'", table->name().ToString(), name);
        request.fields.push_back(all[static_cast<size_t>(at)]);
      }
    }
    if (options.filter) request.predicate = ToPredicate(*options.filter, all);
    auto reader = ReadSplit(*table, split.state().split, request);
    auto stream = std::make_shared<SplitStream>(table, std::move(reader), ToArrowSchema(request.fields));
    Check(arrow::ExportRecordBatchReader(std::move(stream), out));
  });
}

Lookup Table::NewLookup(const LookupOptions& options) const {
  return AtBorder([&] {
    return Lookup(std::make_unique<Lookup::State>(
        Lookup::State{TableLookup(state_->table, {.columns = options.columns, .cache_bytes = options.cache_bytes})}));
  });
}

Writer Table::NewWriter(const WriterOptions& options) const {
  return AtBorder([&] {
    WriteSettings settings{.commit_user = options.user,
                           .memory_bytes = options.memory_bytes,
                           .ignore_existing = options.replaces_rows};
    return Writer(std::make_unique<Writer::State>(
        Writer::State{state_->table, TableWrite::Create(state_->table, std::move(settings))}));
  });
}

std::vector<int64_t> Table::Commit(const std::vector<CommitMessage>& messages, const CommitOptions& options) const {
  return AtBorder([&] {
    CommitSettings settings{.commit_user = options.user,
                            .identifier = options.identifier.value_or(kBatchCommitIdentifier),
                            .properties = options.properties,
                            .publisher = state_->catalog->publisher()};
    std::optional<OverwriteScope> overwrite;
    if (options.overwrite) overwrite = ScopeOf(*options.overwrite, state_->table->schema());
    auto written = MessagesOf(messages);
    return CommitWritten(state_->table, overwrite, settings, &written).snapshot_ids;
  });
}

void Table::Abort(const std::vector<CommitMessage>& messages) const {
  AtBorder([&] { AbortMessages(*state_->table, MessagesOf(messages)); });
}

std::optional<int64_t> Table::LastCommit(const std::string& user) const {
  return AtBorder([&]() -> std::optional<int64_t> {
    const std::optional<Snapshot> last = LastSnapshotOf(state_->table->snapshots(), user);
    return last ? std::optional(last->commit_identifier) : std::nullopt;
  });
}

}  // namespace mica::api
