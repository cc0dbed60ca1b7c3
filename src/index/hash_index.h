// The hash index of dynamic buckets (Format 7.4): files of key hashes, one a bucket, and the assignment of buckets to
// keys that they keep stable (Engine 6, "Dynamic").
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/file_system.h"

namespace mica {

inline constexpr std::string_view kHashIndexType = "HASH";

// Big-endian int32 values, distinct, in no order. Throws Corrupt naming the file.
std::vector<int32_t> ReadHashIndex(FileSystem& fs, const std::string& path, std::optional<int64_t> size);
// Returns the bytes written.
int64_t WriteHashIndex(FileSystem& fs, const std::string& path, std::span<const int32_t> hashes);

struct BucketHashes {
  int32_t bucket = 0;
  std::vector<int32_t> hashes;
};

// hash -> bucket of one partition: open addressing, six bytes a slot.
class HashBuckets {
 public:
  int32_t Find(int32_t hash) const;  // -1 when it is new
  void Insert(int32_t hash, int32_t bucket);
  size_t size() const { return size_; }
  template <typename OnEntry>
  void ForEach(OnEntry&& on_entry) const {
    for (size_t i = 0; i < buckets_.size(); ++i) {
      if (buckets_[i] >= 0) on_entry(hashes_[i], static_cast<int32_t>(buckets_[i]));
    }
  }

 private:
  size_t SlotOf(int32_t hash) const;
  void Grow();

  std::vector<int32_t> hashes_;
  std::vector<int16_t> buckets_;
  size_t size_ = 0;
};

// Gives every key a bucket: the one it has, else the first that is not full, else a new one. One writer of a table has
// one assigner; two at once would give a key two buckets. Not thread safe.
class DynamicBucketAssigner {
 public:
  struct Options {
    int64_t target_rows = 2'000'000;  // dynamic-bucket.target-row-num
    int32_t max_buckets = -1;         // dynamic-bucket.max-buckets; -1: as many as bucket ids go (32767)
  };
  // The live hash files of a partition (serialized BinaryRow), read at the first key of the partition.
  using Load = std::function<std::vector<BucketHashes>(std::string_view partition)>;

  DynamicBucketAssigner(Options options, Load load);

  // `hashes` are those of trimmed primary keys (Format 7.1); `buckets` gets one id a hash.
  void Assign(std::string_view partition, std::span<const int32_t> hashes, std::span<int32_t> buckets);

  struct Changed {
    std::string partition;
    BucketHashes bucket;  // everything its new index file holds
  };
  // Buckets with new hashes since the last call, for the index files of the next commit.
  std::vector<Changed> TakeChanged();

 private:
  struct Partition {
    HashBuckets index;
    std::map<int32_t, int64_t> open;  // bucket -> hashes, of buckets that may have room; by id
    std::vector<int32_t> all;         // in order of creation
    std::set<int32_t> known;
    std::set<int32_t> changed;
    int32_t lowest_free = 0;  // no free id is lower
    size_t next_when_full = 0;
  };
  Partition& Get(std::string_view partition);
  int32_t NewKey(Partition& partition, int32_t hash);
  int32_t BucketForNewKey(Partition& partition);

  Options options_;
  Load load_;
  std::map<std::string, Partition, std::less<>> partitions_;
};

}  // namespace mica
