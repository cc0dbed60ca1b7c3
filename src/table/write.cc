#include "table/write.h"

#include <cstdlib>

#include <arrow/api.h>

#include "base/arrow.h"
#include "base/text.h"
#include "base/uuid.h"
#include "merge/pending_rows.h"
#include "merge/row_sorter.h"
#include "merge/sort_buffer.h"
#include "merge/spill_folder.h"
#include "meta/merge_options.h"
#include "table/bucket_write.h"
#include "table/dynamic_buckets.h"
#include "table/existing_buckets.h"
#include "table/rolling_file.h"
#include "table/row_router.h"
#include "types/arrow_types.h"

namespace mica {

namespace {

// Append rows are handed to the encoder in stretches of at least this size: what arrives in bigger ones is not copied.
constexpr int64_t kEncodeRows = 65536;
constexpr int64_t kEncodeBytes = 16 << 20;
// An encoder may hold this part of the memory, beside the buffers: encoders of several buckets run side by side.
constexpr int64_t kEncoderShare = 8;
constexpr int64_t kLeastEncoderBytes = 2 << 20;
// So do the sorted batches that it is given.
constexpr int64_t kBatchShare = 16;
constexpr int64_t kLeastBatchBytes = 64 << 10;

// The rows of one partition and bucket.
struct Target {
  std::string partition;
  int32_t bucket = 0;
  std::unique_ptr<RollingFile> files;
  // Primary key.
  std::unique_ptr<SortBuffer> sorted;
  // changelog-producer = input: every row as it came.
  std::unique_ptr<RowSorter> changes;
  std::unique_ptr<RollingFile> changelog;
  // Append: waiting for the encoder.
  std::optional<PendingRows> pending;
  int64_t memory = 0;  // as counted last
};

class Writer final : public BucketWrite {
 public:
  Writer(TablePtr table, WriteSettings settings, std::function<int32_t(const std::string&)> total_buckets)
      : table_(std::move(table)),
        settings_(std::move(settings)),
        mode_(BucketModeOf(table_->schema())),
        keyed_(table_->schema().has_primary_key()),
        memory_(settings_.memory ? settings_.memory : std::make_shared<WriteMemory>(settings_.memory_bytes)),
        spill_(settings_.spill_folder),
        total_buckets_(std::move(total_buckets)),
        incoming_(*table_),
        partitions_(table_->schema()) {
    const TableSchema& schema = table_->schema();
    if (mode_ == BucketMode::kHashFixed) {
      function_ = BucketFunctionOf(table_->options().Text("bucket-function.type", "default"));
      for (const DataField& field : schema.FieldsOf(schema.BucketKeys())) {
        bucket_columns_.push_back(FindField(schema.fields, field.name));
        bucket_types_.push_back(field.type);
      }
      CheckBucketKey(function_, bucket_types_);
    }
    if (keyed_) {
      PrepareKeys();
    } else {
      append_schema_ = ToArrowSchema(schema.fields);
    }
    needs_existing_ = !settings_.ignore_existing && (keyed_ || mode_ == BucketMode::kHashFixed);
    if (mode_ == BucketMode::kHashDynamic) dynamic_buckets_.emplace(table_, settings_.ignore_existing);
    WriteOptionsAt(schema, 0);  // refuses an unknown format before any row
  }

  ~Writer() override { memory_->Add(-held_); }

  void Write(const std::shared_ptr<arrow::RecordBatch>& input) override {
    if (input->num_rows() == 0) return;
    const IncomingBatch batch = incoming_.Take(input);
    if (batch.rows->num_rows() > 0) Put(batch, nullptr);
  }

  void WriteTo(const IncomingBatch& batch, const std::vector<int32_t>& buckets) override {
    if (batch.rows->num_rows() > 0) Put(batch, &buckets);
  }

  std::vector<CommitMessage> PrepareCommit() override {
    std::vector<std::vector<DataFileMeta>> files(targets_.size()), changelog(targets_.size());
    std::vector<CommitMessage> messages;
    try {
      FinishFiles(&files, &changelog);
      CollectMessages(&files, &changelog, &messages);
      StartAnew();
    } catch (...) {
      // Nobody else knows these files.
      for (size_t i = 0; i < files.size(); ++i) {
        if (files[i].empty() && changelog[i].empty()) continue;
        CommitMessage& message = messages.emplace_back();
        message.partition = targets_[i].partition;
        message.bucket = targets_[i].bucket;
        message.data.new_files = std::move(files[i]);
        message.data.changelog_files = std::move(changelog[i]);
      }
      AbortMessages(*table_, messages);
      throw;
    }
    return messages;
  }

  int64_t rows_written() const override { return rows_; }

 private:
  void Put(const IncomingBatch& batch, const std::vector<int32_t>* buckets) {
    std::vector<uint32_t> targets;
    Route(*batch.rows, buckets, &targets);
    RoutedBatch routed = GroupRows(batch.rows, targets, static_cast<uint32_t>(targets_.size()));
    for (const RoutedBatch::Part& part : routed.parts) {
      bool whole = part.end - part.begin == routed.batch->num_rows();
      Add(targets_[part.target], whole ? routed.batch : routed.batch->Slice(part.begin, part.end - part.begin),
          batch.with_kinds);
    }
    rows_ += batch.rows->num_rows();
    KeepBudget();
  }

  // _SEQUENCE_NUMBER, _VALUE_KIND and the columns in the layout of files (Format 8.1).
  std::shared_ptr<arrow::RecordBatch> WithKeys(const std::shared_ptr<arrow::RecordBatch>& batch) const {
    if (sort_.thin) return batch;
    arrow::ArrayVector columns;
    arrow::FieldVector fields;
    for (int key : sort_.key_columns) {
      columns.push_back(batch->column(key + 2));
      fields.push_back(batch->schema()->field(key + 2)->WithName(std::string(kKeyPrefix) + batch->column_name(key + 2)));
    }
    columns.insert(columns.end(), batch->columns().begin(), batch->columns().end());
    fields.insert(fields.end(), batch->schema()->fields().begin(), batch->schema()->fields().end());
    return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch->num_rows(), std::move(columns));
  }

  void FinishFiles(std::vector<std::vector<DataFileMeta>>* files, std::vector<std::vector<DataFileMeta>>* changelog) {
    executor().ForEach(targets_.size(), [&](size_t i) {
      Target& target = targets_[i];
      if (keyed_) {
        target.sorted->Flush([&](const std::shared_ptr<arrow::RecordBatch>& batch) { target.files->Write(batch); });
        if (target.changes) {
          target.changes->Flush([&](const std::shared_ptr<arrow::RecordBatch>& batch) {
            target.changelog->Write(WithKeys(batch));
          });
          (*changelog)[i] = target.changelog->Finish();
        }
      } else {
        Encode(target);
      }
      (*files)[i] = target.files->Finish();
    });
  }

  void CollectMessages(std::vector<std::vector<DataFileMeta>>* files,
                       std::vector<std::vector<DataFileMeta>>* changelog, std::vector<CommitMessage>* messages) {
    std::map<std::pair<std::string, int32_t>, size_t> by_bucket;
    auto message_of = [&](const std::string& partition, int32_t bucket) -> CommitMessage& {
      auto [it, is_new] = by_bucket.emplace(std::pair(partition, bucket), messages->size());
      if (is_new) {
        CommitMessage& message = messages->emplace_back();
        message.partition = partition;
        message.bucket = bucket;
        message.total_buckets = total_buckets_                      ? total_buckets_(partition)
                                : mode_ == BucketMode::kHashFixed ? table_->options().bucket()
                                                                    : -1;
      }
      return (*messages)[it->second];
    };
    for (size_t i = 0; i < targets_.size(); ++i) {
      Count(targets_[i]);
      if ((*files)[i].empty() && (*changelog)[i].empty()) continue;
      FileChanges& data = message_of(targets_[i].partition, targets_[i].bucket).data;
      data.new_files = std::exchange((*files)[i], {});
      data.changelog_files = std::exchange((*changelog)[i], {});
    }
    if (dynamic_buckets_) dynamic_buckets_->Finish(messages, message_of);
  }

  // What others commit until the next row counts for it too, and so does what this writer has given out already.
  void StartAnew() {
    for (Target& target : targets_) {
      own_next_[{target.partition, target.bucket}] =
          keyed_ ? target.sorted->next_sequence() : target.files->next_sequence();
      memory_->Add(-target.memory);
      held_ -= target.memory;
    }
    targets_.clear();
    target_numbers_.clear();
    existing_.reset();
  }

  void PrepareKeys() {
    const TableSchema& schema = table_->schema();
    sort_.schema = ToArrowSchema(schema.fields);
    for (const DataField& key : schema.KeyFields()) {
      sort_.key_columns.push_back(FindField(schema.fields, key.name));
      sort_.key_types.push_back(key.type);
    }
    const MergeOptions options = MergeOptionsOf(schema);
    for (const std::string& name : options.sequence_fields) {
      sort_.user_sequence_columns.push_back(FindField(schema.fields, name));
      sort_.user_sequence_types.push_back(schema.Field(name).type);
    }
    sort_.user_sequence_ascending = options.sequence_ascending;
    if (!options.newest_row_wins()) {
      std::vector<DataField> fields = schema.fields;
      fields.push_back(SequenceNumberField());
      fields.push_back(ValueKindField());
      sort_.rules = MakeMergeRules(options, schema, fields);
    }
    sort_.thin = table_->options().Bool("data-file.thin-mode", false);
    // Overwriting gives no changelog (Engine 1.9).
    input_changelog_ =
        !settings_.ignore_existing && EqualsIgnoreCase(table_->options().Text("changelog-producer", "none"), "input");
  }

  Executor& executor() { return settings_.executor ? *settings_.executor : InlineExecutor(); }

  // At the first row of a commit.
  void Begin() {
    if (dynamic_buckets_) dynamic_buckets_->Load(table_->snapshots().Latest());
    existing_.emplace(table_);
  }

  void Route(const arrow::RecordBatch& batch, const std::vector<int32_t>* given, std::vector<uint32_t>* targets) {
    if (!existing_) Begin();
    partitions_.Number(batch, targets);
    if (needs_existing_) existing_->Cover(partitions_, executor());
    size_t rows = targets->size();
    std::vector<int32_t> buckets;
    if (given != nullptr) {
      buckets = *given;
    } else if (mode_ == BucketMode::kHashFixed) {
      buckets = BucketsOf(function_, batch, bucket_columns_, bucket_types_, table_->options().bucket());
    } else if (mode_ == BucketMode::kHashDynamic) {
      buckets = dynamic_buckets_->BucketsOf(batch, *targets, partitions_);
    }
    uint64_t last = UINT64_MAX;
    uint32_t last_target = 0;
    for (size_t i = 0; i < rows; ++i) {
      uint32_t bucket = buckets.empty() ? 0 : static_cast<uint32_t>(buckets[i]);
      uint64_t key = static_cast<uint64_t>((*targets)[i]) << 32 | bucket;
      if (key != last) {
        last = key;
        auto [it, is_new] = target_numbers_.emplace(key, static_cast<uint32_t>(targets_.size()));
        if (is_new) NewTarget(partitions_.partition((*targets)[i]), static_cast<int32_t>(bucket));
        last_target = it->second;
      }
      (*targets)[i] = last_target;
    }
  }

  void NewTarget(const std::string& partition, int32_t bucket) {
    Target target;
    target.partition = partition;
    target.bucket = bucket;
    int64_t next_sequence = existing_->MaxSequence(partition, bucket) + 1;
    auto own = own_next_.find({partition, bucket});
    if (own != own_next_.end()) next_sequence = std::max(next_sequence, own->second);
    if (mode_ == BucketMode::kHashFixed) CheckBucketCount(partition);
    target.files = std::make_unique<RollingFile>(table_, partition, bucket, 0, FileSource::kAppend, SystemClock());
    target.files->set_encoder_bytes(std::max(memory_->limit() / kEncoderShare, kLeastEncoderBytes));
    if (keyed_) {
      SortBufferSpec spec = sort_;
      spec.next_sequence = next_sequence;
      spec.batch_bytes = std::clamp(memory_->limit() / kBatchShare, kLeastBatchBytes, spec.batch_bytes);
      target.sorted = std::make_unique<SortBuffer>(std::move(spec));
      if (input_changelog_) {
        std::vector<int> columns = sort_.key_columns;
        columns.insert(columns.end(), sort_.user_sequence_columns.begin(), sort_.user_sequence_columns.end());
        target.changes = std::make_unique<RowSorter>(table_->schema().fields, columns, next_sequence);
        target.changelog = std::make_unique<RollingFile>(table_, partition, bucket, 0, FileSource::kAppend, SystemClock(),
                                                         /*changelog=*/true);
      }
    } else {
      target.files->set_next_sequence(next_sequence);
      target.pending.emplace(append_schema_);
    }
    targets_.push_back(std::move(target));
  }

  void CheckBucketCount(const std::string& partition) {
    const int32_t total = existing_->TotalBuckets(partition);
    if (total == 0 || total == table_->options().bucket()) return;
    throw InvalidArgument("Try to write table '{}' with a new bucket num {}, but the previous bucket num is {}. Rescale the "
                          "data first, by INSERT OVERWRITE of the partition", table_->name().ToString(),
                          table_->options().bucket(), total);
  }

  void Add(Target& target, std::shared_ptr<arrow::RecordBatch> batch, bool with_kinds) {
    if (keyed_) {
      if (with_kinds) {
        int last = batch->num_columns() - 1;
        auto kinds = batch->column(last);
        auto rows = Take(batch->RemoveColumn(last));
        target.sorted->Add(*rows, kinds.get());
        if (target.changes) target.changes->Add(*rows, kinds.get());
      } else {
        target.sorted->Add(*batch);
        if (target.changes) target.changes->Add(*batch);
      }
      Count(target);
      return;
    }
    if (with_kinds) batch = Take(batch->RemoveColumn(batch->num_columns() - 1));
    if (target.pending->row_count() == 0 && batch->num_rows() >= kEncodeRows) {
      target.files->Write(batch);
    } else {
      target.pending->Add(*batch);
      if (target.pending->row_count() >= kEncodeRows || target.pending->data_bytes() >= kEncodeBytes) Encode(target);
    }
    Count(target);
  }

  void Encode(Target& target) {
    if (auto batch = target.pending->Take()) target.files->Write(batch);
  }

  void Count(Target& target) {
    int64_t now = keyed_ ? target.sorted->memory_bytes() + (target.changes ? target.changes->memory_bytes() : 0)
                         : target.pending->memory_bytes() + target.files->BufferedBytes();
    memory_->Add(now - target.memory);
    held_ += now - target.memory;
    target.memory = now;
  }

  // The biggest first, until half of the budget is free again.
  void KeepBudget() {
    if (memory_->used() <= memory_->limit()) return;
    std::vector<Target*> order;
    for (Target& target : targets_) {
      if (target.memory > 0) order.push_back(&target);
    }
    std::sort(order.begin(), order.end(), [](const Target* a, const Target* b) { return a->memory > b->memory; });
    for (Target* target : order) {
      if (memory_->used() <= memory_->limit() / 2) break;
      if (keyed_) {
        target->sorted->SpillTo(spill_.path());
        if (target->changes) target->changes->SpillTo(spill_.path());
      } else {
        Encode(*target);
        target->files->CloseFile();
      }
      Count(*target);
    }
  }

  TablePtr table_;
  WriteSettings settings_;
  BucketMode mode_;
  bool keyed_;
  std::shared_ptr<WriteMemory> memory_;
  SpillFolder spill_;
  std::function<int32_t(const std::string&)> total_buckets_;
  IncomingRows incoming_;
  PartitionNumbers partitions_;
  BucketFunction function_{};
  std::vector<int> bucket_columns_;
  std::vector<DataType> bucket_types_;
  SortBufferSpec sort_;
  bool input_changelog_ = false;
  std::shared_ptr<arrow::Schema> append_schema_;
  std::optional<DynamicBuckets> dynamic_buckets_;
  bool needs_existing_;
  std::optional<ExistingBuckets> existing_;
  std::map<std::pair<std::string, int32_t>, int64_t> own_next_;  // sequence numbers behind those given out
  std::unordered_map<uint64_t, uint32_t> target_numbers_;
  std::vector<Target> targets_;
  int64_t held_ = 0;  // of the memory, by this writer
  int64_t rows_ = 0;
};

}  // namespace

std::unique_ptr<TableWrite> TableWrite::Create(TablePtr table, WriteSettings settings) {
  CheckWritable(table->schema());
  switch (BucketModeOf(table->schema())) {
    case BucketMode::kPostpone:
      return MakePostponeWrite(std::move(table), std::move(settings));
    case BucketMode::kKeyDynamic:
      return MakeCrossPartitionWrite(std::move(table), std::move(settings));
    default:
      return MakeBucketWrite(std::move(table), std::move(settings));
  }
}

std::unique_ptr<BucketWrite> MakeBucketWrite(TablePtr table, WriteSettings settings,
                                             std::function<int32_t(const std::string&)> total_buckets) {
  return std::make_unique<Writer>(std::move(table), std::move(settings), std::move(total_buckets));
}

void AbortMessages(const Table& table, const std::vector<CommitMessage>& messages) {
  auto remove = [&](const std::string& path) {
    try {
      table.file_system().DeleteFile(path);
    } catch (const Error&) {
      // An orphan: nothing refers to it, and the error that led here matters more.
    }
  };
  for (const CommitMessage& message : messages) {
    std::unordered_set<std::string> kept;
    for (const DataFileMeta& file : message.compact.deleted_files) kept.insert(file.file_name);
    for (const FileChanges* changes : {&message.data, &message.compact}) {
      for (const auto* files : {&changes->new_files, &changes->changelog_files}) {
        for (const DataFileMeta& file : *files) {
          if (kept.contains(file.file_name)) continue;  // an upgraded file is an old file
          for (const std::string& path : table.paths().DataFilePaths(message.partition, message.bucket, file)) remove(path);
        }
      }
      for (const IndexManifestEntry& entry : changes->new_index_files) remove(table.paths().IndexFilePath(entry));
    }
  }
}

}  // namespace mica
