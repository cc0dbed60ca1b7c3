#include "table/scan.h"

#include <arrow/api.h>

#include "base/clock.h"
#include "base/text.h"
#include "merge/interval_partition.h"
#include "table/bucket_filter.h"
#include "table/creation_time.h"
#include "table/deletions.h"
#include "table/expired_read.h"
#include "table/file_mapping.h"
#include "table/index_pruning.h"
#include "table/key_prefix.h"
#include "table/partition_filter.h"

namespace mica {

Options OptionsOf(const TimeTravel& travel) {
  Options options;
  if (travel.snapshot_id) options["scan.snapshot-id"] = std::to_string(*travel.snapshot_id);
  if (travel.tag) options["scan.tag-name"] = *travel.tag;
  if (travel.timestamp_millis) options["scan.timestamp-millis"] = std::to_string(*travel.timestamp_millis);
  if (travel.version) options["scan.version"] = *travel.version;
  if (travel.watermark) options["scan.watermark"] = std::to_string(*travel.watermark);
  return options;
}

TimeTravel TimeTravelOf(const TableOptions& options) {
  TimeTravel travel;
  std::vector<std::string> given;
  auto number = [&](const char* key) -> std::optional<int64_t> {
    auto text = options.Find(key);
    if (!text) return std::nullopt;
    given.emplace_back(key);
    auto value = ParseInteger(*text);
    if (!value) throw InvalidArgument("The option '{}' must be a whole number, not '{}'", key, *text);
    return value;
  };
  travel.snapshot_id = number("scan.snapshot-id");
  travel.timestamp_millis = number("scan.timestamp-millis");
  travel.watermark = number("scan.watermark");
  if (auto tag = options.Find("scan.tag-name")) {
    travel.tag = tag;
    given.emplace_back("scan.tag-name");
  }
  if (auto version = options.Find("scan.version")) {
    travel.version = version;
    given.emplace_back("scan.version");
  }
  if (auto time = options.Find("scan.timestamp")) {
    given.emplace_back("scan.timestamp");
    Value value = ValueFromString(*time, DataType::Timestamp(3));
    // Written in the zone of the process.
    int64_t wall = std::get<TimestampValue>(value).millis;
    travel.timestamp_millis = wall - (LocalWallMillis(wall) - wall);
  }
  if (given.size() > 1) {
    throw InvalidArgument("Only one of '{}' may be set, but {} are", Join(given, "', '"), given.size());
  }
  return travel;
}

ResolvedSnapshot ResolveSnapshot(const Table& table, const TimeTravel& travel) {
  SnapshotStore& snapshots = table.snapshots();
  ResolvedSnapshot resolved;
  if (travel.empty()) {
    if (auto since = SnapshotSinceCreation(table)) {
      TimeTravel named;
      named.snapshot_id = since;
      return ResolveSnapshot(table, named);
    }
    resolved.snapshot = snapshots.Latest();
    resolved.schema = table.schema_ptr();
    return resolved;
  }
  auto by_version = [&](const std::string& version) {
    if (auto tag = snapshots.FindTag(version)) return tag->snapshot;
    if (version.starts_with("watermark-")) {
      auto watermark = ParseInteger(version.substr(10));
      if (watermark) return snapshots.AtWatermark(*watermark);
    }
    if (auto id = ParseInteger(version)) return snapshots.Get(*id);
    throw NotFound("There is no tag or snapshot '{}' of table '{}'{}", version, table.name().ToString(),
                   DidYouMean(version, snapshots.TagNames()));
  };
  if (travel.snapshot_id) resolved.snapshot = snapshots.Get(*travel.snapshot_id);
  if (travel.tag) resolved.snapshot = snapshots.GetTag(*travel.tag).snapshot;
  if (travel.timestamp_millis) resolved.snapshot = snapshots.AtTime(*travel.timestamp_millis);
  if (travel.version) resolved.snapshot = by_version(*travel.version);
  if (travel.watermark) resolved.snapshot = snapshots.AtWatermark(*travel.watermark);
  // The options of today, the columns of then.
  auto schema = std::make_shared<TableSchema>(*table.schemas().Get(resolved.snapshot->schema_id));
  schema->options = table.schema().options;
  resolved.schema = std::move(schema);
  return resolved;
}

namespace {

// Packs items in order; a new bin starts when the target would be passed (Engine 8.3).
template <typename T, typename Weight>
std::vector<std::vector<T>> PackInOrder(std::vector<T> items, int64_t target, Weight weight) {
  std::vector<std::vector<T>> bins;
  int64_t filled = 0;
  for (T& item : items) {
    int64_t w = weight(item);
    if (bins.empty() || (filled + w > target && !bins.back().empty())) {
      bins.emplace_back();
      filled = 0;
    }
    filled += w;
    bins.back().push_back(std::move(item));
  }
  return bins;
}

// Splits and prunes the files of one bucket at a time.
class SplitMaker {
 public:
  SplitMaker(const Table& table, const ScanRequest& request)
      : table_(table), request_(request),
        target_(table.options().Bytes("source.split.target-size", 128 << 20)),
        open_cost_(table.options().Bytes("source.split.open-file-cost", 4 << 20)),
        first_row_(table.schema().has_primary_key() &&
                   EqualsIgnoreCase(table.options().Text("merge-engine", ""), "first-row")),
        keeps_whole_rows_(first_row_ ||
                          EqualsIgnoreCase(table.options().Text("merge-engine", "deduplicate"), "deduplicate")),
        deletion_vectors_(table.options().Bool("deletion-vectors.enabled", false)) {
    if (table.schema().has_primary_key()) {
      for (const DataField& field : table.schema().KeyFields()) key_types_.push_back(field.type);
    }
    if (!request.predicate) return;
    const TableSchema& schema = table.schema();
    partition_fields_ = schema.PartitionFields();
    if (schema.has_primary_key()) {
      auto keys = schema.TrimmedPrimaryKeys();
      key_predicate_ = KeepColumns(request.predicate, [&](const std::string& name) {
        return std::find(keys.begin(), keys.end(), name) != keys.end();
      });
      key_prefix_.emplace(schema, key_predicate_);
    }
  }

  // Whether files are left out without a predicate.
  bool skips_files() const { return first_row_; }

  // Whether the file alone can be left out. Thread safe.
  bool Keeps(const ManifestEntry& entry) const {
    if (!table_.schema().has_primary_key()) return MayHold(entry.file, entry.partition);
    if (first_row_ && (entry.file.level == 0 || !MayHold(entry.file, entry.partition))) return false;
    return KeysMayMatch(entry.file);
  }

  void AddBucket(std::span<LiveFile> live, ScanPlan* plan) {
    const std::string& partition = *live.front().partition;
    auto emit = [&](std::vector<DataFilePtr> kept, bool raw) {
      Split split;
      split.snapshot_id = request_.snapshot->id;
      split.partition = partition;
      split.bucket = live.front().bucket;
      split.total_buckets = live.front().total_buckets;
      split.files = std::move(kept);
      split.raw_convertible = raw;
      plan->counts.files_kept += static_cast<int64_t>(split.files.size());
      plan->counts.bytes_kept += split.bytes();
      plan->splits.push_back(std::move(split));
    };
    auto weight = [&](const DataFilePtr& file) { return std::max(file->file_size, open_cost_); };
    std::vector<DataFilePtr> files;
    files.reserve(live.size());
    for (LiveFile& file : live) files.push_back(std::move(file.file));
    if (!table_.schema().has_primary_key() || first_row_) {
      auto before = [](const DataFilePtr& a, const DataFilePtr& b) {
        return a->min_sequence_number < b->min_sequence_number;
      };
      if (!std::is_sorted(files.begin(), files.end(), before)) std::stable_sort(files.begin(), files.end(), before);
      for (auto& bin : PackInOrder(std::move(files), target_, weight)) emit(std::move(bin), true);
      return;
    }

    // With deletion vectors (Engine 5) every row above level 0 is the only one of its key, and level 0 is not read.
    if (deletion_vectors_) std::erase_if(files, [](const DataFilePtr& file) { return file->level == 0; });
    if (files.empty()) return;
    if (deletion_vectors_ && std::all_of(files.begin(), files.end(), [](const DataFilePtr& file) {
          return file->delete_row_count.value_or(0) == 0;
        })) {
      std::erase_if(files, [&](const DataFilePtr& file) { return !MayHold(*file, partition); });
      for (auto& bin : PackInOrder(std::move(files), target_, weight)) emit(std::move(bin), true);
      return;
    }
    // Raw sections hold one sorted run without deletions: each of their files may be pruned alone. In the others a
    // newer row that does not match hides an older one that does, so they stay or go whole.
    std::vector<DataFilePtr> raw;
    std::vector<std::vector<DataFilePtr>> merging;
    for (const Section& section : PartitionFiles(files, key_types_)) {
      bool single = section.size() == 1;
      bool inserts_only = true;
      // What other engines make of several rows may match though none of them does.
      bool any_match = !request_.predicate || !keeps_whole_rows_;
      std::vector<DataFilePtr> all;
      for (const SortedRunItems& run : section) {
        for (size_t item : run) {
          DataFilePtr& file = files[item];
          inserts_only = inserts_only && file->delete_row_count == 0;
          any_match = any_match || MayHold(*file, partition);
          all.push_back(std::move(file));
        }
      }
      if (single && inserts_only) {
        std::erase_if(all, [&](const DataFilePtr& file) { return !MayHold(*file, partition); });
        std::move(all.begin(), all.end(), std::back_inserter(raw));
      } else if (any_match) {
        merging.push_back(std::move(all));
      }
    }
    for (auto& bin : PackInOrder(std::move(raw), target_, weight)) emit(std::move(bin), true);
    auto section_weight = [&](const std::vector<DataFilePtr>& section) {
      int64_t bytes = 0;
      for (const DataFilePtr& file : section) bytes += file->file_size;
      return std::max(bytes, open_cost_);
    };
    for (auto& bin : PackInOrder(std::move(merging), target_, section_weight)) {
      std::vector<DataFilePtr> all;
      for (auto& section : bin) std::move(section.begin(), section.end(), std::back_inserter(all));
      emit(std::move(all), false);
    }
  }

  const PredicatePtr& key_predicate() const { return key_predicate_; }

  // Whether all rows of the file match: with this COUNT(*) needs no data.
  bool HoldsOnlyMatches(const Split& split) const {
    if (!request_.predicate) return true;
    for (const DataFileMeta& file : split.files) {
      auto file_schema = SchemaOf(file);
      if (!AllMatch(*request_.predicate, Ranges(*file_schema, file, split.partition), file.row_count)) return false;
    }
    return true;
  }

 private:
  std::shared_ptr<const TableSchema> SchemaOf(const DataFileMeta& file) const {
    return file.schema_id == table_.schema().id ? table_.schema_ptr() : table_.schemas().Get(file.schema_id);
  }

  RangeOf Ranges(const TableSchema& file_schema, const DataFileMeta& file, const std::string& partition) const {
    RangeOf by_stats = FileRanges(file_schema, file, table_.schema());
    return [this, by_stats, &partition, &file](const std::string& name) -> std::optional<ColumnRange> {
      int at = FindField(partition_fields_, name);
      if (at < 0) return by_stats(name);
      Value value = BinaryRow::Deserialize(partition).Get(at, partition_fields_[static_cast<size_t>(at)].type);
      ColumnRange range;
      range.null_count = IsNull(value) ? file.row_count : 0;
      if (!IsNull(value)) range.min = range.max = value;
      return range;
    };
  }

  bool MayHold(const DataFileMeta& file, const std::string& partition) const {
    if (!request_.predicate) return true;
    auto file_schema = SchemaOf(file);
    return MayMatch(*request_.predicate, Ranges(*file_schema, file, partition), file.row_count);
  }

  bool KeysMayMatch(const DataFileMeta& file) const {
    if (!key_predicate_) return true;
    return MayMatch(*key_predicate_, KeyRanges(table_.schema(), file), file.row_count) && key_prefix_->MayHold(file);
  }

  const Table& table_;
  const ScanRequest& request_;
  int64_t target_;
  int64_t open_cost_;
  bool first_row_;
  bool keeps_whole_rows_;  // a merged row is one of those that were merged  // Engine 3.3: what is compacted holds every key once, level 0 is not read
  bool deletion_vectors_;
  std::vector<DataType> key_types_;
  std::vector<DataField> partition_fields_;
  PredicatePtr key_predicate_;
  std::optional<KeyPrefixFilter> key_prefix_;
};

// By partition and bucket; within a bucket as they were.
void SortByBucket(std::vector<LiveFile>* files) {
  auto before = [](const LiveFile& a, const LiveFile& b) {
    if (a.partition != b.partition) return *a.partition < *b.partition;
    return a.bucket < b.bucket;
  };
  if (!std::is_sorted(files->begin(), files->end(), before)) std::stable_sort(files->begin(), files->end(), before);
}

}  // namespace

namespace {

ScanPlan Plan(const Table& table, const ScanRequest& request) {
  ScanPlan plan;
  PartitionFilter partitions(table, request.predicate);
  BucketFilter buckets(table, request.predicate);
  int32_t table_buckets = table.options().bucket();
  if (buckets.active() && table_buckets > 0) plan.counts.buckets = buckets.Buckets(table_buckets);

  SplitMaker maker(table, request);
  LiveFilter filter;
  filter.keep_manifest = [&](const ManifestFileMeta& manifest) { return partitions.KeepsManifest(manifest); };
  // Buckets below zero (postponed) are not read in batch.
  filter.entries.keep = [&](std::string_view partition, int32_t bucket, int32_t total) {
    return bucket >= 0 && buckets.Keeps(bucket, total) && partitions.Keeps(partition);
  };
  filter.entries.without_stats = !request.with_stats && !request.predicate;
  const std::optional<int64_t> oldest = OldestFileMillis(table);
  if (request.predicate || maker.skips_files() || oldest) {
    filter.keep_file = [&](const ManifestEntry& entry) {
      return (!oldest || entry.file.creation_time_millis.value_or(INT64_MAX) >= *oldest) && maker.Keeps(entry);
    };
  }
  Executor& executor = request.executor ? *request.executor : InlineExecutor();
  PartitionTexts partition_texts;
  LiveCounts counts;
  std::vector<LiveFile> files =
      LiveFilesOf(table.manifests(), *request.snapshot, filter, executor, &partition_texts, &counts);
  plan.counts.manifests = counts.manifests;
  plan.counts.manifests_kept = counts.manifests_kept;
  plan.counts.files = counts.files;
  plan.counts.bytes = counts.bytes;

  SortByBucket(&files);
  const std::string* last_partition = nullptr;
  for (size_t begin = 0; begin < files.size();) {
    size_t end = begin + 1;
    while (end < files.size() && files[end].bucket == files[begin].bucket &&
           files[end].partition == files[begin].partition) {
      ++end;
    }
    if (files[begin].partition != last_partition) ++plan.counts.partitions_kept;
    last_partition = files[begin].partition;
    maker.AddBucket(std::span(files).subspan(begin, end - begin), &plan);
    begin = end;
  }

  PruneByFileIndex(table, request.predicate, maker.key_predicate(), executor, &plan.splits, &plan.counts);

  // They count though the option is off by now: the rows they hide would come back.
  SnapshotDeletions deletions(table, *request.snapshot);
  if (!deletions.empty()) {
    for (Split& split : plan.splits) split.deletions = deletions.Of(split);
  }

  int64_t exact = 0;
  bool is_exact = true;
  for (size_t i = 0; i < plan.splits.size(); ++i) {
    const Split& split = plan.splits[i];
    if (!split.raw_convertible || (is_exact && !maker.HoldsOnlyMatches(split))) is_exact = false;
    std::optional<int64_t> deleted = split.deleted_row_count();
    if (!deleted) is_exact = false;
    if (!is_exact) break;
    exact += split.row_count() - *deleted;
    if (request.limit && exact >= *request.limit) {
      // Every row of these splits is wanted, so they are enough (P-16).
      plan.splits.resize(i + 1);
      is_exact = false;
      plan.counts.files_kept = plan.counts.bytes_kept = 0;
      for (const Split& kept : plan.splits) {
        plan.counts.files_kept += static_cast<int64_t>(kept.files.size());
        plan.counts.bytes_kept += kept.bytes();
      }
    }
  }
  if (is_exact) plan.exact_row_count = exact;
  return plan;
}

}  // namespace

ScanPlan PlanScan(const Table& table, const ScanRequest& request) {
  CheckReadable(table.schema());
  if (!request.snapshot) {
    ScanPlan plan;
    plan.exact_row_count = 0;
    return plan;
  }
  try {
    return Plan(table, request);
  } catch (Error& error) {
    AddExpiry(table, request.snapshot->id, &error);
    throw;
  }
}

}  // namespace mica
