#include "index/bloom_filter.h"

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/error.h"

namespace mica {
namespace {

constexpr int64_t kMostBits = int64_t{INT32_MAX} - 8;

template <typename Visit>
bool AllPositions(int64_t hash, int32_t hashes, size_t bytes, Visit visit) {
  const auto low = static_cast<uint32_t>(hash);
  const auto high = static_cast<uint32_t>(static_cast<uint64_t>(hash) >> 32);
  const auto bits = static_cast<uint32_t>(bytes * 8);
  for (uint32_t i = 1; i <= static_cast<uint32_t>(hashes); ++i) {
    auto combined = static_cast<int32_t>(low + i * high);
    if (combined < 0) combined = ~combined;
    if (!visit(static_cast<uint32_t>(combined) % bits)) return false;
  }
  return true;
}

}  // namespace

BloomFilter::BloomFilter(int64_t items, double false_positives) {
  if (items <= 0) throw InvalidArgument("A bloom filter needs a positive number of 'items', not '{}'", items);
  if (!(false_positives > 0 && false_positives < 1)) {
    throw InvalidArgument("The 'fpp' of a bloom filter must lie between 0 and 1: '{}'", false_positives);
  }
  constexpr double kLn2 = 0.693147180559945309417;
  const double wanted = -static_cast<double>(items) * std::log(false_positives) / (kLn2 * kLn2);
  if (wanted > static_cast<double>(kMostBits)) {
    throw InvalidArgument("A bloom filter of '{}' items with an 'fpp' of '{}' is too big", items, false_positives);
  }
  const auto least = static_cast<int64_t>(wanted);
  const int64_t bits = least + (8 - least % 8);
  hashes_ = std::max(1, static_cast<int32_t>(std::llround(static_cast<double>(bits) / static_cast<double>(items) * kLn2)));
  bits_.assign(static_cast<size_t>(bits / 8), '\0');
}

BloomFilter BloomFilter::Parse(std::string_view body) {
  if (body.size() < 5) throw Corrupt("A bloom filter of {} bytes is cut off", body.size());
  BloomFilter filter;
  filter.hashes_ = LoadBig<int32_t>(body.data());
  if (filter.hashes_ < 1 || filter.hashes_ > 10000) throw Corrupt("A bloom filter has {} hash functions", filter.hashes_);
  filter.bits_ = body.substr(4);
  return filter;
}

std::string BloomFilter::Serialize() const {
  std::string body;
  AppendBig(body, hashes_);
  return body + bits_;
}

void BloomFilter::Add(int64_t hash) {
  AllPositions(hash, hashes_, bits_.size(), [&](uint32_t bit) {
    bits_[bit >> 3] = static_cast<char>(static_cast<uint8_t>(bits_[bit >> 3]) | (1U << (bit & 7)));
    return true;
  });
}

bool BloomFilter::MayContain(int64_t hash) const {
  return AllPositions(hash, hashes_, bits_.size(),
                      [&](uint32_t bit) { return ((static_cast<uint8_t>(bits_[bit >> 3]) >> (bit & 7)) & 1) != 0; });
}

}  // namespace mica
