#include "table/write.h"

#include <cstdlib>

#include <arrow/api.h>

#include "base/arrow.h"
#include "base/text.h"
#include "base/uuid.h"
#include "index/hash_index.h"
#include "merge/pending_rows.h"
#include "merge/sort_buffer.h"
#include "meta/merge_options.h"
#include "table/rolling_file.h"
#include "table/row_check.h"
#include "table/row_kinds.h"
#include "table/row_router.h"
#include "table/row_sorter.h"
#include "table/scan.h"
#include "table/spill_folder.h"
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

// What the table holds already, a bucket (Format 9.1) and a partition at a time.
struct Existing {
  std::map<std::pair<std::string, int32_t>, int64_t> max_sequence;
  std::map<std::string, int32_t> total_buckets;
};

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

class Writer final : public TableWrite {
 public:
  Writer(TablePtr table, WriteSettings settings)
      : table_(std::move(table)),
        settings_(std::move(settings)),
        mode_(BucketModeOf(table_->schema())),
        keyed_(table_->schema().has_primary_key()),
        memory_(settings_.memory ? settings_.memory : std::make_shared<WriteMemory>(settings_.memory_bytes)),
        spill_(settings_.spill_folder),
        row_kinds_(table_->schema()),
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
    if (mode_ == BucketMode::kHashDynamic) PrepareAssigner();
    WriteOptionsAt(schema, 0);  // refuses an unknown format before any row
  }

  ~Writer() override { memory_->Add(-held_); }

  void Write(const std::shared_ptr<arrow::RecordBatch>& input) override {
    if (input->num_rows() == 0) return;
    auto batch = CheckRows(input, table_->schema().fields);
    size_t columns = table_->schema().fields.size();
    bool with_kinds = static_cast<size_t>(batch->num_columns()) == columns + 1 &&
                      batch->schema()->field(static_cast<int>(columns))->name() == kValueKind;
    if (static_cast<size_t>(batch->num_columns()) != columns + (with_kinds ? 1 : 0)) {
      throw InvalidArgument("A batch for table '{}' has {} columns where {} are needed", table_->name().ToString(),
                            batch->num_columns(), columns);
    }
    if (with_kinds && !keyed_) RefuseRetracts(*batch->column(static_cast<int>(columns)));
    if (keyed_) {
      batch = row_kinds_.Apply(batch, &with_kinds);
      if (batch->num_rows() == 0) return;
    }
    LoadExisting();
    std::vector<uint32_t> targets;
    Route(*batch, &targets);
    RoutedBatch routed = GroupRows(batch, targets, static_cast<uint32_t>(targets_.size()));
    for (const RoutedBatch::Part& part : routed.parts) {
      bool whole = part.end - part.begin == routed.batch->num_rows();
      Add(targets_[part.target], whole ? routed.batch : routed.batch->Slice(part.begin, part.end - part.begin), with_kinds);
    }
    rows_ += batch->num_rows();
    KeepBudget();
  }

  std::vector<CommitMessage> PrepareCommit() override {
    std::vector<std::vector<DataFileMeta>> files(targets_.size()), changelog(targets_.size());
    std::vector<CommitMessage> messages;
    try {
      FinishFiles(&files, &changelog);
      CollectMessages(&files, &changelog, &messages);
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
    Executor& executor = settings_.executor ? *settings_.executor : InlineExecutor();
    executor.ForEach(targets_.size(), [&](size_t i) {
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
        message.total_buckets = mode_ == BucketMode::kHashFixed ? table_->options().bucket() : -1;
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
    if (!assigner_) return;
    // Even rows of known keys alone are only right while the keys stay in their buckets.
    for (CommitMessage& message : *messages) NoteBaseHashFiles(message);
    WriteIndexFiles(message_of);
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

  void PrepareAssigner() {
    DynamicBucketAssigner::Options options;
    options.target_rows = table_->options().Integer("dynamic-bucket.target-row-num", options.target_rows);
    options.max_buckets = static_cast<int32_t>(table_->options().Integer("dynamic-bucket.max-buckets", -1));
    assigner_.emplace(options, [this](std::string_view partition) { return LoadHashes(partition); });
  }

  void RefuseRetracts(const arrow::Array& kinds) {
    const auto& values = static_cast<const arrow::Int8Array&>(kinds);
    for (int64_t i = 0; i < values.length(); ++i) {
      if (values.Value(i) & 1) {
        throw InvalidArgument("Table '{}' has no primary key: it cannot take -U or -D rows", table_->name().ToString());
      }
    }
  }

  // The state that new rows come after; read once, at the first row.
  void LoadExisting() {
    if (existing_) return;
    existing_.emplace();
    bool needed = keyed_ || mode_ == BucketMode::kHashFixed;
    if (!needed) return;
    base_ = table_->snapshots().Latest();
    if (!base_ || settings_.ignore_existing) return;
    ManifestFilter filter;
    filter.without_stats = true;
    Executor& executor = settings_.executor ? *settings_.executor : InlineExecutor();
    for (const ManifestEntry& entry : LiveEntries(table_->manifests(), *base_, filter, nullptr, executor)) {
      auto [it, is_new] = existing_->max_sequence.emplace(std::pair(entry.partition, entry.bucket), INT64_MIN);
      it->second = std::max(it->second, entry.file.max_sequence_number);
      if (entry.total_buckets > 0) existing_->total_buckets[entry.partition] = entry.total_buckets;
    }
    if (mode_ == BucketMode::kHashDynamic && base_->index_manifest) {
      for (IndexManifestEntry& entry : table_->manifests().ReadIndex(*base_->index_manifest)) {
        if (entry.index_type == kHashIndexType) hash_files_[entry.partition].push_back(std::move(entry));
      }
    }
  }

  std::vector<BucketHashes> LoadHashes(std::string_view partition) {
    std::vector<BucketHashes> buckets;
    auto it = hash_files_.find(std::string(partition));
    if (it == hash_files_.end()) return buckets;
    for (const IndexManifestEntry& entry : it->second) {
      buckets.push_back({entry.bucket, ReadHashIndex(table_->file_system(), table_->paths().IndexFilePath(entry), entry.file_size)});
    }
    return buckets;
  }

  template <typename MessageOf>
  void WriteIndexFiles(MessageOf&& message_of) {
    for (const DynamicBucketAssigner::Changed& changed : assigner_->TakeChanged()) {
      IndexManifestEntry entry;
      entry.partition = changed.partition;
      entry.bucket = changed.bucket.bucket;
      entry.index_type = kHashIndexType;
      entry.file_name = index_names_.Next();
      entry.row_count = static_cast<int64_t>(changed.bucket.hashes.size());
      std::string path = table_->paths().IndexFilePath(changed.partition, entry.bucket, entry.file_name);
      CommitMessage& message = message_of(changed.partition, entry.bucket);
      // Named before it is there, so that a failure half-way deletes it as well.
      message.data.new_index_files.push_back(entry);
      entry.file_size = WriteHashIndex(table_->file_system(), path, changed.bucket.hashes);
      message.data.new_index_files.back() = entry;
      auto& files = hash_files_[changed.partition];
      NoteBaseHashFiles(message);
      std::erase_if(files, [&](const IndexManifestEntry& old) { return old.bucket == entry.bucket; });
      files.push_back(std::move(entry));
    }
    // What the next commit of this writer starts from.
    base_hash_files_.clear();
  }

  void NoteBaseHashFiles(CommitMessage& message) {
    if (settings_.ignore_existing) return;
    message.base_hash_files.emplace();
    for (const IndexManifestEntry& base : base_files_of(message.partition)) {
      message.base_hash_files->push_back(base.file_name);
    }
  }

  // The HASH files of a partition as they were before this commit's own.
  const std::vector<IndexManifestEntry>& base_files_of(const std::string& partition) {
    auto it = base_hash_files_.find(partition);
    if (it == base_hash_files_.end()) it = base_hash_files_.emplace(partition, hash_files_[partition]).first;
    return it->second;
  }

  void Route(const arrow::RecordBatch& batch, std::vector<uint32_t>* targets) {
    partitions_.Number(batch, targets);
    size_t rows = targets->size();
    std::vector<int32_t> buckets;
    if (mode_ == BucketMode::kHashFixed) {
      buckets = BucketsOf(function_, batch, bucket_columns_, bucket_types_, table_->options().bucket());
    } else if (mode_ == BucketMode::kHashDynamic) {
      AssignBuckets(batch, *targets, &buckets);
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

  void AssignBuckets(const arrow::RecordBatch& batch, const std::vector<uint32_t>& partition_numbers,
                     std::vector<int32_t>* buckets) {
    std::vector<int32_t> hashes;
    HashRows(batch, sort_.key_columns, sort_.key_types, &hashes);
    buckets->resize(hashes.size());
    std::map<uint32_t, std::vector<size_t>> by_partition;
    for (size_t i = 0; i < hashes.size(); ++i) by_partition[partition_numbers[i]].push_back(i);
    std::vector<int32_t> some_hashes, some_buckets;
    for (const auto& [number, rows] : by_partition) {
      some_hashes.clear();
      for (size_t row : rows) some_hashes.push_back(hashes[row]);
      some_buckets.resize(rows.size());
      assigner_->Assign(partitions_.partition(number), some_hashes, some_buckets);
      for (size_t i = 0; i < rows.size(); ++i) (*buckets)[rows[i]] = some_buckets[i];
    }
  }

  void NewTarget(const std::string& partition, int32_t bucket) {
    Target target;
    target.partition = partition;
    target.bucket = bucket;
    int64_t next_sequence = 0;
    auto known = existing_->max_sequence.find({partition, bucket});
    if (known != existing_->max_sequence.end()) next_sequence = known->second + 1;
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
    auto it = existing_->total_buckets.find(partition);
    if (it == existing_->total_buckets.end() || it->second == table_->options().bucket()) return;
    throw InvalidArgument("Try to write table '{}' with a new bucket num {}, but the previous bucket num is {}. Rescale the "
                          "data first, by INSERT OVERWRITE of the partition", table_->name().ToString(),
                          table_->options().bucket(), it->second);
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
  RowKinds row_kinds_;
  PartitionNumbers partitions_;
  BucketFunction function_{};
  std::vector<int> bucket_columns_;
  std::vector<DataType> bucket_types_;
  SortBufferSpec sort_;
  bool input_changelog_ = false;
  std::shared_ptr<arrow::Schema> append_schema_;
  std::optional<DynamicBucketAssigner> assigner_;
  std::map<std::string, std::vector<IndexManifestEntry>> hash_files_;
  std::map<std::string, std::vector<IndexManifestEntry>> base_hash_files_;
  IndexFileNamer index_names_;
  std::optional<Snapshot> base_;
  std::optional<Existing> existing_;
  std::unordered_map<uint64_t, uint32_t> target_numbers_;
  std::vector<Target> targets_;
  int64_t held_ = 0;  // of the memory, by this writer
  int64_t rows_ = 0;
};

}  // namespace

std::unique_ptr<TableWrite> TableWrite::Create(TablePtr table, WriteSettings settings) {
  CheckWritable(table->schema());
  return std::make_unique<Writer>(std::move(table), std::move(settings));
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
