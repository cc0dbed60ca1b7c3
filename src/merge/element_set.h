// A set of byte strings, numbered in order of arrival. Clearing keeps the memory, so that one set serves one group of
// rows after another. Not thread safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace mica {

class ElementSet {
 public:
  void Clear() {
    items_.clear();
    slots_.assign(kLeastSlots, kFree);
    block_ = used_ = 0;
  }
  size_t size() const { return items_.size(); }
  // The number of the equal element, and whether this is a new one, which is copied.
  std::pair<uint32_t, bool> Insert(std::string_view element) {
    if (2 * (items_.size() + 1) > slots_.size()) Grow();
    const size_t slot = SlotOf(element);
    if (slots_[slot] != kFree) return {slots_[slot], false};
    slots_[slot] = static_cast<uint32_t>(items_.size());
    items_.push_back(Copy(element));
    return {slots_[slot], true};
  }
  // The number of the equal element, or -1.
  int64_t Find(std::string_view element) const {
    const uint32_t number = slots_[SlotOf(element)];
    return number == kFree ? -1 : int64_t{number};
  }

 private:
  static constexpr uint32_t kFree = ~uint32_t{0};
  static constexpr size_t kLeastSlots = 16;
  static constexpr size_t kBlockBytes = 16 << 10;

  struct Block {
    std::unique_ptr<char[]> bytes;
    size_t size;
  };

  size_t SlotOf(std::string_view element) const {
    const size_t mask = slots_.size() - 1;
    size_t slot = std::hash<std::string_view>()(element) & mask;
    while (slots_[slot] != kFree && items_[slots_[slot]] != element) slot = (slot + 1) & mask;
    return slot;
  }

  void Grow() {
    slots_.assign(slots_.size() * 2, kFree);
    for (uint32_t i = 0; i < items_.size(); ++i) slots_[SlotOf(items_[i])] = i;
  }

  std::string_view Copy(std::string_view element) {
    while (block_ < blocks_.size() && blocks_[block_].size - used_ < element.size()) {
      ++block_;
      used_ = 0;
    }
    if (block_ == blocks_.size()) {
      const size_t size = std::max(kBlockBytes, element.size());
      blocks_.push_back({std::make_unique<char[]>(size), size});
    }
    char* to = blocks_[block_].bytes.get() + used_;
    std::memcpy(to, element.data(), element.size());
    used_ += element.size();
    return {to, element.size()};
  }

  std::vector<std::string_view> items_;
  std::vector<uint32_t> slots_ = std::vector<uint32_t>(kLeastSlots, kFree);
  std::vector<Block> blocks_;
  size_t block_ = 0;  // that is being filled
  size_t used_ = 0;   // of it
};

}  // namespace mica
