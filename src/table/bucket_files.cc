#include "table/bucket_files.h"

#include <algorithm>
#include <mutex>

#include "table/scan.h"

namespace mica {

namespace {

bool KeepsBucket(const BucketSelection& selection, int32_t bucket) {
  if (selection.buckets.empty()) return bucket >= 0;
  return std::any_of(selection.buckets.begin(), selection.buckets.end(),
                     [&](const auto& range) { return range.first <= bucket && bucket <= range.second; });
}

}  // namespace

void BucketFiles::AddDeletions(const SnapshotDeletions& snapshot) {
  if (snapshot.empty()) return;
  deletion_index_files = snapshot.Entries(partition, bucket);
  for (const DataFileMeta& file : files) {
    const DeletionFile* found = snapshot.Find(partition, bucket, file.file_name);
    if (found != nullptr) deletions[file.file_name] = *found;
  }
}

Split BucketFiles::SplitOf(std::vector<DataFileMeta> some) const {
  Split split;
  split.partition = partition;
  split.bucket = bucket;
  split.total_buckets = total_buckets;
  for (size_t i = 0; i < some.size(); ++i) {
    auto found = deletions.find(some[i].file_name);
    if (found == deletions.end()) continue;
    split.deletions.resize(some.size());
    split.deletions[i] = found->second;
  }
  split.files = std::move(some);
  return split;
}

CommitMessage BucketFiles::MessageOf(FileChanges compact) const {
  CommitMessage message;
  message.partition = partition;
  message.bucket = bucket;
  message.total_buckets = total_buckets;
  message.compact = std::move(compact);
  return message;
}

void ReplaceVectors(const Table& table, const BucketFiles& bucket, const std::set<std::string>& gone,
                    std::map<std::string, std::shared_ptr<const DeletionVector>> vectors, FileChanges* changes) {
  auto changes_here = [&](const std::string& file) { return gone.contains(file) || vectors.contains(file); };
  std::set<std::string> changed;  // index files
  for (const auto& [file, place] : bucket.deletions) {
    if (changes_here(file)) changed.insert(place.path);
  }
  std::map<std::string, std::shared_ptr<const DeletionVector>> staying;
  for (const auto& [file, place] : bucket.deletions) {
    if (changed.contains(place.path) && !changes_here(file)) staying[file] = ReadDeletions(table, place);
  }
  for (const IndexManifestEntry& entry : bucket.deletion_index_files) {
    if (changed.contains(table.paths().IndexFilePath(entry))) changes->deleted_index_files.push_back(entry);
  }
  vectors.merge(staying);
  if (!vectors.empty()) {
    changes->new_index_files.push_back(WriteDeletionIndex(table, bucket.partition, bucket.bucket, vectors));
  }
}

std::vector<BucketFiles> LiveBuckets(const Table& table, const Snapshot& snapshot, const BucketSelection& selection,
                                     const Clock& clock, Executor& executor) {
  std::vector<DataType> types = table.partition_types();
  std::mutex mutex;
  std::unordered_map<std::string, bool> known;
  ManifestFilter filter;
  filter.keep = [&](std::string_view partition, int32_t bucket, int32_t) {
    if (!KeepsBucket(selection, bucket)) return false;
    if (selection.keep_bucket && !selection.keep_bucket(partition, bucket)) return false;
    if (!selection.keep_partition) return true;
    std::lock_guard lock(mutex);
    auto [it, is_new] = known.emplace(std::string(partition), false);
    if (is_new) it->second = selection.keep_partition(BinaryRow::Deserialize(partition).Values(types));
    return it->second;
  };
  std::map<std::pair<std::string, int32_t>, BucketFiles> buckets;
  std::map<std::string, int64_t> newest;
  for (ManifestEntry& entry : LiveEntries(table.manifests(), snapshot, filter, nullptr, executor)) {
    BucketFiles& bucket = buckets[{entry.partition, entry.bucket}];
    bucket.partition = entry.partition;
    bucket.bucket = entry.bucket;
    bucket.total_buckets = entry.total_buckets;
    int64_t& time = newest.emplace(entry.partition, INT64_MIN).first->second;
    time = std::max(time, entry.file.creation_time_millis.value_or(INT64_MIN));
    bucket.files.push_back(std::move(entry.file));
  }
  std::vector<BucketFiles> wanted;
  for (auto& [key, bucket] : buckets) {
    if (selection.idle_millis && newest[bucket.partition] > LocalWallMillis(clock()) - *selection.idle_millis) continue;
    wanted.push_back(std::move(bucket));
  }
  SnapshotDeletions deletions(table, snapshot);
  for (BucketFiles& bucket : wanted) bucket.AddDeletions(deletions);
  return wanted;
}

}  // namespace mica
