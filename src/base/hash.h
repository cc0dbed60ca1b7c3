// The hash that puts rows into buckets (Format 7.1): Murmur3 over 4-byte words, seed 42.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace mica {

inline uint32_t MurmurMix(uint32_t hash, uint32_t word) {
  word *= 0xcc9e2d51u;
  word = (word << 15) | (word >> 17);
  word *= 0x1b873593u;
  hash ^= word;
  hash = (hash << 13) | (hash >> 19);
  return hash * 5 + 0xe6546b64u;
}

inline int32_t MurmurFinish(uint32_t hash, uint32_t length) {
  hash ^= length;
  hash ^= hash >> 16;
  hash *= 0x85ebca6bu;
  hash ^= hash >> 13;
  hash *= 0xc2b2ae35u;
  hash ^= hash >> 16;
  return static_cast<int32_t>(hash);
}

// Hash of the bytes of a BinaryRow; the size is a multiple of 8.
inline int32_t HashByWords(std::string_view bytes) {
  uint32_t hash = 42;
  for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    uint32_t word;
    std::memcpy(&word, bytes.data() + i, 4);
    hash = MurmurMix(hash, word);
  }
  return MurmurFinish(hash, static_cast<uint32_t>(bytes.size()));
}

}  // namespace mica
