// Stable sort of integers by some of their bits, in linear time: one pass for each group of at most ten bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mica {

// Sorts by bits [low_bit, low_bit + bit_count) of key(item). Takes as much memory again as the items.
template <typename Item, typename KeyOf>
void RadixSort(std::vector<Item>* items, int low_bit, int bit_count, KeyOf key) {
  constexpr int kMaxDigitBits = 10;
  if (bit_count <= 0 || items->size() < 2) return;
  const int passes = (bit_count + kMaxDigitBits - 1) / kMaxDigitBits;
  const int digit_bits = (bit_count + passes - 1) / passes;
  std::vector<Item> other(items->size());
  for (int pass = 0; pass < passes; ++pass) {
    const int shift = low_bit + pass * digit_bits;
    const int bits = std::min(digit_bits, low_bit + bit_count - shift);
    const uint64_t mask = (uint64_t{1} << bits) - 1;
    std::array<size_t, size_t{1} << kMaxDigitBits> places{};
    for (const Item& item : *items) ++places[(key(item) >> shift) & mask];
    size_t sum = 0;
    bool one_digit = false;
    for (size_t digit = 0; digit <= mask; ++digit) {
      one_digit = one_digit || places[digit] == items->size();
      sum += std::exchange(places[digit], sum);
    }
    if (one_digit) continue;
    for (const Item& item : *items) other[places[(key(item) >> shift) & mask]++] = item;
    items->swap(other);
  }
}

}  // namespace mica
