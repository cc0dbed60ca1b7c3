#include "table/commit.h"

#include <map>
#include <random>
#include <set>

#include "base/uuid.h"
#include "index/deletion_vector.h"
#include "meta/commit_history.h"
#include "table/assigned_keys.h"
#include "table/conflict.h"
#include "table/partition_filter.h"
#include "table/live_stream.h"
#include "table/restore.h"
#include "table/scan.h"
#include "table/write.h"

namespace mica {

namespace {

constexpr std::string_view kHashIndex = "HASH";

void AddEntries(const CommitMessage& message, FileKind kind, const std::vector<DataFileMeta>& files,
                std::vector<ManifestEntry>* out) {
  for (const DataFileMeta& file : files) {
    out->push_back({kind, message.partition, message.bucket, message.total_buckets, file});
  }
}

CommitChanges Collect(const std::vector<CommitMessage>& messages, FileChanges CommitMessage::*part, bool deletes_first) {
  CommitChanges changes;
  for (const CommitMessage& message : messages) {
    const FileChanges& from = message.*part;
    if (deletes_first) AddEntries(message, FileKind::kDelete, from.deleted_files, &changes.files);
    AddEntries(message, FileKind::kAdd, from.new_files, &changes.files);
    if (!deletes_first) AddEntries(message, FileKind::kDelete, from.deleted_files, &changes.files);
    AddEntries(message, FileKind::kAdd, from.changelog_files, &changes.changelog);
    changes.new_index_files.insert(changes.new_index_files.end(), from.new_index_files.begin(), from.new_index_files.end());
    changes.deleted_index_files.insert(changes.deleted_index_files.end(), from.deleted_index_files.begin(),
                                       from.deleted_index_files.end());
  }
  return changes;
}

bool RemovesAnything(const CommitChanges& changes) {
  for (const ManifestEntry& entry : changes.files) {
    if (entry.kind == FileKind::kDelete) return true;
  }
  auto is_vector = [](const IndexManifestEntry& entry) { return entry.index_type == kDeletionVectorsType; };
  return std::any_of(changes.new_index_files.begin(), changes.new_index_files.end(), is_vector) ||
         std::any_of(changes.deleted_index_files.begin(), changes.deleted_index_files.end(), is_vector);
}

int64_t RowCount(const std::vector<ManifestEntry>& entries) {
  int64_t rows = 0;
  for (const ManifestEntry& entry : entries) rows += entry.kind == FileKind::kAdd ? entry.file.row_count : -entry.file.row_count;
  return rows;
}

// Engine 1.8: one slot per partition, bucket and type for HASH; other types by file name.
std::vector<IndexManifestEntry> CombineIndex(std::vector<IndexManifestEntry> entries, const CommitChanges& changes) {
  for (const IndexManifestEntry& gone : changes.deleted_index_files) {
    std::erase_if(entries, [&](const IndexManifestEntry& entry) { return entry.file_name == gone.file_name; });
  }
  for (const IndexManifestEntry& added : changes.new_index_files) {
    if (added.index_type == kHashIndex) {
      std::erase_if(entries, [&](const IndexManifestEntry& entry) {
        return entry.index_type == kHashIndex && entry.bucket == added.bucket && entry.partition == added.partition;
      });
    }
    entries.push_back(added);
    entries.back().kind = FileKind::kAdd;
  }
  return entries;
}

// Hash files that a later one of the same commit replaced: no snapshot names them.
void RemoveSuperseded(const Table& table, const std::vector<CommitMessage>& messages) {
  std::map<std::pair<std::string, int32_t>, const IndexManifestEntry*> newest;  // by partition and bucket
  for (const CommitMessage& message : messages) {
    for (const IndexManifestEntry& entry : message.data.new_index_files) {
      if (entry.index_type != kHashIndex) continue;
      const IndexManifestEntry*& slot = newest[{entry.partition, entry.bucket}];
      if (slot != nullptr && slot->file_name != entry.file_name) {
        try {
          table.file_system().DeleteFile(table.paths().IndexFilePath(*slot));
        } catch (const Error&) {
          // An orphan; the commit has succeeded.
        }
      }
      slot = &entry;
    }
  }
}

// Waits between attempts: doubling, with up to a fifth of chance, within the options' bounds.
class RetryWait {
 public:
  RetryWait(const TableOptions& options, Clock clock, Sleeper sleeper)
      : clock_(std::move(clock)), sleeper_(std::move(sleeper)), start_(clock_()),
        max_retries_(options.Integer("commit.max-retries", 10)),
        min_wait_(Millis(options, "commit.min-retry-wait", 10)),
        max_wait_(Millis(options, "commit.max-retry-wait", 10'000)) {
    if (options.Find("commit.timeout")) timeout_ = Millis(options, "commit.timeout", 0);
  }

  // False when it is time to give up.
  bool Wait() {
    if (retries_ >= max_retries_ || (timeout_ && clock_() - start_ > *timeout_)) return false;
    int64_t wait = std::min(max_wait_, min_wait_ << std::min<int64_t>(retries_, 20));
    thread_local std::minstd_rand random{std::random_device{}()};
    wait += static_cast<int64_t>(random() % static_cast<uint64_t>(wait / 5 + 1));
    sleeper_(wait);
    ++retries_;
    return true;
  }
  int64_t retries() const { return retries_; }

 private:
  static int64_t Millis(const TableOptions& options, std::string_view key, int64_t fallback) {
    auto value = options.Duration(key, std::chrono::milliseconds(fallback));
    return std::chrono::duration_cast<std::chrono::milliseconds>(value).count();
  }

  Clock clock_;
  Sleeper sleeper_;
  int64_t start_;
  int64_t max_retries_;
  int64_t min_wait_;
  int64_t max_wait_;
  std::optional<int64_t> timeout_;
  int64_t retries_ = 0;
};

// One snapshot to be published: how its changes follow from the latest snapshot, and the loop around it.
struct SnapshotCommit {
  const Table& table;
  const CommitSettings& settings;
  const std::vector<CommitMessage>& messages;
  CommitResult* result;
  std::vector<DataType> partition_types = table.partition_types();
  const Snapshot* restored = nullptr;     // RestoreSnapshot: the state that the new snapshot takes over
  std::optional<std::string> statistics;  // UpdateStatistics: the file that the new snapshot names
  bool merges_all = false;                // CompactManifests: small manifests too

  Executor& executor() const { return settings.executor ? *settings.executor : InlineExecutor(); }

  using Changes = std::function<CommitChanges(const std::optional<Snapshot>& latest)>;

  // Publishes one snapshot of a kind; `changes` is asked again at every attempt.
  void Publish(CommitKind kind, const Changes& changes, bool check_conflicts) {
    RetryWait retry(table.options(), settings.clock, settings.sleeper);
    std::optional<int64_t> seen;
    while (true) {
      std::optional<Snapshot> latest = table.snapshots().Latest();
      ++result->attempts;
      if (seen && AlreadyCommitted(*seen, latest, kind)) return;
      if (Attempt(kind, changes(latest), latest, check_conflicts)) return;
      seen = latest ? latest->id : 0;
      if (!retry.Wait()) {
        throw Conflict("Cannot commit to table '{}': other writers were faster {} times. Raise 'commit.max-retries' or "
                       "'commit.timeout', or write again", table.name().ToString(), retry.retries() + 1);
      }
    }
  }

  // The second snapshot of a commit. Unless it is all there is to commit, the rows are safe without it: when it fails, its
  // files are deleted and the reason is kept.
  void PublishCompact(const CommitChanges& changes, bool required) {
    if (changes.empty()) return;
    try {
      Publish(CommitKind::kCompact, [&](const std::optional<Snapshot>&) { return changes; }, /*check_conflicts=*/true);
    } catch (const Error& error) {
      if (required) throw;
      result->compaction_failure = error.what();
      if (error.kind() == ErrorKind::kOutcomeUnknown) return;
      std::vector<CommitMessage> compactions = messages;
      for (CommitMessage& message : compactions) message.data = {};
      AbortMessages(table, compactions);
    }
  }

  bool AlreadyCommitted(int64_t seen, const std::optional<Snapshot>& latest, CommitKind kind) {
    for (int64_t id = seen + 1; latest && id <= latest->id; ++id) {
      Snapshot snapshot = id == latest->id ? *latest : table.snapshots().Get(id);
      if (snapshot.commit_user == settings.commit_user && snapshot.commit_identifier == settings.identifier &&
          snapshot.commit_kind == kind) {
        result->snapshot_ids.push_back(id);
        return true;
      }
    }
    return false;
  }

  bool Attempt(CommitKind kind, CommitChanges changes, const std::optional<Snapshot>& latest, bool check_conflicts) {
    if (latest && !changes.empty()) CheckAgainst(*latest, changes, kind, check_conflicts);
    std::unique_ptr<ManifestStore> store = table.NewManifestStore();
    bool published = false;
    try {
      Snapshot snapshot = Prepare(*store, kind, std::move(changes), latest);
      published = settings.publisher->Publish(table, snapshot);
      if (published) {
        table.snapshots().WriteLatestHint(snapshot.id);
        result->snapshot_ids.push_back(snapshot.id);
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kOutcomeUnknown) RemoveWritten(*store);
      throw;
    }
    if (!published) RemoveWritten(*store);
    return published;
  }

  void RemoveWritten(ManifestStore& store) {
    for (const std::string& name : store.TakeWritten()) {
      try {
        table.file_system().DeleteFile(store.PathOf(name));
      } catch (const Error&) {
        // An orphan; cleaning up must not hide the error that led here.
      }
    }
  }

  void CheckAgainst(const Snapshot& latest, const CommitChanges& changes, CommitKind kind, bool check_conflicts) {
    bool buckets_matter = kind != CommitKind::kOverwrite && BucketModeOf(table.schema()) == BucketMode::kHashFixed;
    if (!check_conflicts && !buckets_matter) return;
    std::set<std::string> partitions;
    for (const ManifestEntry& entry : changes.files) partitions.insert(entry.partition);
    for (const IndexManifestEntry& entry : changes.new_index_files) partitions.insert(entry.partition);
    ManifestFilter filter;
    filter.without_stats = true;
    filter.keep = [&](std::string_view partition, int32_t, int32_t) { return partitions.contains(std::string(partition)); };
    const PartitionFilter among(table, AmongPartitions(table, partitions));
    auto live = LiveEntries(table.manifests(), latest, filter, among.OfManifests(), executor());
    CheckConflicts(table, live, changes, kind != CommitKind::kOverwrite);
    if (!check_conflicts) return;
    std::vector<IndexManifestEntry> index;
    if (latest.index_manifest) index = table.manifests().ReadIndex(*latest.index_manifest);
    CheckVectorConflicts(table, live, index, changes);
  }

  Snapshot Prepare(ManifestStore& store, CommitKind kind, CommitChanges changes, const std::optional<Snapshot>& latest) {
    auto schema = table.schemas().Latest();
    if (!schema) throw NotFound("The table '{}' was dropped before this commit", table.name().ToString());
    Snapshot next;
    next.id = latest ? latest->id + 1 : 1;
    next.schema_id = schema->id;
    next.commit_user = settings.commit_user;
    next.commit_identifier = settings.identifier;
    next.commit_kind = kind;
    next.time_millis = settings.clock();
    if (latest) next.time_millis = std::max(next.time_millis, latest->time_millis);

    std::vector<ManifestFileMeta> base;
    if (latest) {
      base = store.ReadList(latest->base_manifest_list, latest->base_manifest_list_size);
      auto delta = store.ReadList(latest->delta_manifest_list, latest->delta_manifest_list_size);
      base.insert(base.end(), delta.begin(), delta.end());
      base = MergeManifests(store, std::move(base), MergeOptions(), partition_types, executor());
    }
    std::tie(next.base_manifest_list, next.base_manifest_list_size) = store.WriteList(base);
    auto delta = store.Write(changes.files, partition_types, schema->id);
    std::tie(next.delta_manifest_list, next.delta_manifest_list_size) = store.WriteList(delta);
    if (!changes.changelog.empty()) {
      auto changelog = store.Write(changes.changelog, partition_types, schema->id);
      std::tie(next.changelog_manifest_list, next.changelog_manifest_list_size) = store.WriteList(changelog);
      next.changelog_record_count = RowCount(changes.changelog);
    }

    if (latest) next.index_manifest = latest->index_manifest;
    bool index_changes = !changes.new_index_files.empty() || !changes.deleted_index_files.empty();
    bool from_hashes = kind == CommitKind::kAppend &&
                       std::any_of(messages.begin(), messages.end(),
                                   [](const CommitMessage& message) { return message.base_hash_files.has_value(); });
    if (kind == CommitKind::kAppend) CheckLocations(table, messages, latest);
    std::vector<IndexManifestEntry> index;
    if ((index_changes || from_hashes) && latest && latest->index_manifest) {
      index = store.ReadIndex(*latest->index_manifest);
    }
    if (from_hashes) CheckHashFiles(table, messages, index);
    if (index_changes) {
      index = CombineIndex(std::move(index), changes);
      next.index_manifest.reset();
      if (!index.empty()) next.index_manifest = store.WriteIndex(index).first;
    }

    next.delta_record_count = RowCount(changes.files);
    next.total_record_count = (latest ? latest->total_record_count.value_or(0) : 0) + *next.delta_record_count;
    next.watermark = settings.watermark;
    if (latest && latest->watermark) next.watermark = std::max(next.watermark.value_or(INT64_MIN), *latest->watermark);
    if (latest && latest->schema_id == schema->id) next.statistics = latest->statistics;
    if (statistics) next.statistics = statistics;
    if (!settings.properties.empty()) next.properties = settings.properties;
    next.next_row_id = latest ? latest->next_row_id.value_or(0) : 0;
    next.operation = settings.operation;
    if (restored) TakeOver(*restored, &next);
    return next;
  }

  ManifestMergeOptions MergeOptions() const {
    ManifestMergeOptions merge;
    merge.target_bytes = table.options().Bytes("manifest.target-file-size", 8 << 20);
    merge.full_threshold_bytes = table.options().Bytes("manifest.full-compaction-threshold-size", 16 << 20);
    merge.min_count = static_cast<int32_t>(table.options().Integer("manifest.merge-min-count", 30));
    if (merges_all) merge.full_threshold_bytes = merge.min_count = 1;
    return merge;
  }

  // Whether merging would change anything.
  bool WouldMerge(const Snapshot& latest) {
    std::unique_ptr<ManifestStore> store = table.NewManifestStore();
    std::vector<ManifestFileMeta> before = store->ReadList(latest.base_manifest_list, latest.base_manifest_list_size);
    auto delta = store->ReadList(latest.delta_manifest_list, latest.delta_manifest_list_size);
    before.insert(before.end(), delta.begin(), delta.end());
    std::vector<ManifestFileMeta> after = MergeManifests(*store, before, MergeOptions(), partition_types, executor());
    RemoveWritten(*store);
    return after != before;
  }

  static void TakeOver(const Snapshot& from, Snapshot* next) {
    next->schema_id = from.schema_id;
    next->total_record_count = from.total_record_count;
    next->watermark = from.watermark;
    next->properties = from.properties;
    // Row ids are never given twice. The statistics file of the old state may expire with it.
    next->next_row_id = std::max(next->next_row_id.value_or(0), from.next_row_id.value_or(0));
    if (next->statistics != from.statistics) next->statistics.reset();
  }

  // Everything that lives in the partitions of a scope, as removals; then the new files. `about`: a predicate that is true
  // for the scope at least.
  Changes Replacing(std::function<bool(const std::vector<Value>& partition)> in_scope, const PredicatePtr& about,
                    CommitChanges added) {
    return [this, in_scope = std::move(in_scope), among = std::make_shared<PartitionFilter>(table, about),
            added = std::move(added)](const std::optional<Snapshot>& latest) {
      CommitChanges changes;
      if (latest) {
        std::unordered_map<std::string, bool> known;
        auto keep = [&](std::string_view partition) {
          auto [it, is_new] = known.emplace(std::string(partition), false);
          if (is_new) it->second = in_scope(BinaryRow::Deserialize(partition).Values(partition_types));
          return it->second;
        };
        ManifestFilter filter;
        filter.keep = [&](std::string_view partition, int32_t, int32_t) { return keep(partition); };
        changes.files = LiveEntries(table.manifests(), *latest, filter, among->OfManifests(), InlineExecutor());
        for (ManifestEntry& entry : changes.files) entry.kind = FileKind::kDelete;
        if (latest->index_manifest) {
          for (IndexManifestEntry& entry : table.manifests().ReadIndex(*latest->index_manifest)) {
            if (keep(entry.partition)) changes.deleted_index_files.push_back(std::move(entry));
          }
        }
      }
      changes.files.insert(changes.files.end(), added.files.begin(), added.files.end());
      changes.changelog = added.changelog;
      changes.new_index_files = added.new_index_files;
      return changes;
    };
  }
};

// Partition columns, by position, that have values.
PredicatePtr HasValues(const std::vector<DataField>& fields, const std::vector<std::pair<size_t, Value>>& wanted) {
  std::vector<PredicatePtr> parts;
  for (const auto& [at, value] : wanted) {
    const auto& [name, type] = std::pair(fields[at].name, fields[at].type);
    parts.push_back(IsNull(value) ? Predicate::IsNull(name, type)
                                  : Predicate::Compare(PredicateOp::kEqual, name, type, value));
  }
  return Predicate::And(std::move(parts));
}

// Refuses what cannot be written, and fills in what the caller left open.
void Complete(const Table& table, CommitSettings* settings) {
  CheckWritable(table.schema());
  if (settings->commit_user.empty()) {
    std::string prefix = table.options().Text("commit.user-prefix", "");
    settings->commit_user = prefix.empty() ? RandomUuid() : prefix + "_" + RandomUuid();
  }
  if (!settings->publisher) settings->publisher = FileSystemPublisher();
  if (!settings->clock) settings->clock = SystemClock();
  if (!settings->sleeper) settings->sleeper = SystemSleeper();
}

}  // namespace

TableCommit::TableCommit(TablePtr table, CommitSettings settings) : table_(std::move(table)), settings_(std::move(settings)) {
  Complete(*table_, &settings_);
}

CommitResult TableCommit::Commit(const std::vector<CommitMessage>& messages) {
  CommitResult result;
  if (IsCommitted(table_->snapshots(), settings_.commit_user, settings_.identifier)) return result;
  SnapshotCommit impl{*table_, settings_, messages, &result};
  CommitChanges data = Collect(messages, &CommitMessage::data, /*deletes_first=*/false);
  CommitChanges compact = Collect(messages, &CommitMessage::compact, /*deletes_first=*/true);
  bool has_rows = !data.empty();
  if (!data.empty() || (!settings_.ignore_empty && compact.empty())) {
    bool removes = RemovesAnything(data);
    impl.Publish(removes ? CommitKind::kOverwrite : CommitKind::kAppend,
                 [&](const std::optional<Snapshot>&) { return data; }, removes);
  }
  impl.PublishCompact(compact, /*required=*/!has_rows);
  RemoveSuperseded(*table_, messages);
  return result;
}

CommitResult TableCommit::Overwrite(const OverwriteScope& scope, const std::vector<CommitMessage>& messages) {
  CommitResult result;
  if (IsCommitted(table_->snapshots(), settings_.commit_user, settings_.identifier)) return result;
  SnapshotCommit impl{*table_, settings_, messages, &result};
  std::vector<DataField> fields = table_->schema().PartitionFields();
  CommitChanges added = Collect(messages, &CommitMessage::data, /*deletes_first=*/false);
  std::function<bool(const std::vector<Value>&)> in_scope;
  PredicatePtr about;
  if (scope.dynamic && !fields.empty()) {
    // Nothing written, nothing replaced (P-26).
    if (added.empty()) return result;
    auto written = std::make_shared<std::set<std::string>>();
    for (const ManifestEntry& entry : added.files) written->insert(entry.partition);
    about = AmongPartitions(*table_, *written);
    auto types = impl.partition_types;
    in_scope = [written, types](const std::vector<Value>& partition) {
      return written->contains(BinaryRow::Of(partition, types).Serialize());
    };
  } else {
    std::vector<std::pair<size_t, Value>> wanted;
    for (const auto& [name, value] : scope.partition) {
      int at = FindField(fields, name);
      if (at < 0) throw InvalidArgument("'{}' is not a partition column of table '{}'", name, table_->name().ToString());
      wanted.emplace_back(static_cast<size_t>(at), value);
    }
    about = HasValues(fields, wanted);
    in_scope = [wanted](const std::vector<Value>& partition) {
      return std::all_of(wanted.begin(), wanted.end(), [&](const auto& want) { return partition[want.first] == want.second; });
    };
    for (const ManifestEntry& entry : added.files) {
      if (!in_scope(BinaryRow::Deserialize(entry.partition).Values(impl.partition_types))) {
        throw InvalidArgument("Cannot overwrite table '{}': a new row lies outside the partition that is overwritten",
                              table_->name().ToString());
      }
    }
  }
  impl.Publish(CommitKind::kOverwrite, impl.Replacing(std::move(in_scope), about, std::move(added)), /*check_conflicts=*/true);
  impl.PublishCompact(Collect(messages, &CommitMessage::compact, /*deletes_first=*/true), /*required=*/false);
  return result;
}

CommitResult TableCommit::DropPartitions(const std::vector<std::map<std::string, Value>>& specs) {
  std::vector<DataField> fields = table_->schema().PartitionFields();
  std::vector<std::vector<std::pair<size_t, Value>>> wanted;
  for (const auto& spec : specs) {
    if (spec.empty()) throw InvalidArgument("A partition to drop from table '{}' names no column", table_->name().ToString());
    auto& columns = wanted.emplace_back();
    for (const auto& [name, value] : spec) {
      int at = FindField(fields, name);
      if (at < 0) throw InvalidArgument("'{}' is not a partition column of table '{}'", name, table_->name().ToString());
      columns.emplace_back(static_cast<size_t>(at), value);
    }
  }
  CommitResult result;
  std::vector<CommitMessage> none;
  SnapshotCommit impl{*table_, settings_, none, &result};
  auto in_scope = [wanted](const std::vector<Value>& partition) {
    return std::any_of(wanted.begin(), wanted.end(), [&](const auto& columns) {
      return std::all_of(columns.begin(), columns.end(),
                         [&](const auto& want) { return partition[want.first] == want.second; });
    });
  };
  std::vector<PredicatePtr> parts;
  for (const auto& columns : wanted) parts.push_back(HasValues(fields, columns));
  impl.Publish(CommitKind::kOverwrite, impl.Replacing(in_scope, Predicate::Or(std::move(parts)), {}), /*check_conflicts=*/true);
  return result;
}

CommitResult TableCommit::Truncate() { return Overwrite(OverwriteScope{}, {}); }

CommitResult RestoreSnapshot(const TablePtr& table, CommitSettings settings, const Snapshot& target,
                             const FileCopier& copier) {
  Complete(*table, &settings);
  CommitResult result;
  std::vector<CommitMessage> none;
  SnapshotCommit impl{*table, settings, none, &result};
  impl.restored = &target;
  auto read_index = [&](const Snapshot& snapshot) {
    std::vector<IndexManifestEntry> entries;
    if (snapshot.index_manifest) entries = table->manifests().ReadIndex(*snapshot.index_manifest);
    return entries;
  };
  auto changes = [&](const std::optional<Snapshot>& latest) {
    // Most files are in both states: of those, only what tells them apart is kept in memory.
    auto identities = [&](const Snapshot& snapshot) {
      ManifestFilter filter;
      filter.without_stats = true;
      std::unordered_set<std::string> keys;
      LiveStream live(table->manifests(), snapshot, filter);
      for (std::vector<ManifestEntry> part; live.Next(&part);) {
        for (const ManifestEntry& entry : part) keys.insert(entry.Identity());
      }
      return keys;
    };
    auto entries_but = [&](const Snapshot& snapshot, const std::unordered_set<std::string>& known) {
      LiveStream live(table->manifests(), snapshot);
      std::vector<ManifestEntry> entries;
      for (std::vector<ManifestEntry> part; live.Next(&part);) {
        for (ManifestEntry& entry : part) {
          if (!known.contains(entry.Identity())) entries.push_back(std::move(entry));
        }
      }
      return entries;
    };
    CommitChanges delta;
    std::unordered_set<std::string> known;
    if (latest) {
      delta.files = entries_but(*latest, identities(target));
      for (ManifestEntry& entry : delta.files) entry.kind = FileKind::kDelete;
      known = identities(*latest);
    }
    std::unordered_map<std::string, std::string> copied;  // new names of data files
    for (const ManifestEntry& entry : entries_but(target, known)) {
      delta.files.push_back(copier.copy_file(entry));
      copied.emplace(entry.file.file_name, delta.files.back().file.file_name);
    }
    std::vector<IndexManifestEntry> wanted_index = read_index(target), present_index;
    if (latest) present_index = read_index(*latest);
    auto kept = [&](const IndexManifestEntry& entry) {
      for (const DeletionVectorRange& range : entry.deletion_vector_ranges.value_or(std::vector<DeletionVectorRange>())) {
        if (copied.contains(range.data_file_name)) return false;
      }
      return std::find(present_index.begin(), present_index.end(), entry) != present_index.end();
    };
    std::vector<IndexManifestEntry> staying;
    for (const IndexManifestEntry& entry : wanted_index) {
      if (kept(entry)) {
        staying.push_back(entry);
        continue;
      }
      IndexManifestEntry added = copier.copy_index_file(entry);
      if (added.deletion_vector_ranges) {
        for (DeletionVectorRange& range : *added.deletion_vector_ranges) {
          auto name = copied.find(range.data_file_name);
          if (name != copied.end()) range.data_file_name = name->second;
        }
      }
      delta.new_index_files.push_back(std::move(added));
    }
    for (const IndexManifestEntry& entry : present_index) {
      if (std::find(staying.begin(), staying.end(), entry) == staying.end()) delta.deleted_index_files.push_back(entry);
    }
    return delta;
  };
  impl.Publish(CommitKind::kOverwrite, changes, /*check_conflicts=*/false);
  return result;
}

CommitResult ReplaceFiles(const TablePtr& table, CommitSettings settings, const FileReplacement& replacement,
                          const std::string& rivals) {
  Complete(*table, &settings);
  CommitResult result;
  SnapshotCommit impl{*table, settings, replacement.messages, &result};
  auto conflict = [&](std::string_view why) {
    throw Conflict("Cannot replace files of table '{}': {}. Run it again", table->name().ToString(), why);
  };
  const auto replacing = impl.Replacing(replacement.in_scope, /*about=*/nullptr, {});
  const CommitChanges added = Collect(replacement.messages, &CommitMessage::data, /*deletes_first=*/false);
  auto changes = [&](const std::optional<Snapshot>& latest) {
    for (int64_t id = replacement.base.value_or(0) + 1; latest && id <= latest->id; ++id) {
      if (!table->snapshots().Exists(id)) continue;
      if (table->snapshots().Get(id).commit_user.starts_with(rivals)) conflict("another run did so meanwhile");
    }
    CommitChanges delta = replacing(latest);
    const size_t live = delta.files.size(), live_index = delta.deleted_index_files.size();
    std::unordered_set<std::string> known;
    std::erase_if(delta.files, [&](const ManifestEntry& entry) {
      return replacement.staying.contains(*known.insert(entry.Identity()).first);
    });
    std::erase_if(delta.deleted_index_files, [&](const IndexManifestEntry& entry) {
      return replacement.staying_index.contains(entry.file_name);
    });
    if (live - delta.files.size() != replacement.staying.size() ||
        live_index - delta.deleted_index_files.size() != replacement.staying_index.size()) {
      conflict("another commit removed some that were to stay");
    }
    for (const ManifestEntry& entry : added.files) {
      if (known.contains(entry.Identity())) conflict(fmt::format("the file '{}' is there already", entry.file.file_name));
    }
    delta.files.insert(delta.files.end(), added.files.begin(), added.files.end());
    delta.new_index_files = added.new_index_files;
    return delta;
  };
  if (changes(table->snapshots().Latest()).empty()) return result;
  impl.Publish(CommitKind::kOverwrite, changes, /*check_conflicts=*/true);
  return result;
}

CommitResult AddSharedFiles(const TablePtr& table, CommitSettings settings, const std::vector<CommitMessage>& messages) {
  Complete(*table, &settings);
  CommitResult result;
  SnapshotCommit impl{*table, settings, messages, &result};
  const CommitChanges data = Collect(messages, &CommitMessage::data, /*deletes_first=*/false);
  impl.Publish(CommitKind::kAppend, [&](const std::optional<Snapshot>&) { return data; }, /*check_conflicts=*/true);
  return result;
}

CommitResult UpdateStatistics(const TablePtr& table, CommitSettings settings, const std::string& file_name) {
  Complete(*table, &settings);
  CommitResult result;
  std::vector<CommitMessage> none;
  SnapshotCommit impl{*table, settings, none, &result};
  impl.statistics = file_name;
  impl.Publish(CommitKind::kAnalyze, [](const std::optional<Snapshot>&) { return CommitChanges(); },
               /*check_conflicts=*/false);
  return result;
}

CommitResult CompactManifests(const TablePtr& table, CommitSettings settings) {
  Complete(*table, &settings);
  CommitResult result;
  std::vector<CommitMessage> none;
  SnapshotCommit impl{*table, settings, none, &result};
  impl.merges_all = true;
  auto latest = table->snapshots().Latest();
  if (!latest || !impl.WouldMerge(*latest)) return result;
  impl.Publish(CommitKind::kCompact, [](const std::optional<Snapshot>&) { return CommitChanges(); },
               /*check_conflicts=*/false);
  return result;
}

}  // namespace mica
