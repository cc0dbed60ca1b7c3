// Bloom filters of file indexes (Format 11): which values a file cannot hold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mica {

class BloomFilter {
 public:
  // An empty one for so many distinct values and this share of false positives.
  BloomFilter(int64_t items, double false_positives);
  // Throws Corrupt.
  static BloomFilter Parse(std::string_view body);
  std::string Serialize() const;

  void Add(int64_t hash);
  bool MayContain(int64_t hash) const;

 private:
  BloomFilter() = default;
  int32_t hashes_ = 1;
  std::string bits_;
};

}  // namespace mica
