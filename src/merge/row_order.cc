#include "merge/row_order.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"
#include "merge/radix_sort.h"
#include "merge/run_cursor.h"

namespace mica {
namespace {

// Drops the bits of a word that are the same in all rows and moves the rest together, which keeps the order.
class BitSqueeze {
 public:
  explicit BitSqueeze(uint64_t varying) : count_(std::popcount(varying)) {
    int to = 0;
    for (int from = 0; from < 64;) {
      if (((varying >> from) & 1) == 0) {
        ++from;
        continue;
      }
      int length = std::countr_one(varying >> from);
      const uint64_t mask = length == 64 ? ~uint64_t{0} : (uint64_t{1} << length) - 1;
      stretches_.push_back({from, to, mask});
      from += length;
      to += length;
    }
  }
  int bit_count() const { return count_; }
  uint64_t operator()(uint64_t word) const {
    if (stretches_.size() == 1) return (word >> stretches_[0].from) & stretches_[0].mask;
    uint64_t out = 0;
    for (const Stretch& stretch : stretches_) out |= ((word >> stretch.from) & stretch.mask) << stretch.to;
    return out;
  }

 private:
  struct Stretch {
    int from;
    int to;
    uint64_t mask;
  };
  int count_;
  std::vector<Stretch> stretches_;
};

// Eight bytes of a text from `offset`, in the order of the text; bytes behind its end count as zero.
uint64_t WordAt(std::string_view text, size_t offset) {
  if (text.size() >= offset + 8) return LoadBig<uint64_t>(text.data() + offset);
  uint64_t word = 0;
  if (text.size() > offset) std::memcpy(&word, text.data() + offset, text.size() - offset);
  return SwapBytes(word);
}

// The start of the key, squeezed into one integer: words up to the first text column, and of that what follows the
// bytes that all rows begin with.
class Prefix {
 public:
  Prefix(const KeyLayout& key, std::span<const SortChunk> chunks) : word_count_(static_cast<size_t>(key.word_count())) {
    const size_t exact_words = key.exact() ? word_count_ : static_cast<size_t>(key.strings()[0].word);
    std::vector<uint64_t> varying(exact_words, 0);
    for (const SortChunk& chunk : chunks) {
      for (size_t w = 0; w < exact_words; ++w) {
        const uint64_t first = chunks[0].keys.words[w];
        const uint64_t* word = chunk.keys.words + w;
        uint64_t bits = 0;
        for (int64_t i = 0; i < chunk.row_count; ++i, word += word_count_) bits |= *word ^ first;
        varying[w] |= bits;
      }
    }
    size_t w = 0;
    while (w < exact_words && Add(varying[w])) ++w;
    whole_key_ = key.exact() && w == word_count_;
    if (key.exact() || w < exact_words) return;
    first_text_ = words_.size();
    offset_ = CommonLength(chunks);
    uint64_t text_varying[2] = {0, 0};
    const std::string_view first = chunks[0].keys.strings[0][0];
    for (const SortChunk& chunk : chunks) {
      for (int64_t i = 0; i < chunk.row_count; ++i) {
        const std::string_view text = chunk.keys.strings[0][i];
        for (size_t part : {0, 1})
          text_varying[part] |= WordAt(text, offset_ + 8 * part) ^ WordAt(first, offset_ + 8 * part);
      }
    }
    if (Add(text_varying[0])) Add(text_varying[1]);
  }

  int bit_count() const { return bit_count_; }
  // Whether equal prefixes are equal keys.
  bool whole_key() const { return whole_key_; }

  uint64_t Of(const KeyRows& rows, int64_t row) const {
    const uint64_t* words = rows.words + static_cast<size_t>(row) * word_count_;
    uint64_t out = 0;
    for (size_t w = 0; w < words_.size(); ++w) {
      const uint64_t word = w < first_text_ ? words[w] : WordAt(rows.strings[0][row], offset_ + 8 * (w - first_text_));
      // A shift by 64 would only happen where nothing has been put in yet.
      if (words_[w].bit_count() < 64) out <<= words_[w].bit_count();
      out |= words_[w](word);
    }
    return out;
  }

 private:
  bool Add(uint64_t varying) {
    BitSqueeze squeeze(varying);
    if (bit_count_ + squeeze.bit_count() > 64) return false;
    bit_count_ += squeeze.bit_count();
    words_.push_back(std::move(squeeze));
    return true;
  }

  // How many bytes all texts of the first text column begin with.
  static size_t CommonLength(std::span<const SortChunk> chunks) {
    const std::string_view first = chunks[0].keys.strings[0][0];
    size_t length = first.size();
    for (const SortChunk& chunk : chunks) {
      for (int64_t i = 0; i < chunk.row_count && length > 0; ++i) {
        const std::string_view text = chunk.keys.strings[0][i];
        length = std::min(length, text.size());
        if (std::memcmp(text.data(), first.data(), length) == 0) continue;
        length = static_cast<size_t>(
            std::mismatch(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length), first.begin()).first -
            text.begin());
      }
    }
    return length;
  }

  size_t word_count_;
  std::vector<BitSqueeze> words_;
  size_t first_text_ = ~size_t{0};  // of words_, the one that comes from the text
  size_t offset_ = 0;               // in the text
  int bit_count_ = 0;
  bool whole_key_ = false;
};

// Row numbers hold the chunk above `row_bits` bits of the row in it: increasing by arrival.
struct RowNumbers {
  int row_bits = 0;
  int bit_count = 0;
  explicit RowNumbers(std::span<const SortChunk> chunks) {
    int64_t longest = 1;
    for (const SortChunk& chunk : chunks) longest = std::max(longest, chunk.row_count);
    row_bits = std::bit_width(static_cast<uint64_t>(longest - 1));
    bit_count = row_bits + std::bit_width(chunks.size() - 1);
  }
  uint64_t Of(size_t chunk, int64_t row) const {
    return (static_cast<uint64_t>(chunk) << row_bits) | static_cast<uint64_t>(row);
  }
  uint32_t ChunkOf(uint64_t number) const { return static_cast<uint32_t>(number >> row_bits); }
  uint32_t RowOf(uint64_t number) const { return static_cast<uint32_t>(number & ((uint64_t{1} << row_bits) - 1)); }
};

class RowSort {
 public:
  RowSort(const KeyLayout& key, const KeyLayout* user_sequence, std::span<const SortChunk> chunks)
      : key_(key), user_sequence_(user_sequence), chunks_(chunks), numbers_(chunks), prefix_(key, chunks) {}

  std::vector<Segment> Winners() {
    Sort([&](auto... sorted) { Choose(sorted...); });
    return std::move(winners_);
  }

  KeyGroups Groups() {
    Sort([&](auto... sorted) { Collect(sorted...); });
    return std::move(groups_);
  }

 private:
  struct Pair {
    uint64_t prefix;
    uint64_t number;
  };

  template <typename Use>
  void ForEachRow(Use use) const {
    for (size_t c = 0; c < chunks_.size(); ++c) {
      for (int64_t i = 0; i < chunks_[c].row_count; ++i) use(prefix_.Of(chunks_[c].keys, i), numbers_.Of(c, i));
    }
  }

  size_t RowCount() const {
    int64_t rows = 0;
    for (const SortChunk& chunk : chunks_) rows += chunk.row_count;
    return static_cast<size_t>(rows);
  }

  // `use` takes the count of rows, the number of the i-th row in key order, and whether two places hold one key.
  template <typename Use>
  void Sort(Use use) const {
    if (prefix_.whole_key() && prefix_.bit_count() + numbers_.bit_count <= 64) {
      SortPacked(use);
    } else {
      SortPairs(use);
    }
  }

  template <typename Use>
  void SortPacked(Use use) const {
    std::vector<uint64_t> items;
    items.reserve(RowCount());
    const int shift = numbers_.bit_count;
    // With no bits of row numbers there is one row; with 64 there are no varying bits of keys.
    ForEachRow(
        [&](uint64_t prefix, uint64_t number) { items.push_back(shift == 64 ? number : (prefix << shift) | number); });
    RadixSort(&items, shift, prefix_.bit_count(), [](uint64_t item) { return item; });
    const uint64_t mask = shift == 64 ? ~uint64_t{0} : (uint64_t{1} << shift) - 1;
    use(
        items.size(), [&](size_t i) { return items[i] & mask; },
        [&](size_t a, size_t b) { return ((items[a] ^ items[b]) & ~mask) == 0; });
  }

  template <typename Use>
  void SortPairs(Use use) const {
    std::vector<Pair> items;
    items.reserve(RowCount());
    ForEachRow([&](uint64_t prefix, uint64_t number) { items.push_back({prefix, number}); });
    RadixSort(&items, 0, prefix_.bit_count(), [](const Pair& item) { return item.prefix; });
    if (!prefix_.whole_key()) SortTies(&items);
    use(
        items.size(), [&](size_t i) { return items[i].number; },
        [&](size_t a, size_t b) {
          return items[a].prefix == items[b].prefix &&
                 (prefix_.whole_key() || CompareKeys(items[a].number, items[b].number) == 0);
        });
  }

  void SortTies(std::vector<Pair>* items) const {
    const auto before = [&](const Pair& a, const Pair& b) {
      const int order = CompareKeys(a.number, b.number);
      return order != 0 ? order < 0 : a.number < b.number;
    };
    for (auto start = items->begin(); start != items->end();) {
      auto end = start + 1;
      while (end != items->end() && end->prefix == start->prefix) ++end;
      if (end - start > 1) std::sort(start, end, before);
      start = end;
    }
  }

  int CompareKeys(uint64_t a, uint64_t b) const {
    return key_.Compare(chunks_[numbers_.ChunkOf(a)].keys, numbers_.RowOf(a), chunks_[numbers_.ChunkOf(b)].keys,
                        numbers_.RowOf(b));
  }

  // Whether row number `a` is newer than `b`, which arrived earlier.
  bool Newer(uint64_t a, uint64_t b) const {
    if (user_sequence_ == nullptr) return true;
    return user_sequence_->Compare(chunks_[numbers_.ChunkOf(a)].user_sequence, numbers_.RowOf(a),
                                   chunks_[numbers_.ChunkOf(b)].user_sequence, numbers_.RowOf(b)) >= 0;
  }

  template <typename Number, typename SameKey>
  void Choose(size_t count, Number number, SameKey same_key) {
    for (size_t i = 0; i < count;) {
      uint64_t winner = number(i);
      size_t next = i + 1;
      for (; next < count && same_key(i, next); ++next) {
        if (Newer(number(next), winner)) winner = number(next);
      }
      i = next;
      Append(winner, &winners_);
    }
  }

  template <typename Number, typename SameKey>
  void Collect(size_t count, Number number, SameKey same_key) {
    for (size_t i = 0; i < count;) {
      size_t next = i + 1;
      while (next < count && same_key(i, next)) ++next;
      if (next == i + 1) {
        Append(number(i), &groups_.segments);
      } else {
        members_.clear();
        for (size_t member = i; member < next; ++member) members_.push_back(number(member));
        if (user_sequence_ != nullptr) {
          std::sort(members_.begin(), members_.end(), [&](uint64_t a, uint64_t b) { return Older(a, b); });
        }
        for (const uint64_t member : members_) {
          groups_.rows.push_back({numbers_.ChunkOf(member), numbers_.RowOf(member)});
        }
        groups_.EndGroup();
      }
      i = next;
    }
  }

  bool Older(uint64_t a, uint64_t b) const {
    const int order = user_sequence_->Compare(chunks_[numbers_.ChunkOf(a)].user_sequence, numbers_.RowOf(a),
                                              chunks_[numbers_.ChunkOf(b)].user_sequence, numbers_.RowOf(b));
    return order != 0 ? order < 0 : a < b;
  }

  void Append(uint64_t number, std::vector<Segment>* segments) const {
    const int64_t row = numbers_.RowOf(number);
    AppendSegment(numbers_.ChunkOf(number), row, row + 1, segments);
  }

  const KeyLayout& key_;
  const KeyLayout* user_sequence_;
  std::span<const SortChunk> chunks_;
  RowNumbers numbers_;
  Prefix prefix_;
  std::vector<Segment> winners_;
  KeyGroups groups_;
  std::vector<uint64_t> members_;
};

// All rows in order of arrival, where that is the order of keys and every key is there once.
std::optional<std::vector<Segment>> SortedAlready(const KeyLayout& key, std::span<const SortChunk> chunks) {
  for (size_t c = 0; c < chunks.size(); ++c) {
    MICA_CHECK(chunks[c].row_count > 0 && chunks[c].row_count <= kMaxSortChunkRows);
    if (c > 0 && key.Compare(chunks[c - 1].keys, chunks[c - 1].row_count - 1, chunks[c].keys, 0) >= 0) return {};
  }
  for (const SortChunk& chunk : chunks) {
    if (!IsStrictlySorted(key, chunk.keys, chunk.row_count)) return {};
  }
  std::vector<Segment> all;
  for (size_t c = 0; c < chunks.size(); ++c) {
    all.push_back({static_cast<uint32_t>(c), 0, static_cast<uint32_t>(chunks[c].row_count)});
  }
  return all;
}

}  // namespace

bool IsStrictlySorted(const KeyLayout& key, const KeyRows& rows, int64_t row_count) {
  return WithOrder(key, [&](auto order) {
    for (int64_t i = 1; i < row_count; ++i) {
      if (!order.Less(order.At(rows, i - 1), order.At(rows, i))) return false;
    }
    return true;
  });
}

std::vector<Segment> SortRows(const KeyLayout& key, const KeyLayout* user_sequence, std::span<const SortChunk> chunks) {
  if (auto all = SortedAlready(key, chunks)) return *std::move(all);
  return RowSort(key, user_sequence, chunks).Winners();
}

KeyGroups SortGroups(const KeyLayout& key, const KeyLayout* user_sequence, std::span<const SortChunk> chunks) {
  if (auto all = SortedAlready(key, chunks)) return {.segments = *std::move(all)};
  return RowSort(key, user_sequence, chunks).Groups();
}

}  // namespace mica
