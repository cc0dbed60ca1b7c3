#include "index/hash_index.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include "base/arrow.h"
#include "base/bytes.h"
#include "base/error.h"

namespace mica {

namespace {
// Bucket ids are stored in 16 bits by other implementations.
constexpr int32_t kMostBuckets = 32767;
}  // namespace

std::vector<int32_t> ReadHashIndex(FileSystem& fs, const std::string& path, std::optional<int64_t> size) {
  auto file = fs.OpenInput(path, size);
  int64_t bytes = size ? *size : Take(file->GetSize());
  std::shared_ptr<arrow::Buffer> content = Take(file->ReadAt(0, bytes));
  if (content->size() != bytes || bytes % 4 != 0) {
    throw Corrupt("The hash index file '{}' has '{}' bytes; expected '{}', a multiple of 4", path, content->size(),
                  bytes);
  }
  std::vector<int32_t> hashes(static_cast<size_t>(bytes) / 4);
  for (size_t i = 0; i < hashes.size(); ++i) hashes[i] = LoadBig<int32_t>(content->data() + 4 * i);
  return hashes;
}

int64_t WriteHashIndex(FileSystem& fs, const std::string& path, std::span<const int32_t> hashes) {
  std::string content(hashes.size() * 4, '\0');
  for (size_t i = 0; i < hashes.size(); ++i) StoreBig(content.data() + 4 * i, hashes[i]);
  auto stream = fs.OpenOutput(path);
  Check(stream->Write(content.data(), static_cast<int64_t>(content.size())));
  Check(stream->Close());
  return static_cast<int64_t>(content.size());
}

size_t HashBuckets::SlotOf(int32_t hash) const {
  size_t mask = hashes_.size() - 1;
  size_t slot = (static_cast<uint32_t>(hash) * 0x9E3779B97F4A7C15ull >> 32) & mask;
  while (buckets_[slot] >= 0 && hashes_[slot] != hash) slot = (slot + 1) & mask;
  return slot;
}

int32_t HashBuckets::Find(int32_t hash) const {
  return size_ == 0 ? -1 : buckets_[SlotOf(hash)];
}

void HashBuckets::Grow() {
  HashBuckets larger;
  size_t slots = hashes_.empty() ? 1024 : hashes_.size() * 2;
  larger.hashes_.resize(slots);
  larger.buckets_.assign(slots, -1);
  ForEach([&](int32_t hash, int32_t bucket) {
    size_t slot = larger.SlotOf(hash);
    larger.hashes_[slot] = hash;
    larger.buckets_[slot] = static_cast<int16_t>(bucket);
  });
  larger.size_ = size_;
  *this = std::move(larger);
}

void HashBuckets::Insert(int32_t hash, int32_t bucket) {
  if ((size_ + 1) * 2 > hashes_.size()) Grow();
  size_t slot = SlotOf(hash);
  if (buckets_[slot] < 0) ++size_;
  hashes_[slot] = hash;
  buckets_[slot] = static_cast<int16_t>(bucket);
}

DynamicBucketAssigner::DynamicBucketAssigner(Options options, Load load) : options_(options), load_(std::move(load)) {
  if (options_.max_buckets != -1 && (options_.max_buckets < 1 || options_.max_buckets > kMostBuckets)) {
    throw InvalidArgument("The value '{}' of 'dynamic-bucket.max-buckets' is not -1 or 1 to {}", options_.max_buckets,
                          kMostBuckets);
  }
  if (options_.target_rows < 1) {
    throw InvalidArgument("The value '{}' of 'dynamic-bucket.target-row-num' is not at least 1", options_.target_rows);
  }
}

DynamicBucketAssigner::Partition& DynamicBucketAssigner::Get(std::string_view partition) {
  auto found = partitions_.find(partition);
  if (found != partitions_.end()) return found->second;
  Partition loaded;
  for (const BucketHashes& file : load_(partition)) {
    if (file.bucket < 0 || file.bucket >= kMostBuckets)
      throw Corrupt("A hash index is of the impossible bucket '{}'", file.bucket);
    for (int32_t hash : file.hashes) loaded.index.Insert(hash, file.bucket);
    loaded.open[file.bucket] += static_cast<int64_t>(file.hashes.size());
    if (loaded.known.insert(file.bucket).second) loaded.all.push_back(file.bucket);
  }
  return partitions_.emplace(std::string(partition), std::move(loaded)).first->second;
}

int32_t DynamicBucketAssigner::BucketForNewKey(Partition& partition) {
  for (auto it = partition.open.begin(); it != partition.open.end();) {
    if (it->second < options_.target_rows) {
      ++it->second;
      return it->first;
    }
    it = partition.open.erase(it);
  }
  int32_t most = options_.max_buckets == -1 ? kMostBuckets : options_.max_buckets;
  if (static_cast<int32_t>(partition.all.size()) < most) {
    while (partition.known.count(partition.lowest_free)) ++partition.lowest_free;
    int32_t bucket = partition.lowest_free;
    if (bucket < most) {
      partition.open[bucket] = 1;
      partition.known.insert(bucket);
      partition.all.push_back(bucket);
      return bucket;
    }
  }
  if (options_.max_buckets == -1) {
    throw InvalidArgument(
        "A partition needs more than '{}' buckets with 'dynamic-bucket.target-row-num' = '{}'. Raise that option", most,
        options_.target_rows);
  }
  // All are full and no more are allowed: they fill evenly.
  return partition.all[partition.next_when_full++ % partition.all.size()];
}

int32_t DynamicBucketAssigner::NewKey(Partition& partition, int32_t hash) {
  int32_t bucket = BucketForNewKey(partition);
  partition.index.Insert(hash, bucket);
  partition.changed.insert(bucket);
  return bucket;
}

void DynamicBucketAssigner::Assign(std::string_view partition, std::span<const int32_t> hashes,
                                   std::span<int32_t> buckets) {
  MICA_CHECK(hashes.size() == buckets.size());
  if (hashes.empty()) return;
  Partition& known = Get(partition);
  for (size_t i = 0; i < hashes.size(); ++i) {
    int32_t bucket = known.index.Find(hashes[i]);
    buckets[i] = bucket >= 0 ? bucket : NewKey(known, hashes[i]);
  }
}

std::vector<DynamicBucketAssigner::Changed> DynamicBucketAssigner::TakeChanged() {
  std::vector<Changed> changes;
  for (auto& [name, partition] : partitions_) {
    if (partition.changed.empty()) continue;
    std::map<int32_t, size_t> position;
    for (int32_t bucket : partition.changed) {
      position[bucket] = changes.size();
      changes.push_back({name, {bucket, {}}});
    }
    partition.changed.clear();
    partition.index.ForEach([&](int32_t hash, int32_t bucket) {
      auto found = position.find(bucket);
      if (found != position.end()) changes[found->second].bucket.hashes.push_back(hash);
    });
  }
  return changes;
}

}  // namespace mica
