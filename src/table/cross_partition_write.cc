// Writes tables whose keys may move between partitions (Engine 6): rows wait until it is known where their keys lie
// already, then each goes to the place that the merge engine says.
#include <chrono>
#include <map>

#include <arrow/api.h>

#include "base/arrow.h"
#include "base/clock.h"
#include "base/text.h"
#include "index/key_places.h"
#include "merge/row_selection.h"
#include "merge/row_sorter.h"
#include "merge/spill_folder.h"
#include "meta/merge_options.h"
#include "table/bucket_write.h"
#include "table/read.h"
#include "table/row_router.h"
#include "table/scan.h"
#include "types/arrow_types.h"
#include "types/binary_row.h"

namespace mica {

namespace {

constexpr int8_t kDelete = 3;
// Up to so many rows their keys are named in the search for them.
constexpr int64_t kNamedKeys = 1000;

// Partitions and buckets by number, with the rows in each bucket, from which the next new key's bucket follows.
class Places {
 public:
  explicit Places(int64_t target_rows) : target_rows_(target_rows) {}

  uint32_t Number(const std::string& partition, int32_t bucket) {
    auto [it, is_new] = numbers_.emplace(std::pair(partition, bucket), static_cast<uint32_t>(places_.size()));
    if (is_new) places_.push_back(&it->first);
    return it->second + kFirst;
  }
  const std::string& partition(uint32_t place) const { return At(place).first; }
  int32_t bucket(uint32_t place) const { return At(place).second; }

  void ForgetRows() { rows_.clear(); }
  void AddRows(const std::string& partition, int32_t bucket, int64_t rows) { rows_[partition][bucket] += rows; }

  // The first bucket that is not full.
  uint32_t NewKey(const std::string& partition) {
    std::map<int32_t, int64_t>& buckets = rows_[partition];
    int32_t bucket = 0;
    for (; true; ++bucket) {
      auto found = buckets.find(bucket);
      if (found == buckets.end() || found->second < target_rows_) break;
    }
    ++buckets[bucket];
    return Number(partition, bucket);
  }
  void RemoveKey(uint32_t place) { --rows_[partition(place)][bucket(place)]; }

 private:
  using Place = std::pair<std::string, int32_t>;
  static constexpr uint32_t kFirst = KeyPlaces::kNowhere + 1;
  const Place& At(uint32_t place) const { return *places_[place - kFirst]; }

  int64_t target_rows_;
  std::map<Place, uint32_t> numbers_;
  std::vector<const Place*> places_;
  std::map<std::string, std::map<int32_t, int64_t>> rows_;
};

class CrossPartitionWrite final : public TableWrite {
 public:
  CrossPartitionWrite(TablePtr table, WriteSettings settings)
      : table_(std::move(table)),
        settings_(WithMemory(std::move(settings))),
        engine_(MergeOptionsOf(table_->schema()).engine),
        incoming_(*table_),
        partitions_(table_->schema()),
        keys_(KeyColumns(), KeyTypes()),
        places_(table_->options().Integer("dynamic-bucket.target-row-num", 2'000'000)),
        spill_(settings_.spill_folder),
        inner_(MakeBucketWrite(table_, settings_)) {
    for (const DataField& field : table_->schema().PartitionFields()) {
      partition_columns_.push_back(FindField(table_->schema().fields, field.name));
      partition_types_.push_back(field.type);
    }
    NewArrivals();
  }

  void Write(const std::shared_ptr<arrow::RecordBatch>& input) override {
    if (input->num_rows() == 0) return;
    const IncomingBatch batch = incoming_.Take(input);
    if (batch.rows->num_rows() == 0) return;
    const auto rows = WithoutKinds(batch);
    if (std::exchange(prepared_, false)) ForgetCommitted();
    keys_.Note(*rows);
    NoteNames(*rows);
    const auto kinds = batch.with_kinds ? batch.rows->column(batch.rows->num_columns() - 1) : nullptr;
    arrivals_->Add(*rows, kinds.get());
    rows_ += rows->num_rows();
    Count();
    if (settings_.memory->used() > settings_.memory->limit()) {
      arrivals_->SpillTo(spill_.path());
      Count();
    }
  }

  std::vector<CommitMessage> PrepareCommit() override {
    const auto base = table_->snapshots().Latest();
    if (base && !settings_.ignore_existing && keys_.key_count() > 0) Locate(*base);
    located_in_ = base ? base->id : 0;
    arrivals_->Flush([&](const std::shared_ptr<arrow::RecordBatch>& batch) { Place(*batch); });
    NewArrivals();
    names_.clear();
    named_ = true;
    prepared_ = true;
    Count();
    std::vector<CommitMessage> messages = inner_->PrepareCommit();
    if (settings_.ignore_existing) return messages;
    for (CommitMessage& message : messages) message.located_in = located_in_;
    return messages;
  }

  int64_t rows_written() const override { return rows_; }

  ~CrossPartitionWrite() override { settings_.memory->Add(-held_); }

 private:
  static WriteSettings WithMemory(WriteSettings settings) {
    if (!settings.memory) settings.memory = std::make_shared<WriteMemory>(settings.memory_bytes);
    return settings;
  }
  std::vector<int> KeyColumns() const {
    std::vector<int> columns;
    for (const std::string& key : table_->schema().primary_keys)
      columns.push_back(FindField(table_->schema().fields, key));
    return columns;
  }
  std::vector<DataType> KeyTypes() const {
    std::vector<DataType> types;
    for (const std::string& key : table_->schema().primary_keys) types.push_back(table_->schema().Field(key).type);
    return types;
  }
  void NewArrivals() { arrivals_ = std::make_unique<RowSorter>(table_->schema().fields, std::vector<int>{}, 0); }

  std::shared_ptr<arrow::RecordBatch> WithoutKinds(const IncomingBatch& batch) const {
    return batch.with_kinds ? Take(batch.rows->RemoveColumn(batch.rows->num_columns() - 1)) : batch.rows;
  }

  void Count() {
    const int64_t now = keys_.memory_bytes() + arrivals_->memory_bytes();
    settings_.memory->Add(now - held_);
    held_ = now;
  }

  // Before the first row of the next part of a commit, or of the next commit. Where keys went counts until a snapshot
  // has it; a snapshot of others makes what was prepared a conflict.
  void ForgetCommitted() {
    const auto latest = table_->snapshots().Latest();
    if (settings_.ignore_existing || (latest ? latest->id : 0) == located_in_) return;
    keys_.Clear();
    Count();
  }

  // Values of the first key column, as long as they are few.
  void NoteNames(const arrow::RecordBatch& batch) {
    if (!named_) return;
    if (keys_.key_count() > kNamedKeys) {
      named_ = false;
      names_.clear();
      return;
    }
    const DataField& first = table_->schema().Field(table_->schema().primary_keys[0]);
    const arrow::Array& values = *batch.column(FindField(table_->schema().fields, first.name));
    for (int64_t i = 0; i < values.length(); ++i) names_.push_back(ValueAt(values, i, first.type));
  }

  // Where a compaction has yet to show rows, their keys would be missed.
  void CheckLevelZeroIsRead() const {
    if (engine_ != MergeEngine::kFirstRow && !table_->options().Bool("deletion-vectors.enabled", false)) return;
    throw Conflict(
        "Cannot write to table '{}': keys of its rows that wait for a compaction would be missed, since the "
        "primary key [{}] lacks partition columns. Run sys.compact first",
        table_->name().ToString(), Join(table_->schema().primary_keys, ", "));
  }

  // Keys whose files are all older than `cross-partition-upsert.index-ttl` count as gone.
  void LeaveOutOld(std::vector<Split>* splits) const {
    constexpr std::string_view kLifetime = "cross-partition-upsert.index-ttl";
    if (!table_->options().Find(kLifetime)) return;
    const auto lifetime =
        std::chrono::duration_cast<std::chrono::milliseconds>(table_->options().Duration(kLifetime, {}));
    const int64_t oldest = LocalWallMillis(SystemClock()()) - lifetime.count();
    std::erase_if(*splits, [&](const Split& split) {
      const std::vector<DataFileMeta> files(split.files);
      return std::none_of(files.begin(), files.end(), [&](const DataFileMeta& file) {
        return file.creation_time_millis.value_or(INT64_MAX) >= oldest;
      });
    });
  }

  // Reads the keys of the table and notes the places of those that are about to be written.
  void Locate(const Snapshot& base) {
    const TableSchema& schema = table_->schema();
    Executor& executor = settings_.executor ? *settings_.executor : InlineExecutor();
    ManifestFilter filter;
    filter.without_stats = true;
    places_.ForgetRows();
    for (const ManifestEntry& entry : LiveEntries(table_->manifests(), base, filter, nullptr, executor)) {
      if (entry.file.level == 0) CheckLevelZeroIsRead();
      places_.AddRows(entry.partition, entry.bucket, entry.file.row_count);
    }
    ScanRequest scan;
    scan.snapshot = base;
    scan.executor = &executor;
    if (named_)
      scan.predicate = Predicate::In(schema.primary_keys[0], schema.Field(schema.primary_keys[0]).type, names_);
    ScanPlan plan = PlanScan(*table_, scan);
    LeaveOutOld(&plan.splits);
    ReadRequest read;
    read.predicate = scan.predicate;
    read.fields = schema.FieldsOf(schema.primary_keys);
    std::vector<int> columns;
    for (size_t i = 0; i < read.fields.size(); ++i) columns.push_back(static_cast<int>(i));
    std::vector<uint32_t> numbers;
    for (const Split& split : plan.splits) numbers.push_back(places_.Number(split.partition, split.bucket));
    executor.ForEach(plan.splits.size(), [&](size_t i) {
      auto reader = ReadSplit(*table_, plan.splits[i], read);
      std::vector<KeyPlaces::Found> found;
      while (auto batch = reader->Next()) {
        keys_.Find(*batch, columns, &found);
        for (const auto& key : found) {
          if (key.found && keys_.place(key.slot) == KeyPlaces::kNowhere) keys_.set_place(key.slot, numbers[i]);
        }
      }
    });
  }

  // What becomes of one batch of arrivals: rows, some of them in another partition than they say.
  struct Placed {
    std::vector<int32_t> rows;
    std::vector<int8_t> kinds;
    std::vector<int32_t> buckets;
    std::vector<const std::string*> moved;  // the partition that takes the place of the row's own; nullptr: stays
    bool any_moved = false;
    void Add(int32_t row, int8_t kind, int32_t bucket, const std::string* partition) {
      rows.push_back(row);
      kinds.push_back(kind);
      buckets.push_back(bucket);
      moved.push_back(partition);
      any_moved = any_moved || partition != nullptr;
    }
  };

  // `batch`: _SEQUENCE_NUMBER, _VALUE_KIND, the table's columns.
  void Place(const arrow::RecordBatch& batch) {
    const auto columns = batch.columns();
    const auto fields = batch.schema()->fields();
    const auto rows =
        arrow::RecordBatch::Make(arrow::schema(arrow::FieldVector(fields.begin() + 2, fields.end())), batch.num_rows(),
                                 arrow::ArrayVector(columns.begin() + 2, columns.end()));
    const int8_t* kinds = static_cast<const arrow::Int8Array&>(*columns[1]).raw_values();
    std::vector<uint32_t> partitions;
    partitions_.Number(*rows, &partitions);
    std::vector<KeyPlaces::Found> keys;
    keys_.Find(*rows, KeyColumns(), &keys);
    Placed placed;
    for (int64_t i = 0; i < rows->num_rows(); ++i) {
      const auto row = static_cast<int32_t>(i);
      const std::string& partition = partitions_.partition(partitions[static_cast<size_t>(i)]);
      const KeyPlaces::Slot slot = keys[static_cast<size_t>(i)].slot;
      const uint32_t place = keys_.place(slot);
      if (place != KeyPlaces::kNowhere) {
        const bool elsewhere = places_.partition(place) != partition;
        if (!elsewhere || engine_ == MergeEngine::kPartialUpdate || engine_ == MergeEngine::kAggregation) {
          placed.Add(row, kinds[i], places_.bucket(place), elsewhere ? &places_.partition(place) : nullptr);
          continue;
        }
        if (engine_ == MergeEngine::kFirstRow) continue;
        // The key leaves its partition.
        placed.Add(row, kDelete, places_.bucket(place), &places_.partition(place));
        places_.RemoveKey(place);
      }
      const uint32_t chosen = places_.NewKey(partition);
      keys_.set_place(slot, chosen);
      placed.Add(row, kinds[i], places_.bucket(chosen), nullptr);
    }
    if (!placed.rows.empty()) inner_->WriteTo({RowsOf(rows, placed), true}, placed.buckets);
  }

  std::shared_ptr<arrow::RecordBatch> RowsOf(const std::shared_ptr<arrow::RecordBatch>& rows,
                                             const Placed& placed) const {
    auto out = SelectRows(rows, placed.rows);
    if (placed.any_moved) {
      for (size_t c = 0; c < partition_columns_.size(); ++c) {
        const int column = partition_columns_[c];
        const auto own = out->column(column);
        auto builder = Take(arrow::MakeBuilder(own->type()));
        const std::string* last = nullptr;
        Value value;
        for (size_t i = 0; i < placed.moved.size(); ++i) {
          if (placed.moved[i] == nullptr) {
            Check(builder->AppendArraySlice(arrow::ArraySpan(*own->data()), static_cast<int64_t>(i), 1));
            continue;
          }
          if (placed.moved[i] != last) {
            last = placed.moved[i];
            value = BinaryRow::Deserialize(*last).Get(static_cast<int>(c), partition_types_[c]);
          }
          AppendValue(value, partition_types_[c], builder.get());
        }
        out = Take(out->SetColumn(column, out->schema()->field(column), Take(builder->Finish())));
      }
    }
    arrow::Int8Builder kinds;
    Check(kinds.AppendValues(placed.kinds));
    return Take(out->AddColumn(out->num_columns(), arrow::field(std::string(kValueKind), arrow::int8(), false),
                               Take(kinds.Finish())));
  }

  TablePtr table_;
  WriteSettings settings_;
  MergeEngine engine_;
  IncomingRows incoming_;
  PartitionNumbers partitions_;
  std::vector<int> partition_columns_;
  std::vector<DataType> partition_types_;
  KeyPlaces keys_;
  Places places_;
  int64_t located_in_ = 0;  // the snapshot in which keys were looked up last; 0: none
  bool prepared_ = false;   // nothing has come since
  bool named_ = true;
  std::vector<Value> names_;
  SpillFolder spill_;
  std::unique_ptr<RowSorter> arrivals_;
  std::unique_ptr<BucketWrite> inner_;
  int64_t held_ = 0;  // of the memory
  int64_t rows_ = 0;
};

}  // namespace

std::unique_ptr<TableWrite> MakeCrossPartitionWrite(TablePtr table, WriteSettings settings) {
  return std::make_unique<CrossPartitionWrite>(std::move(table), std::move(settings));
}

}  // namespace mica
