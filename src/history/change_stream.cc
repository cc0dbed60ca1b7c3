#include "history/change_stream.h"

#include <algorithm>

#include <arrow/api.h>

#include "base/arrow.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "history/compacted_files.h"
#include "history/lines.h"
#include "merge/merge_reader.h"
#include "meta/consumer.h"
#include "meta/startup_mode.h"
#include "meta/versioned_folder.h"
#include "table/creation_time.h"
#include "table/increment.h"
#include "table/live_files.h"
#include "table/partition_filter.h"
#include "table/read.h"
#include "table/row_changes.h"
#include "table/scan.h"

namespace mica {

namespace {

enum class Producer { kNone, kInput, kLookup, kFullCompaction };

Producer ProducerOf(const TableOptions& options) {
  std::string name = ToLower(options.Text("changelog-producer", "none"));
  if (name == "input") return Producer::kInput;
  if (name == "lookup") return Producer::kLookup;
  if (name == "full-compaction") return Producer::kFullCompaction;
  return Producer::kNone;
}

// Rows that all have one kind, in the last column, whether they came with kinds or without.
class OfOneKind final : public BatchReader {
 public:
  OfOneKind(std::unique_ptr<BatchReader> from, int8_t kind) : from_(std::move(from)), kind_(kind) {}

  std::shared_ptr<arrow::RecordBatch> Next() override {
    auto batch = from_->Next();
    if (!batch) return nullptr;
    auto field = arrow::field(std::string(kValueKind), arrow::int8(), false);
    auto kinds = Take(arrow::MakeArrayFromScalar(arrow::Int8Scalar(kind_), batch->num_rows()));
    int last = batch->num_columns() - 1;
    if (last >= 0 && batch->schema()->field(last)->name() == kValueKind) return Take(batch->SetColumn(last, field, kinds));
    return Take(batch->AddColumn(last + 1, field, kinds));
  }

 private:
  std::unique_ptr<BatchReader> from_;
  int8_t kind_;
};

constexpr int8_t kInsert = 0, kDelete = 3;

}  // namespace

class ChangeStream::Body {
 public:
  Body(TablePtr table, Clock clock)
      : table_(std::move(table)),
        clock_(std::move(clock)),
        fields_(std::make_shared<std::vector<DataField>>(table_->schema().fields)),
        options_(table_->options()),
        snapshots_(table_->snapshots()),
        mode_(StartupModeOf(options_)),
        producer_(ProducerOf(options_)),
        consumers_(table_->file_system_ptr(), MetadataRoot(*table_)),
        consumer_(options_.Find("consumer-id")) {
    if (IsIncremental(options_)) throw InvalidArgument("Cannot read incremental in streaming mode.");
    CheckReadable(table_->schema());
    if (options_.Find("scan.tag-name")) throw InvalidArgument("Cannot scan from tag in streaming mode.");
    for (const char* known : {"latest-full", "latest", "compacted-full", "from-timestamp", "from-snapshot", "from-snapshot-full",
                              "from-creation-timestamp", "from-file-creation-time"}) {
      known_mode_ = known_mode_ || mode_ == known;
    }
    if (!known_mode_) throw Unsupported("The option 'scan.mode' = '{}' is not supported for streams", mode_);
    if (options_.Find("scan.bounded.watermark")) bound_ = options_.Integer("scan.bounded.watermark", 0);
    if (options_.Find("streaming.read.snapshot.delay")) {
      delay_ = std::chrono::duration_cast<std::chrono::milliseconds>(
          options_.Duration("streaming.read.snapshot.delay", std::chrono::seconds(0)));
    }
    if (consumer_ && !options_.Find("consumer.expiration-time")) {
      throw InvalidArgument("You need to configure 'consumer.expiration-time' (ALTER TABLE), so that the consumer '{}' does not hold "
                            "snapshots for ever", *consumer_);
    }
  }

  std::unique_ptr<BatchReader> Next() {
    if (ended_) return nullptr;
    if (!next_) {
      if (auto rows = Start()) return rows;
      if (!next_) return nullptr;
    }
    while (!ended_) {
      std::optional<Snapshot> snapshot = Find(*next_);
      if (!snapshot) return nullptr;
      if (bound_ && snapshot->watermark && *snapshot->watermark > *bound_) {
        ended_ = true;
        return nullptr;
      }
      if (delay_ && snapshot->time_millis > clock_() - delay_->count()) return nullptr;
      ++*next_;
      if (auto rows = ChangesOf(*snapshot)) return rows;
    }
    return nullptr;
  }

  void Select(std::vector<DataField> fields) { *fields_ = std::move(fields); }
  void Skip(PredicatePtr unless) { predicate_ = std::move(unless); }

  bool ended() const { return ended_; }
  std::optional<int64_t> next() const { return next_; }

  void Acknowledge() {
    if (consumer_ && next_ && acknowledged_ != next_) consumers_.Reset(*consumer_, *next_);
    acknowledged_ = next_;
  }

 private:
  // The snapshot, or the changelog that outlived it; nothing when it is still to come.
  std::optional<Snapshot> Find(int64_t id) {
    try {
      return ReadVersionedFile<Snapshot>(table_->file_system(), snapshots_.PathOf(id), SystemSleeper());
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kNotFound) throw;
    }
    // While its predecessor is there, it is still to come.
    if (id <= 1 || snapshots_.Exists(id - 1)) return std::nullopt;
    std::string changelog = fmt::format("{}/changelog/changelog-{}", MetadataRoot(*table_), id);
    if (table_->file_system().Exists(changelog)) {
      return ReadVersionedFile<Snapshot>(table_->file_system(), changelog, SystemSleeper());
    }
    std::vector<int64_t> ids = snapshots_.Ids();
    if (ids.empty() || ids.back() == id - 1) return std::nullopt;
    if (id > ids.back() + 1) {
      throw NotFound("The next expected snapshot {} is too big! Most possible cause might be the table had been recreated: the "
                     "latest one is {}", id, ids.back());
    }
    if (std::binary_search(ids.begin(), ids.end(), id)) return snapshots_.Get(id);
    throw NotFound("The snapshot with id {} has expired: the table has snapshots from {} to {}. Start again, or raise "
                   "'snapshot.time-retained' or use a 'consumer-id'", id, ids.front(), ids.back());
  }

  // Sets next_ once it is known where to begin; the rows of the state that comes first.
  std::unique_ptr<BatchReader> Start() {
    if (consumer_ && !options_.Bool("consumer.ignore-progress", false)) {
      if (auto progress = consumers_.NextSnapshot(*consumer_)) {
        next_ = *progress;  // where it has expired, the reader is told what it missed
        return nullptr;
      }
    }
    auto latest = snapshots_.LatestId();
    if (mode_ == "from-snapshot" || mode_ == "from-snapshot-full") return StartAtSnapshot(latest);
    if (mode_ == "latest") {
      next_ = latest.value_or(0) + 1;
      return nullptr;
    }
    if (!latest) return nullptr;
    if (mode_ == "from-timestamp") {
      TimeTravel travel = TimeTravelOf(options_);
      next_ = snapshots_.EarliestId().value_or(1);
      try {
        next_ = snapshots_.AtTime(*travel.timestamp_millis - 1).id + 1;
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::kNotFound) throw;  // all are later
      }
      return nullptr;
    }
    if (auto since = SnapshotSinceCreation(*table_)) {
      next_ = since;
      return nullptr;
    }
    return FullStateOf(mode_ == "compacted-full" ? Compacted(*latest) : snapshots_.Get(*latest));
  }

  std::unique_ptr<BatchReader> StartAtSnapshot(std::optional<int64_t> latest) {
    TimeTravel travel = TimeTravelOf(options_);
    int64_t id = 0;
    if (travel.snapshot_id) {
      id = *travel.snapshot_id;
    } else {
      if (!latest) return nullptr;
      id = ResolveSnapshot(*table_, travel).snapshot->id;
    }
    if (id > latest.value_or(0) + 1) {
      throw InvalidArgument("The next expected snapshot {} is too big! The latest one is {}", id, latest.value_or(0));
    }
    if (mode_ == "from-snapshot-full") {
      id = std::max(id, snapshots_.EarliestId().value_or(1));
      if (!snapshots_.Exists(id)) return nullptr;
      return FullStateOf(snapshots_.Get(id));
    }
    next_ = std::max(id, snapshots_.EarliestId().value_or(1));
    return nullptr;
  }

  Snapshot Compacted(int64_t latest) {
    std::vector<int64_t> ids = snapshots_.Ids();
    for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
      Snapshot snapshot = snapshots_.Get(*id);
      if (snapshot.commit_kind == CommitKind::kCompact) return snapshot;
    }
    return snapshots_.Get(latest);
  }

  std::unique_ptr<BatchReader> FullStateOf(const Snapshot& snapshot) {
    next_ = snapshot.id + 1;
    if (bound_ && snapshot.watermark && *snapshot.watermark > *bound_) ended_ = true;
    ThreadExecutor executor;
    std::vector<Split> splits;
    if (producer_ == Producer::kLookup || producer_ == Producer::kFullCompaction) {
      // What the changelogs to come do not tell any more.
      int32_t lowest = producer_ == Producer::kLookup ? 1 : TopLevel(options_);
      splits = SplitsFromLevel(*table_, snapshot, lowest, executor);
      LeaveOut(&splits);
    } else {
      ScanRequest request;
      request.snapshot = snapshot;
      request.predicate = predicate_;
      request.executor = &executor;
      request.with_stats = false;
      splits = PlanScan(*table_, request).splits;
    }
    return Inserts(std::move(splits));
  }

  std::unique_ptr<BatchReader> Inserts(std::vector<Split> splits) {
    std::vector<std::function<std::unique_ptr<BatchReader>()>> parts;
    for (Split& split : splits) {
      parts.push_back([table = table_, fields = fields_, split = std::move(split)] {
        ReadRequest request;
        request.fields = *fields;
        return std::make_unique<OfOneKind>(ReadSplit(*table, split, request), kInsert);
      });
    }
    return ConcatenateReaders(std::move(parts));
  }

  // nullptr: the snapshot changed nothing for readers.
  std::unique_ptr<BatchReader> ChangesOf(const Snapshot& snapshot) {
    if (snapshot.commit_kind == CommitKind::kOverwrite) {
      bool keyed = table_->schema().has_primary_key();
      bool shown = keyed ? options_.Bool("streaming-read-overwrite", false) &&
                               (producer_ == Producer::kNone || producer_ == Producer::kInput)
                         : options_.Bool("streaming-read-append-overwrite", false);
      if (!shown) return nullptr;
      return ReadOverwrite(snapshot);
    }
    bool changelog = producer_ != Producer::kNone;
    if (changelog ? !snapshot.changelog_manifest_list : snapshot.commit_kind != CommitKind::kAppend) return nullptr;
    std::vector<Split> splits = CommitSplits(*table_, snapshot, changelog);
    LeaveOut(&splits);
    if (splits.empty()) return nullptr;
    std::vector<std::function<std::unique_ptr<BatchReader>()>> parts;
    for (Split& split : splits) parts.push_back(WithKinds(std::move(split)));
    return ConcatenateReaders(std::move(parts));
  }

  std::function<std::unique_ptr<BatchReader>()> WithKinds(Split split) {
    return [table = table_, fields = fields_, split = std::move(split)] { return ReadWithKinds(*table, split, *fields); };
  }

  void LeaveOut(std::vector<Split>* splits) const {
    const PartitionFilter partitions(*table_, predicate_);
    if (partitions.active()) std::erase_if(*splits, [&](const Split& split) { return !partitions.Keeps(split.partition); });
  }

  // The rows of the files that went as -D, then those of the files that came.
  std::unique_ptr<BatchReader> ReadOverwrite(const Snapshot& snapshot) {
    std::vector<Split> gone, come;
    for (const ManifestFileMeta& manifest :
         table_->manifests().ReadList(snapshot.delta_manifest_list, snapshot.delta_manifest_list_size)) {
      for (ManifestEntry& entry : table_->manifests().Read(manifest.file_name, manifest.file_size)) {
        if (entry.bucket < 0) continue;
        Split split;
        split.snapshot_id = snapshot.id;
        split.partition = entry.partition;
        split.bucket = entry.bucket;
        split.total_buckets = entry.total_buckets;
        split.files.push_back(entry.file);
        (entry.kind == FileKind::kAdd ? come : gone).push_back(std::move(split));
      }
    }
    LeaveOut(&gone);
    LeaveOut(&come);
    std::vector<std::function<std::unique_ptr<BatchReader>()>> parts;
    for (Split& split : gone) {
      parts.push_back([rows = WithKinds(std::move(split))] { return std::make_unique<OfOneKind>(rows(), kDelete); });
    }
    for (Split& split : come) parts.push_back(WithKinds(std::move(split)));
    return ConcatenateReaders(std::move(parts));
  }

  TablePtr table_;
  Clock clock_;
  std::shared_ptr<std::vector<DataField>> fields_;  // shared with the rows of steps, which open their files later
  PredicatePtr predicate_;
  const TableOptions& options_;
  SnapshotStore& snapshots_;
  std::string mode_;
  bool known_mode_ = false;
  Producer producer_;
  ConsumerStore consumers_;
  std::optional<std::string> consumer_;
  std::optional<int64_t> bound_;
  std::optional<std::chrono::milliseconds> delay_;
  std::optional<int64_t> next_, acknowledged_;
  bool ended_ = false;
};

ChangeStream::ChangeStream(TablePtr table, Clock clock)
    : body_(std::make_unique<Body>(std::move(table), std::move(clock))) {}
ChangeStream::~ChangeStream() = default;
void ChangeStream::Select(std::vector<DataField> fields) { body_->Select(std::move(fields)); }
void ChangeStream::Skip(PredicatePtr unless) { body_->Skip(std::move(unless)); }
std::unique_ptr<BatchReader> ChangeStream::Next() { return body_->Next(); }
bool ChangeStream::ended() const { return body_->ended(); }
std::optional<int64_t> ChangeStream::next_snapshot() const { return body_->next(); }
void ChangeStream::Acknowledge() { body_->Acknowledge(); }

std::chrono::milliseconds DiscoveryInterval(const TableOptions& options) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      options.Duration("continuous.discovery-interval", std::chrono::seconds(10)));
}

std::unique_ptr<BatchReader> AwaitNext(ChangeStream* stream, std::chrono::milliseconds interval,
                                       const std::function<bool()>& stopped, const Sleeper& sleeper) {
  constexpr std::chrono::milliseconds kSlice(20);
  while (!stopped() && !stream->ended()) {
    if (auto rows = stream->Next()) return rows;
    stream->Acknowledge();
    for (auto left = interval; left.count() > 0 && !stopped() && !stream->ended(); left -= kSlice) {
      sleeper(std::min(left, kSlice).count());
    }
  }
  return nullptr;
}

}  // namespace mica
