#include "table/increment.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "merge/merge_reader.h"
#include "meta/tag_period.h"
#include "table/deletions.h"
#include "table/live_files.h"
#include "table/scan.h"

namespace mica {

namespace {

constexpr const char* kBetween = "incremental-between";
constexpr const char* kBetweenTimes = "incremental-between-timestamp";
constexpr const char* kToAutoTag = "incremental-to-auto-tag";

enum class ScanMode { kDelta, kChangelog, kDiff };

ScanMode ScanModeOf(const TableOptions& options) {
  std::string mode = ToLower(options.Text("incremental-between-scan-mode", "auto"));
  if (mode == "delta") return ScanMode::kDelta;
  if (mode == "changelog") return ScanMode::kChangelog;
  if (mode == "diff") return ScanMode::kDiff;
  if (mode != "auto") {
    throw InvalidArgument("The option 'incremental-between-scan-mode' must be auto, delta, changelog or diff, not '{}'", mode);
  }
  return EqualsIgnoreCase(options.Text("changelog-producer", "none"), "none") ? ScanMode::kDelta : ScanMode::kChangelog;
}

// The two parts of "a,b", blanks as they are.
std::pair<std::string, std::string> TwoParts(const std::string& text, const char* key) {
  size_t comma = text.find(',');
  if (comma == std::string::npos || comma == 0 || comma + 1 == text.size() || text.find(',', comma + 1) != std::string::npos) {
    throw InvalidArgument("The {} must specific start(exclusive) and end{}. But is: {}", key,
                          key == kBetweenTimes ? " timestamp" : " snapshot or tag", text);
  }
  return {text.substr(0, comma), text.substr(comma + 1)};
}

// The commits after `start`, up to and with `end`, that a reader of the mode looks at.
Increment Commits(const Table& table, int64_t start, int64_t end, ScanMode mode) {
  Increment increment;
  increment.changelogs = mode == ScanMode::kChangelog;
  for (int64_t id = start + 1; id <= end; ++id) {
    Snapshot snapshot = table.snapshots().Get(id);
    bool counts = increment.changelogs ? snapshot.commit_kind != CommitKind::kOverwrite && snapshot.changelog_manifest_list
                                       : snapshot.commit_kind == CommitKind::kAppend;
    if (counts) increment.commits.push_back(std::move(snapshot));
  }
  return increment;
}

Increment Diff(std::optional<Snapshot> before, Snapshot after) {
  Increment increment;
  increment.difference = Increment::Between{std::move(before), std::move(after)};
  return increment;
}

Increment BetweenIds(const Table& table, int64_t start, int64_t end, ScanMode mode) {
  std::vector<int64_t> ids = table.snapshots().Ids();
  if (ids.empty() || start == end) return {};
  if (mode == ScanMode::kDiff) return Diff(table.snapshots().Get(start), table.snapshots().Get(end));
  if (start < ids.front() - 1 || end > ids.back()) {
    throw InvalidArgument("The specified scan snapshotId range [{}, {}] is out of available snapshotId range [{}, {}].", start,
                          end, ids.front(), ids.back());
  }
  return Commits(table, start, end, mode);
}

Increment Between(const Table& table, const std::string& text) {
  auto [from, to] = TwoParts(text, kBetween);
  auto first = table.snapshots().FindTag(from), last = table.snapshots().FindTag(to);
  ScanMode mode = ScanModeOf(table.options());
  if (first && last) {
    if (last->snapshot.id < first->snapshot.id) {
      throw InvalidArgument("Tag end {} with snapshot id {} should be >= tag start {} with snapshot id {}", to,
                            last->snapshot.id, from, first->snapshot.id);
    }
    if (table.options().Bool("incremental-between-tag-to-snapshot", false)) {
      return BetweenIds(table, first->snapshot.id, last->snapshot.id, mode);
    }
    if (first->snapshot.id == last->snapshot.id) return {};
    return Diff(first->snapshot, last->snapshot);
  }
  auto start = ParseInteger(from), end = ParseInteger(to);
  if (!start || !end) {
    throw InvalidArgument("Didn't find two tags for start '{}' and end '{}', and they are not two snapshot Ids. Please set two "
                          "tags or two snapshot Ids.{}", from, to, DidYouMean(first ? to : from, table.snapshots().TagNames()));
  }
  if (*end < *start) throw InvalidArgument("Ending snapshotId should >= starting snapshotId {}. [{}]", *start, *end);
  return BetweenIds(table, *start, *end, mode);
}

std::optional<int64_t> TimeOf(const std::string& text) {
  if (auto millis = ParseInteger(text)) return millis;
  try {
    int64_t wall = std::get<TimestampValue>(ValueFromString(text, DataType::Timestamp(3))).millis;
    return wall - (LocalWallMillis(wall) - wall);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Newest at or before a time; nothing when all are later.
std::optional<Snapshot> AtOrBefore(const Table& table, int64_t millis) {
  try {
    return table.snapshots().AtTime(millis);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kNotFound) throw;
    return std::nullopt;
  }
}

Increment BetweenTimes(const Table& table, const std::string& text) {
  auto [from, to] = TwoParts(text, kBetweenTimes);
  auto start = TimeOf(from), end = TimeOf(to);
  if (!start || !end) {
    throw InvalidArgument("The {} must specific start(exclusive) and end timestamp. But is: {}", kBetweenTimes, text);
  }
  std::vector<int64_t> ids = table.snapshots().Ids();
  if (ids.empty()) return {};
  if (*end < *start) throw InvalidArgument("Ending timestamp {} should be >= starting timestamp {}.", *end, *start);
  Snapshot earliest = table.snapshots().Get(ids.front()), latest = table.snapshots().Get(ids.back());
  if (*start == *end || *start > latest.time_millis || *end < earliest.time_millis) return {};
  auto before = AtOrBefore(table, *start);
  Snapshot after = AtOrBefore(table, *end).value_or(latest);
  ScanMode mode = ScanModeOf(table.options());
  if (mode != ScanMode::kDiff) return Commits(table, before ? before->id : earliest.id - 1, after.id, mode);
  // What was before the first commit is nothing; what was before an expired one is not known.
  if (!before && earliest.id > 1) before = earliest;
  return Diff(before, after);
}

Increment ToAutoTag(const Table& table, const std::string& name) {
  TagPeriod period(table.options());
  auto end_time = period.TimeOf(name);
  if (!end_time) throw InvalidArgument("Specified tag '{}' is not an auto-created tag.", name);
  auto end = table.snapshots().FindTag(name);
  if (!end) {
    Log(LogLevel::kWarning, fmt::format("The tag '{}' doesn't exist: there is nothing to read up to it", name));
    return {};
  }
  std::optional<std::pair<int64_t, std::string>> before;
  for (const std::string& other : table.snapshots().TagNames()) {
    auto time = period.TimeOf(other);
    if (time && *time < *end_time && (!before || before->first < *time)) before = {*time, other};
  }
  if (!before) return {};
  return Diff(table.snapshots().GetTag(before->second).snapshot, end->snapshot);
}

using BucketFiles = std::map<std::pair<std::string, int32_t>, std::vector<ManifestEntry>>;

BucketFiles FilesOf(const Table& table, const Snapshot& snapshot, Executor& executor) {
  BucketFiles files;
  ManifestFilter filter;
  filter.keep = [](std::string_view, int32_t bucket, int32_t) { return bucket >= 0; };
  for (ManifestEntry& entry : LiveEntries(table.manifests(), snapshot, filter, nullptr, executor)) {
    files[{entry.partition, entry.bucket}].push_back(std::move(entry));
  }
  return files;
}

void CheckBuckets(const std::vector<ManifestEntry>& before, const std::vector<ManifestEntry>& after) {
  int32_t older = before.front().total_buckets, newer = after.front().total_buckets;
  if (older == newer || older <= 0 || newer <= 0) return;
  throw Unsupported("The bucket number of two snapshots are different ({}, {}), which is not supported in incremental diff query.",
                    older, newer);
}

Split SplitOf(const std::vector<ManifestEntry>& entries, int64_t snapshot_id, bool raw) {
  Split split;
  split.snapshot_id = snapshot_id;
  split.partition = entries.front().partition;
  split.bucket = entries.front().bucket;
  split.total_buckets = entries.front().total_buckets;
  split.raw_convertible = raw;
  for (const ManifestEntry& entry : entries) split.files.push_back(entry.file);
  return split;
}

void PlanDifference(const Table& table, const Increment::Between& between, Executor& executor, IncrementPlan* plan) {
  BucketFiles before, after = FilesOf(table, between.after, executor);
  if (between.before) before = FilesOf(table, *between.before, executor);
  std::optional<SnapshotDeletions> older, newer;
  if (between.before) older.emplace(table, *between.before);
  newer.emplace(table, between.after);
  bool keyed = table.schema().has_primary_key();
  // As in scans: with deletion vectors level 0 is not read.
  bool skips_level_0 = keyed && table.options().Bool("deletion-vectors.enabled", false);
  std::set<std::pair<std::string, int32_t>> buckets;
  for (const auto& [bucket, files] : before) buckets.insert(bucket);
  for (const auto& [bucket, files] : after) buckets.insert(bucket);
  std::map<std::string, std::vector<ManifestEntry>*> of_partition;
  for (auto& [bucket, files] : before) of_partition.emplace(bucket.first, &files);
  for (auto& [bucket, files] : after) {
    auto other = of_partition.find(bucket.first);
    if (keyed && other != of_partition.end()) CheckBuckets(*other->second, files);
  }
  for (const auto& bucket : buckets) {
    std::vector<ManifestEntry>& old_files = before[bucket];
    std::vector<ManifestEntry>& new_files = after[bucket];
    auto drop = [&](std::vector<ManifestEntry>& files) {
      if (skips_level_0) std::erase_if(files, [](const ManifestEntry& entry) { return entry.file.level == 0; });
    };
    drop(old_files);
    drop(new_files);
    // With its vector a file is another one.
    auto identity = [](const ManifestEntry& entry, const std::optional<SnapshotDeletions>& deletions) {
      std::string text = entry.Identity();
      const DeletionFile* vector =
          deletions ? deletions->Find(entry.partition, entry.bucket, entry.file.file_name) : nullptr;
      return vector == nullptr ? text : fmt::format("{}|{}|{}", text, vector->path, vector->offset);
    };
    std::set<std::string> old_ones, new_ones;
    for (const ManifestEntry& entry : old_files) old_ones.insert(identity(entry, older));
    for (const ManifestEntry& entry : new_files) new_ones.insert(identity(entry, newer));
    std::erase_if(old_files, [&](const ManifestEntry& entry) { return new_ones.contains(identity(entry, older)); });
    std::erase_if(new_files, [&](const ManifestEntry& entry) { return old_ones.contains(identity(entry, newer)); });
    Difference difference;
    auto make = [&](const std::vector<ManifestEntry>& files, int64_t id, const std::optional<SnapshotDeletions>& deletions) {
      std::optional<Split> split;
      if (files.empty()) return split;
      split = SplitOf(files, id, !keyed);
      if (deletions && !deletions->empty()) split->deletions = deletions->Of(*split);
      return split;
    };
    if (between.before) difference.before = make(old_files, between.before->id, older);
    difference.after = make(new_files, between.after.id, newer);
    if (difference.before || difference.after) plan->differences.push_back(std::move(difference));
  }
}

}  // namespace

bool IsIncremental(const TableOptions& options) {
  return options.Find(kBetween) || options.Find(kBetweenTimes) || options.Find(kToAutoTag);
}

void CheckChangesReadable(TableSchema schema) {
  for (const char* key : {kBetween, kBetweenTimes, kToAutoTag}) schema.options.erase(key);
  CheckReadable(schema);
}

Increment IncrementOf(const Table& table) {
  const TableOptions& options = table.options();
  auto between = options.Find(kBetween), times = options.Find(kBetweenTimes), tag = options.Find(kToAutoTag);
  if (int{between.has_value()} + int{times.has_value()} + int{tag.has_value()} > 1 || !TimeTravelOf(options).empty()) {
    throw InvalidArgument("Only one of '{}', '{}' and '{}' may be set, and none of them together with a snapshot, tag, time or "
                          "watermark to read at", kBetween, kBetweenTimes, kToAutoTag);
  }
  if (between) return Between(table, *between);
  if (times) return BetweenTimes(table, *times);
  return ToAutoTag(table, *tag);
}

std::vector<Split> CommitSplits(const Table& table, const Snapshot& commit, bool changelog) {
  std::map<std::pair<std::string, int32_t>, std::vector<ManifestEntry>> buckets;
  const std::string& list = changelog ? commit.changelog_manifest_list.value() : commit.delta_manifest_list;
  const std::optional<int64_t>& size = changelog ? commit.changelog_manifest_list_size : commit.delta_manifest_list_size;
  for (const ManifestFileMeta& manifest : table.manifests().ReadList(list, size)) {
    for (ManifestEntry& entry : table.manifests().Read(manifest.file_name, manifest.file_size)) {
      if (entry.kind != FileKind::kAdd || entry.bucket < 0) continue;
      buckets[{entry.partition, entry.bucket}].push_back(std::move(entry));
    }
  }
  std::vector<Split> splits;
  for (auto& [bucket, entries] : buckets) {
    std::stable_sort(entries.begin(), entries.end(), [](const ManifestEntry& a, const ManifestEntry& b) {
      return a.file.min_sequence_number < b.file.min_sequence_number;
    });
    splits.push_back(SplitOf(entries, commit.id, /*raw=*/true));
  }
  return splits;
}

IncrementPlan PlanIncrement(const Table& table, const Increment& increment, Executor& executor) {
  IncrementPlan plan;
  if (increment.difference) {
    PlanDifference(table, *increment.difference, executor, &plan);
    return plan;
  }
  for (const Snapshot& commit : increment.commits) {
    for (Split& split : CommitSplits(table, commit, increment.changelogs)) plan.splits.push_back(std::move(split));
  }
  return plan;
}

std::unique_ptr<BatchReader> ReadIncrement(TablePtr table, const std::vector<DataField>& fields) {
  ThreadExecutor executor;
  IncrementPlan plan = PlanIncrement(*table, IncrementOf(*table), executor);
  std::vector<std::function<std::unique_ptr<BatchReader>()>> parts;
  for (Split& split : plan.splits) {
    parts.push_back([table, fields, split = std::move(split)] { return ReadWithKinds(*table, split, fields); });
  }
  for (Difference& difference : plan.differences) {
    parts.push_back([table, fields, difference = std::move(difference)] { return ReadDifference(*table, difference, fields); });
  }
  return ConcatenateReaders(std::move(parts));
}

}  // namespace mica
