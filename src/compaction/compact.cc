#include "compaction/compact.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <span>

#include "base/log.h"
#include "compaction/append_compaction.h"
#include "compaction/bucket_compaction.h"
#include "compaction/postpone_compaction.h"
#include "history/maintenance.h"
#include "history/tag_creation.h"
#include "meta/commit_history.h"
#include "table/bucket_files.h"
#include "table/deletions.h"
#include "table/partition_filter.h"
#include "table/scan.h"
#include "table/write.h"

namespace mica {

namespace {

constexpr int kMaxPlans = 3;

using BucketKey = std::pair<std::string, int32_t>;

int32_t LocalHour(int64_t now_millis) {
  return static_cast<int32_t>(LocalWallMillis(now_millis) / 3'600'000 % 24);
}

// The compactions of one bucket; more than one only where files have no order among each other.
class BucketCompactor {
 public:
  // `changelog` false: an overwrite gives none (Engine 1.9).
  BucketCompactor(TablePtr table, const Clock& clock, bool changelog = true)
      : table_(std::move(table)), clock_(clock), mode_(BucketModeOf(table_->schema())),
        keyed_(table_->schema().has_primary_key()) {
    if (keyed_) {
      rules_ = CompactionRulesOf(table_->options(), LocalHour(clock_()));
      compaction_mode_ = CompactionModeOf(table_->schema());
      if (compaction_mode_.needs_lookup) rules_.force_up_level_0 = true;
      if (!changelog) compaction_mode_.changelog = CompactionMode::Changelog::kNone;
    } else {
      append_rules_ = AppendRulesOf(table_->options());
    }
  }

  using Task = std::function<FileChanges()>;

  // `bucket` must outlive the tasks.
  std::vector<Task> Plan(const BucketFiles& bucket, bool full) const {
    std::vector<Task> tasks;
    if (keyed_) {
      auto levels = std::make_shared<Levels>(bucket.files, rules_.num_levels);
      auto unit = full ? PickFullCompaction(*levels, MustRewrite(bucket)) : PickCompaction(*levels, rules_, std::nullopt);
      if (!unit) return tasks;
      tasks.push_back([this, levels, &bucket, unit = *std::move(unit)] {
        return CompactBucket(table_, bucket, *levels, unit, compaction_mode_, clock_);
      });
      return tasks;
    }
    std::vector<std::vector<DataFileMeta>> groups;
    if (mode_ == BucketMode::kUnaware) {
      groups = GroupSmallFiles(bucket, append_rules_);
    } else {
      bool vectors = table_->options().Bool("deletion-vectors.enabled", false);
      groups.push_back(full ? PickAllNeighbours(bucket, append_rules_, vectors)
                            : PickNeighbours(bucket.files, append_rules_));
    }
    for (auto& group : groups) {
      if (group.empty()) continue;
      tasks.push_back([this, &bucket, group = std::move(group)] { return RewriteAppendFiles(table_, bucket, group, clock_); });
    }
    return tasks;
  }

  // The changelog of full compactions is complete only when each commit brings one (Engine 4).
  bool writers_compact_fully() const {
    return keyed_ && (compaction_mode_.changelog == CompactionMode::Changelog::kFull ||
                      table_->options().Find("full-compaction.delta-commits"));
  }

  // Whether a writer that ends up with these many sorted runs (append: files) in a bucket may have to compact it.
  bool MayCompact(int64_t count) const {
    if (mode_ == BucketMode::kUnaware) return false;
    if (writers_compact_fully()) return true;
    return keyed_ ? rules_.MayPick(count) : count >= append_rules_.min_file_count;
  }

 private:
  std::function<bool(const DataFileMeta&)> MustRewrite(const BucketFiles& bucket) const {
    bool all = table_->options().Bool("compaction.force-rewrite-all-files", false);
    return [all, &bucket](const DataFileMeta& file) { return all || bucket.deletions.contains(file.file_name); };
  }

  TablePtr table_;
  const Clock& clock_;
  BucketMode mode_;
  bool keyed_;
  CompactionRules rules_;
  CompactionMode compaction_mode_;
  AppendRules append_rules_;
};

// The vectors of one bucket of an append table, without those of the files that `messages` (of this bucket) replace.
void RewriteVectors(const Table& table, const BucketFiles& bucket, std::span<CommitMessage> messages) {
  std::set<std::string> replaced;
  for (const CommitMessage& message : messages) {
    for (const DataFileMeta& file : message.compact.deleted_files) {
      if (bucket.deletions.contains(file.file_name)) replaced.insert(file.file_name);
    }
  }
  if (!replaced.empty()) ReplaceVectors(table, bucket, replaced, {}, &messages.front().compact);
}

// Runs tasks side by side; when one fails, the files of all are deleted. Tasks of one bucket follow each other.
std::vector<CommitMessage> RunTasks(const Table& table, const std::vector<BucketCompactor::Task>& tasks,
                                    const std::vector<const BucketFiles*>& buckets, Executor& executor) {
  std::vector<CommitMessage> messages;
  for (const BucketFiles* bucket : buckets) messages.push_back(bucket->MessageOf({}));
  try {
    executor.ForEach(tasks.size(), [&](size_t i) { messages[i].compact = tasks[i](); });
    for (size_t begin = 0; begin < messages.size() && !table.schema().has_primary_key();) {
      size_t end = begin + 1;
      while (end < messages.size() && buckets[end] == buckets[begin]) ++end;
      RewriteVectors(table, *buckets[begin], std::span(messages).subspan(begin, end - begin));
      begin = end;
    }
  } catch (...) {
    AbortMessages(table, messages);
    throw;
  }
  std::erase_if(messages, [](const CommitMessage& message) { return message.compact.empty(); });
  return messages;
}

// What compacting the latest snapshot gives.
std::vector<CommitMessage> CompactLatest(const TablePtr& table, const CompactRequest& request,
                                         const CommitSettings& settings, Executor& executor) {
  std::vector<CommitMessage> messages;
  std::optional<Snapshot> latest = table->snapshots().Latest();
  if (!latest) return messages;
  BucketCompactor compactor(table, settings.clock);
  std::vector<BucketFiles> buckets = LiveBuckets(*table, *latest, request, settings.clock, executor);
  std::vector<BucketCompactor::Task> tasks;
  std::vector<const BucketFiles*> of_task;
  for (const BucketFiles& bucket : buckets) {
    for (auto& task : compactor.Plan(bucket, request.full)) {
      tasks.push_back(std::move(task));
      of_task.push_back(&bucket);
    }
  }
  return RunTasks(*table, tasks, of_task, executor);
}

// How many sorted runs (append: files) a bucket has.
struct RunCount {
  int64_t files = 0;
  std::set<int32_t> levels;
  void Add(int32_t level) {
    if (level > 0) {
      levels.insert(level);
    } else {
      ++files;
    }
  }
  int64_t count() const { return files + static_cast<int64_t>(levels.size()); }
};

}  // namespace

namespace {

// Plans and commits, again when others were quicker.
void CommitPlans(const TablePtr& table, const CommitSettings& settings,
                 const std::function<std::vector<CommitMessage>()>& make, CompactReport* report) {
  TableCommit commit(table, settings);
  for (int plan = 1;; ++plan) {
    std::vector<CommitMessage> messages = make();
    if (messages.empty()) return;
    try {
      for (int64_t id : commit.Commit(messages).snapshot_ids) report->snapshot_ids.push_back(id);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kOutcomeUnknown) AbortMessages(*table, messages);
      if (error.kind() != ErrorKind::kConflict || plan == kMaxPlans) throw;
      Log(LogLevel::kInfo, fmt::format("Compaction of table '{}' is planned again: {}", table->name().ToString(), error.what()));
      continue;
    }
    for (const CommitMessage& message : messages) {
      report->files_removed += static_cast<int64_t>(message.compact.deleted_files.size());
      report->files_added += static_cast<int64_t>(message.compact.new_files.size());
    }
    return;
  }
}

}  // namespace

CompactReport CompactTable(const TablePtr& table, const CompactRequest& request, const CommitSettings& given) {
  CheckWritable(table->schema());
  CommitSettings settings = given;
  settings.ignore_empty = true;
  if (!settings.clock) settings.clock = SystemClock();
  Executor& executor = settings.executor ? *settings.executor : InlineExecutor();
  CompactReport report;
  if (BucketModeOf(table->schema()) == BucketMode::kPostpone) {
    CommitPlans(table, settings, [&] {
      const auto latest = table->snapshots().Latest();
      return latest ? CompactPostponed(table, *latest, request, settings) : std::vector<CommitMessage>();
    }, &report);
  }
  CommitPlans(table, settings, [&] { return CompactLatest(table, request, settings, executor); }, &report);
  return report;
}

void CompactWritten(const TablePtr& table, bool ignore_existing, const CommitSettings& given,
                    std::vector<CommitMessage>* messages) {
  if (table->options().Bool("write-only", false)) return;
  if (BucketModeOf(table->schema()) == BucketMode::kUnaware) return;
  // Files that this commit removes itself cannot be compacted.
  auto removes = [](const CommitMessage& message) {
    return !message.data.deleted_files.empty() || !message.data.new_index_files.empty();
  };
  if (!table->schema().has_primary_key() && std::any_of(messages->begin(), messages->end(), removes)) return;
  CommitSettings settings = given;
  if (!settings.clock) settings.clock = SystemClock();
  Executor& executor = settings.executor ? *settings.executor : InlineExecutor();
  BucketCompactor compactor(table, settings.clock, /*changelog=*/!ignore_existing);

  std::map<BucketKey, BucketFiles> buckets;
  for (const CommitMessage& message : *messages) {
    // Postponed rows have no order yet.
    if (message.data.new_files.empty() || message.bucket < 0) continue;
    BucketFiles& bucket = buckets[{message.partition, message.bucket}];
    bucket.partition = message.partition;
    bucket.bucket = message.bucket;
    bucket.total_buckets = message.total_buckets;
    bucket.files.insert(bucket.files.end(), message.data.new_files.begin(), message.data.new_files.end());
  }
  std::optional<Snapshot> latest;
  if (!ignore_existing && !buckets.empty()) latest = table->snapshots().Latest();
  auto is_written = [&](std::string_view partition, int32_t bucket) {
    return buckets.contains(BucketKey(std::string(partition), bucket));
  };
  if (latest) {
    // Counting needs no statistics; few commits go on to read them.
    std::map<BucketKey, RunCount> counts;
    for (const auto& [key, bucket] : buckets) {
      for (const DataFileMeta& file : bucket.files) counts[key].Add(file.level);
    }
    ManifestFilter filter;
    filter.without_stats = true;
    filter.keep = [&](std::string_view partition, int32_t bucket, int32_t) { return is_written(partition, bucket); };
    std::set<std::string> partitions;
    for (const auto& [key, bucket] : buckets) partitions.insert(bucket.partition);
    const PartitionFilter among(*table, AmongPartitions(*table, partitions));
    const auto manifests = among.OfManifests();
    for (const ManifestEntry& entry : LiveEntries(table->manifests(), *latest, filter, manifests, executor)) {
      counts[{entry.partition, entry.bucket}].Add(entry.file.level);
    }
    std::erase_if(buckets, [&](const auto& item) { return !compactor.MayCompact(counts[item.first].count()); });
    if (buckets.empty()) return;
    filter.without_stats = false;
    for (ManifestEntry& entry : LiveEntries(table->manifests(), *latest, filter, manifests, executor)) {
      buckets[{entry.partition, entry.bucket}].files.push_back(std::move(entry.file));
    }
    SnapshotDeletions deletions(*table, *latest);
    for (auto& [key, bucket] : buckets) bucket.AddDeletions(deletions);
  }
  std::vector<BucketCompactor::Task> tasks;
  std::vector<const BucketFiles*> of_task;
  for (const auto& [key, bucket] : buckets) {
    for (auto& task : compactor.Plan(bucket, compactor.writers_compact_fully())) {
      tasks.push_back(std::move(task));
      of_task.push_back(&bucket);
    }
  }
  std::vector<CommitMessage> compactions;
  try {
    compactions = RunTasks(*table, tasks, of_task, executor);
  } catch (const Error& error) {
    // Somebody else compacted and expired these files, or replaced them: that is no reason not to write.
    if (error.kind() != ErrorKind::kNotFound) throw;
    Log(LogLevel::kInfo, fmt::format("Table '{}' is written without compaction: {}", table->name().ToString(), error.what()));
    return;
  }
  for (CommitMessage& message : compactions) messages->push_back(std::move(message));
}

namespace {

CommitResult CommitAndCompact(const TablePtr& table, const std::optional<OverwriteScope>& overwrite,
                              const CommitSettings& settings, std::vector<CommitMessage>* messages) {
  if (IsCommitted(table->snapshots(), settings.commit_user, settings.identifier)) return {};
  const auto written_count = static_cast<std::ptrdiff_t>(messages->size());
  CompactWritten(table, overwrite.has_value(), settings, messages);
  CommitResult result;
  try {
    TableCommit commit(table, settings);
    result = overwrite ? commit.Overwrite(*overwrite, *messages) : commit.Commit(*messages);
  } catch (const Error& error) {
    // The rows are the caller's to abort.
    std::vector<CommitMessage> compactions(messages->begin() + written_count, messages->end());
    messages->erase(messages->begin() + written_count, messages->end());
    if (error.kind() != ErrorKind::kOutcomeUnknown) AbortMessages(*table, compactions);
    throw;
  }
  if (!result.compaction_failure) return result;
  Log(LogLevel::kWarning, fmt::format("The rows written to table '{}' are there, but their compaction was given up: {}",
                                      table->name().ToString(), *result.compaction_failure));
  if (!table->schema().has_primary_key()) return result;
  CompactionMode mode = CompactionModeOf(table->schema());
  if (!mode.needs_lookup) return result;
  std::set<BucketKey> written;
  for (const CommitMessage& message : *messages) written.emplace(message.partition, message.bucket);
  try {
    CompactRequest request;
    request.full = false;
    request.keep_bucket = [&](std::string_view partition, int32_t bucket) {
      return written.contains(BucketKey(std::string(partition), bucket));
    };
    // Not a part of the user's commit any more, which would be one that is there already.
    CommitSettings own = settings;
    own.commit_user.clear();
    own.identifier = kBatchCommitIdentifier;
    CompactReport report = CompactTable(table, request, own);
    result.snapshot_ids.insert(result.snapshot_ids.end(), report.snapshot_ids.begin(), report.snapshot_ids.end());
    result.compaction_failure.reset();
  } catch (const Error& error) {
    result.compaction_failure = error.what();
    // The next compaction takes them; but only where level 0 is read are the rows seen already.
    if (!mode.deletion_vectors && !mode.first_row) return result;
    throw OutcomeUnknown("The rows written to table '{}' are committed, but are not seen before a compaction, which failed: "
                         "{}. Run CALL sys.compact", table->name().ToString(), error.what());
  }
  return result;
}

}  // namespace

CommitResult CommitWritten(const TablePtr& table, const std::optional<OverwriteScope>& overwrite,
                           const CommitSettings& settings, std::vector<CommitMessage>* messages) {
  CheckTagCreation(table->options());
  CommitResult result = CommitAndCompact(table, overwrite, settings, messages);
  if (!result.snapshot_ids.empty()) {
    MaintainAfterCommit(table, settings, settings.executor ? *settings.executor : InlineExecutor());
  }
  return result;
}

}  // namespace mica
