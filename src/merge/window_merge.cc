#include "merge/window_merge.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "base/error.h"

namespace mica {
namespace {

// About how many rows are merged at once: keys and references of all lists stay in the second-level cache.
constexpr int64_t kWindowRows = 16384;
// A row of the window is a member number above a row number, counted from the window's start in the run's chunk.
// Members are numbered by age, so that of two references the greater one is of the newer run.
constexpr int kRowBits = 17;
constexpr uint32_t kRowMask = (uint32_t{1} << kRowBits) - 1;
static_assert(2 * kWindowRows < kRowMask);
// When one list is so many times longer than the other, the short one is searched in the long one.
constexpr size_t kSearchRatio = 16;

using WideKey = unsigned __int128;

template <typename Key>
struct List {
  std::vector<Key> keys;
  std::vector<uint32_t> rows;
  size_t size = 0;

  void Resize(size_t rows_count) {
    size = rows_count;
    if (keys.size() < size) keys.resize(size), rows.resize(size);
  }
};

// Takes merged rows as a list.
template <typename Key>
class ListOutput {
 public:
  ListOutput(List<Key>* list, size_t most) : list_(list) {
    list->Resize(most);
    keys_ = list->keys.data();
    rows_ = list->rows.data();
  }
  void Put(Key key, uint32_t row) {
    keys_[count_] = key;
    rows_[count_++] = row;
  }
  void PutAll(const Key* keys, const uint32_t* rows, size_t count) {
    std::memcpy(keys_ + count_, keys, count * sizeof(Key));
    std::memcpy(rows_ + count_, rows, count * sizeof(uint32_t));
    count_ += count;
  }
  void Finish() { list_->size = count_; }

 private:
  List<Key>* list_;
  Key* keys_;
  uint32_t* rows_;
  size_t count_ = 0;
};

// Takes merged rows as stretches: the first row of each and where it lies in the output.
struct Stretches {
  std::vector<uint32_t> rows;
  std::vector<uint32_t> places;
  size_t count = 0;
  uint32_t row_count = 0;
};

template <typename Key>
class StretchOutput {
 public:
  StretchOutput(Stretches* stretches, size_t most) : stretches_(stretches) {
    if (stretches->rows.size() < most + 1) stretches->rows.resize(most + 1), stretches->places.resize(most + 1);
    rows_ = stretches->rows.data();
    places_ = stretches->places.data();
  }
  void Put(Key, uint32_t row) {
    rows_[count_] = row;
    places_[count_] = place_++;
    count_ += row != expected_;
    expected_ = row + 1;
  }
  void PutAll(const Key*, const uint32_t* rows, size_t count) {
    for (size_t i = 0; i < count; ++i) Put({}, rows[i]);
  }
  void Finish() {
    stretches_->count = count_;
    stretches_->row_count = place_;
  }

 private:
  Stretches* stretches_;
  uint32_t* rows_;
  uint32_t* places_;
  size_t count_ = 0;
  uint32_t place_ = 0;
  uint32_t expected_ = ~uint32_t{0};
};

template <typename T>
T Choose(bool first, T a, T b) {
  return b ^ ((a ^ b) & (T{0} - static_cast<T>(first)));
}

// Merges two lists; of equal keys `newer(a, b)` says whether a's row stays. `kByRank`: the greater reference does.
template <bool kByRank, typename Key, typename Output, typename Newer>
void MergeTwo(const List<Key>& a, const List<Key>& b, Output output, Newer newer) {
  const Key* a_keys = a.keys.data();
  const Key* b_keys = b.keys.data();
  const uint32_t* a_rows = a.rows.data();
  const uint32_t* b_rows = b.rows.data();
  size_t i = 0, j = 0;
  const size_t a_size = a.size, b_size = b.size;
  while (i < a_size && j < b_size) {
    const Key a_key = a_keys[i], b_key = b_keys[j];
    const uint32_t a_row = a_rows[i], b_row = b_rows[j];
    const bool less = a_key < b_key;
    const bool equal = a_key == b_key;
    bool a_wins;
    if constexpr (kByRank) {
      a_wins = less | (equal & (a_row > b_row));
    } else {
      a_wins = less;
      if (equal) a_wins = newer(a_row, b_row);
    }
    output.Put(Choose<Key>(less, a_key, b_key), Choose<uint32_t>(a_wins, a_row, b_row));
    i += less | equal;
    j += !less;
  }
  output.PutAll(a_keys + i, a_rows + i, a_size - i);
  output.PutAll(b_keys + j, b_rows + j, b_size - j);
  output.Finish();
}

// The same for a short list `a`, whose rows are searched in `b`.
template <bool kByRank, typename Key, typename Output, typename Newer>
void SearchTwo(const List<Key>& a, const List<Key>& b, Output output, Newer newer) {
  size_t j = 0;
  for (size_t i = 0; i < a.size; ++i) {
    const Key key = a.keys[i];
    size_t step = 1, low = j;
    while (low + step <= b.size && b.keys[low + step - 1] < key) {
      low += step;
      step *= 2;
    }
    const auto end = b.keys.begin() + static_cast<std::ptrdiff_t>(std::min(b.size, low + step));
    const auto found = std::lower_bound(b.keys.begin() + static_cast<std::ptrdiff_t>(low), end, key);
    const auto place = static_cast<size_t>(found - b.keys.begin());
    output.PutAll(b.keys.data() + j, b.rows.data() + j, place - j);
    j = place;
    uint32_t row = a.rows[i];
    if (j < b.size && b.keys[j] == key) {
      if (kByRank ? b.rows[j] > row : !newer(row, b.rows[j])) row = b.rows[j];
      ++j;
    }
    output.Put(key, row);
  }
  output.PutAll(b.keys.data() + j, b.rows.data() + j, b.size - j);
  output.Finish();
}

// Merges two lists without leaving a row out; of equal keys the older row comes first.
template <bool kByRank, typename Key, typename Newer>
void MergeAllOfTwo(const List<Key>& a, const List<Key>& b, ListOutput<Key> output, Newer newer) {
  const Key* a_keys = a.keys.data();
  const Key* b_keys = b.keys.data();
  const uint32_t* a_rows = a.rows.data();
  const uint32_t* b_rows = b.rows.data();
  size_t i = 0, j = 0;
  const size_t a_size = a.size, b_size = b.size;
  while (i < a_size && j < b_size) {
    const Key a_key = a_keys[i], b_key = b_keys[j];
    const uint32_t a_row = a_rows[i], b_row = b_rows[j];
    const bool equal = a_key == b_key;
    bool a_first = a_key < b_key;
    if constexpr (kByRank) {
      a_first |= equal & (a_row < b_row);
    } else {
      if (equal) a_first = newer(b_row, a_row);
    }
    output.Put(Choose<Key>(a_first, a_key, b_key), Choose<uint32_t>(a_first, a_row, b_row));
    i += a_first;
    j += !a_first;
  }
  output.PutAll(a_keys + i, a_rows + i, a_size - i);
  output.PutAll(b_keys + j, b_rows + j, b_size - j);
  output.Finish();
}

class WindowMerge final : public RunMerge::Core {
 public:
  WindowMerge(std::vector<RunCursor> runs, const RunMergeOptions& options)
      : key_(*options.key), drop_deletes_(options.drop_deletes), runs_(std::move(runs)) {
    std::stable_sort(runs_.begin(), runs_.end(),
                     [](const RunCursor& a, const RunCursor& b) { return a.rank < b.rank; });
    ends_.resize(runs_.size());
  }

  bool Next(int64_t max_rows, std::vector<Segment>* segments) override {
    if (next_ == pending_.size()) {
      pending_.clear();
      next_ = 0;
      if (!MergeWindow()) return false;
    }
    for (; next_ < pending_.size() && max_rows > 0; ++next_) {
      Segment& segment = pending_[next_];
      if (segment.length > max_rows) {
        const auto part = static_cast<uint32_t>(max_rows);
        AppendSegment(segment.source, segment.start, segment.start + part, segments);
        segment.start += part;
        segment.length -= part;
        break;
      }
      max_rows -= segment.length;
      // Only the first one can go on where the list ended.
      if (next_ == 0) {
        AppendSegment(segment.source, segment.start, segment.start + segment.length, segments);
      } else {
        segments->push_back(segment);
      }
    }
    return true;
  }

  bool NextGroups(int64_t max_rows, KeyGroups* groups) override {
    keeps_all_ = true;
    if (next_ == found_.segments.size()) {
      found_.Clear();
      next_ = 0;
      if (!MergeWindow()) return false;
    }
    while (next_ < found_.segments.size() && max_rows > 0) {
      Segment& segment = found_.segments[next_];
      const auto part = static_cast<uint32_t>(std::min<int64_t>(segment.length, max_rows));
      if (segment.source == KeyGroups::kGroups) {
        for (uint32_t i = segment.start; i < segment.start + part; ++i) {
          const std::span<const RowRef> rows = found_.group(i);
          groups->rows.insert(groups->rows.end(), rows.begin(), rows.end());
          groups->EndGroup();
        }
      } else {
        AppendSegment(segment.source, segment.start, int64_t{segment.start} + part, &groups->segments);
      }
      segment.start += part;
      segment.length -= part;
      max_rows -= part;
      if (segment.length == 0) ++next_;
    }
    return true;
  }

 private:
  using Bound = std::pair<uint64_t, uint64_t>;

  Bound KeyAt(const RunCursor& run, int64_t row) const {
    const uint64_t* words = run.chunk.keys.words + row * key_.word_count();
    return {words[0], key_.word_count() == 2 ? words[1] : 0};
  }

  // The first row at or after the run's position whose key is above `bound`.
  int64_t EndOf(const RunCursor& run, const Bound& bound) const {
    int64_t low = run.position, high = run.chunk.row_count;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (bound < KeyAt(run, middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  // Finds a key up to which every run's rows are loaded, and where each run's rows up to it end.
  void FindWindow() {
    std::optional<Bound> bound;
    for (const RunCursor& run : runs_) {
      if (run.source == nullptr) continue;
      const Bound last = KeyAt(run, run.chunk.row_count - 1);
      if (!bound || last < *bound) bound = last;
    }
    while (true) {
      int64_t total = 0;
      size_t longest = 0;
      for (size_t r = 0; r < runs_.size(); ++r) {
        ends_[r] = runs_[r].source == nullptr ? 0 : EndOf(runs_[r], *bound);
        total += ends_[r] - runs_[r].position;
        if (ends_[r] - runs_[r].position > ends_[longest] - runs_[longest].position) longest = r;
      }
      bound_ = *bound;
      const int64_t rows = ends_[longest] - runs_[longest].position;
      // One run alone needs no merging, whatever its length.
      if (total <= 2 * kWindowRows || rows == total) return;
      const int64_t part = std::max<int64_t>(1, rows * kWindowRows / total);
      bound = KeyAt(runs_[longest], runs_[longest].position + part - 1);
    }
  }

  bool MergeWindow() {
    bool any = false;
    for (RunCursor& run : runs_) {
      if (run.source != nullptr && run.position == run.chunk.row_count) run.Load();
      any = any || run.source != nullptr;
    }
    if (!any) return false;
    FindWindow();
    members_.clear();
    for (size_t r = 0; r < runs_.size(); ++r) {
      if (runs_[r].source != nullptr && runs_[r].position < ends_[r]) members_.push_back(r);
    }
    if (members_.size() == 1) {
      const RunCursor& run = runs_[members_[0]];
      AppendWinners(run.chunk, run.position, ends_[members_[0]], drop_deletes_,
                    keeps_all_ ? &found_.segments : &pending_);
    } else {
      by_age_ = OrderMembersByAge();
      MergeMembers();
    }
    for (const size_t r : members_) runs_[r].position = ends_[r];
    return true;
  }

  // Whether the order of the members alone tells which of two rows is newer: it is that of the ranks, or of sequence
  // numbers whose ranges do not overlap here.
  bool OrderMembersByAge() {
    struct Range {
      int64_t min, max;
      size_t member;
    };
    std::vector<Range> ranges;
    for (const size_t r : members_) {
      const int64_t* numbers = runs_[r].chunk.sequence_numbers;
      if (numbers == nullptr) continue;
      Range range{numbers[runs_[r].position], numbers[runs_[r].position], r};
      for (int64_t row = runs_[r].position; row < ends_[r]; ++row) {
        range.min = std::min(range.min, numbers[row]);
        range.max = std::max(range.max, numbers[row]);
      }
      ranges.push_back(range);
    }
    if (ranges.empty()) return true;
    if (ranges.size() != members_.size()) return false;
    std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.min < b.min; });
    for (size_t i = 1; i < ranges.size(); ++i) {
      if (ranges[i].min <= ranges[i - 1].max) return false;
    }
    for (size_t i = 0; i < ranges.size(); ++i) members_[i] = ranges[i].member;
    return true;
  }

  void MergeMembers() {
    if (key_.word_count() == 1) {
      MergeAs(&narrow_, [](const uint64_t* words) { return words[0]; });
      return;
    }
    // The window's keys share their leading bits, and often the second word has few that vary.
    uint64_t first_high = ~uint64_t{0};
    for (const size_t r : members_) first_high = std::min(first_high, runs_[r].chunk.keys.words[2 * runs_[r].position]);
    const int high_bits = std::bit_width(first_high ^ bound_.first);
    int low_shift = key_.unused_bits();
    int low_bits = 64 - low_shift;
    if (high_bits + low_bits > 64) {
      const uint64_t varying = VaryingLowBits();
      low_shift = varying == 0 ? 0 : std::countr_zero(varying);
      low_bits = std::bit_width(varying) - low_shift;
    }
    if (high_bits + low_bits > 64) {
      MergeAs(&wide_, [](const uint64_t* words) { return (static_cast<WideKey>(words[0]) << 64) | words[1]; });
    } else if (low_bits == 64) {
      MergeAs(&narrow_, [](const uint64_t* words) { return words[1]; });
    } else {
      const uint64_t low_mask = (uint64_t{1} << low_bits) - 1;
      MergeAs(&narrow_,
              [=](const uint64_t* words) { return (words[0] << low_bits) | ((words[1] >> low_shift) & low_mask); });
    }
  }

  uint64_t VaryingLowBits() const {
    uint64_t varying = 0;
    const uint64_t any = runs_[members_[0]].chunk.keys.words[2 * runs_[members_[0]].position + 1];
    for (const size_t r : members_) {
      const uint64_t* words = runs_[r].chunk.keys.words;
      for (int64_t row = runs_[r].position; row < ends_[r]; ++row) varying |= words[2 * row + 1] ^ any;
    }
    return varying;
  }

  template <typename Key, typename KeyOf>
  void MergeAs(std::vector<List<Key>>* lists, KeyOf key_of) {
    const size_t words = static_cast<size_t>(key_.word_count());
    if (lists->size() < 2 * members_.size()) lists->resize(2 * members_.size());
    order_.clear();
    for (size_t m = 0; m < members_.size(); ++m) {
      const RunCursor& run = runs_[members_[m]];
      List<Key>& list = (*lists)[m];
      list.Resize(static_cast<size_t>(ends_[members_[m]] - run.position));
      const uint64_t* from = run.chunk.keys.words + static_cast<size_t>(run.position) * words;
      const uint32_t first = static_cast<uint32_t>(m) << kRowBits;
      Key* keys = list.keys.data();
      uint32_t* rows = list.rows.data();
      for (size_t i = 0; i < list.size; ++i) keys[i] = key_of(from + i * words);
      for (size_t i = 0; i < list.size; ++i) rows[i] = first + static_cast<uint32_t>(i);
      order_.push_back(m);
    }
    if (keeps_all_ && !NewestCounts()) {
      AppendGroups(by_age_ ? MergeAll<true>(lists) : MergeAll<false>(lists));
      return;
    }
    if (by_age_) {
      MergeLists<true>(lists);
    } else {
      MergeLists<false>(lists);
    }
    AppendStretches(keeps_all_ ? &found_.segments : &pending_);
  }

  bool NewestCounts() const {
    return std::all_of(members_.begin(), members_.end(), [&](size_t r) { return runs_[r].chunk.newest_counts; });
  }

  bool IsNewer(uint32_t a, uint32_t b) const {
    const RunCursor& a_run = runs_[members_[a >> kRowBits]];
    const RunCursor& b_run = runs_[members_[b >> kRowBits]];
    return NewerByNumber(a_run, a_run.position + (a & kRowMask), b_run, b_run.position + (b & kRowMask));
  }

  // Merges the two shortest lists until one is left.
  template <bool kByRank, typename Key>
  const List<Key>& MergeAll(std::vector<List<Key>>* lists) {
    const auto newer = [&](uint32_t a, uint32_t b) { return IsNewer(a, b); };
    const auto longer = [&](size_t a, size_t b) { return (*lists)[a].size > (*lists)[b].size; };
    std::sort(order_.begin(), order_.end(), longer);
    for (size_t to = members_.size(); order_.size() > 1; ++to) {
      const List<Key>& a = (*lists)[order_.back()];
      order_.pop_back();
      const List<Key>& b = (*lists)[order_.back()];
      order_.pop_back();
      MergeAllOfTwo<kByRank>(a, b, ListOutput<Key>(&(*lists)[to], a.size + b.size), newer);
      order_.insert(std::upper_bound(order_.begin(), order_.end(), to, longer), to);
    }
    return (*lists)[order_[0]];
  }

  // Equal keys are groups, the rows between them stretches.
  template <typename Key>
  void AppendGroups(const List<Key>& all) {
    for (size_t i = 0; i < all.size;) {
      size_t end = i + 1;
      while (end < all.size && all.keys[end] == all.keys[i]) ++end;
      if (end > i + 1) {
        for (; i < end; ++i) found_.rows.push_back(RefOf(all.rows[i]));
        found_.EndGroup();
        continue;
      }
      while (end < all.size && all.rows[end] == all.rows[end - 1] + 1 && all.keys[end] != all.keys[end - 1] &&
             (end + 1 == all.size || all.keys[end + 1] != all.keys[end])) {
        ++end;
      }
      const RunCursor& run = runs_[members_[all.rows[i] >> kRowBits]];
      const int64_t start = run.position + (all.rows[i] & kRowMask);
      AppendWinners(run.chunk, start, start + static_cast<int64_t>(end - i), drop_deletes_, &found_.segments);
      i = end;
    }
  }

  RowRef RefOf(uint32_t row) const {
    const RunCursor& run = runs_[members_[row >> kRowBits]];
    return {run.chunk.source, static_cast<uint32_t>(run.position + (row & kRowMask))};
  }

  // Merges the two shortest lists until two are left, and those into stretches.
  template <bool kByRank, typename Key>
  void MergeLists(std::vector<List<Key>>* lists) {
    const auto newer = [&](uint32_t a, uint32_t b) { return IsNewer(a, b); };
    const auto merge = [&](const List<Key>& a, const List<Key>& b, auto output) {
      if (b.size / kSearchRatio >= a.size) {
        SearchTwo<kByRank>(a, b, output, newer);
      } else {
        MergeTwo<kByRank>(a, b, output, newer);
      }
    };
    const auto longer = [&](size_t a, size_t b) { return (*lists)[a].size > (*lists)[b].size; };
    std::sort(order_.begin(), order_.end(), longer);
    for (size_t to = members_.size(); order_.size() > 2; ++to) {
      const size_t a = order_.back();
      order_.pop_back();
      const size_t b = order_.back();
      order_.pop_back();
      merge((*lists)[a], (*lists)[b], ListOutput<Key>(&(*lists)[to], (*lists)[a].size + (*lists)[b].size));
      order_.insert(std::upper_bound(order_.begin(), order_.end(), to, longer), to);
    }
    const List<Key>& a = (*lists)[order_[1]];
    const List<Key>& b = (*lists)[order_[0]];
    merge(a, b, StretchOutput<Key>(&stretches_, a.size + b.size));
  }

  // `to` is empty, and neighbouring stretches are of different runs or not next to each other.
  void AppendStretches(std::vector<Segment>* to) {
    stretches_.places[stretches_.count] = stretches_.row_count;
    to->reserve(stretches_.count);
    retracts_.clear();
    for (const size_t r : members_) {
      const KeyChunk& chunk = runs_[r].chunk;
      retracts_.push_back(drop_deletes_ && chunk.kinds != nullptr &&
                          FindRetract(chunk.kinds, runs_[r].position, ends_[r]) < ends_[r]);
    }
    for (size_t i = 0; i < stretches_.count; ++i) {
      const uint32_t row = stretches_.rows[i];
      const size_t member = row >> kRowBits;
      const RunCursor& run = runs_[members_[member]];
      const auto start = static_cast<uint32_t>(run.position + (row & kRowMask));
      const uint32_t length = stretches_.places[i + 1] - stretches_.places[i];
      if (retracts_[member]) {
        AppendWinners(run.chunk, start, start + length, true, to);
      } else {
        to->push_back({run.chunk.source, start, length});
      }
    }
  }

  const KeyLayout& key_;
  bool drop_deletes_;
  std::vector<RunCursor> runs_;  // by rank
  std::vector<int64_t> ends_;    // of the window
  Bound bound_;                  // the window's last key
  std::vector<size_t> members_;  // runs with rows in the window
  bool by_age_ = false;          // members are ordered from old to new
  std::vector<List<uint64_t>> narrow_;
  std::vector<List<WideKey>> wide_;
  std::vector<char> retracts_;  // whether a member has rows to drop
  std::vector<size_t> order_;   // lists that wait, the longest first
  Stretches stretches_;
  std::vector<Segment> pending_;
  bool keeps_all_ = false;  // for groups, which are pending in found_
  KeyGroups found_;
  size_t next_ = 0;
};

}  // namespace

bool CanMergeByWindows(const RunMergeOptions& options, size_t run_count) {
  return options.user_sequence == nullptr && options.key->exact() && options.key->word_count() <= 2 &&
         run_count < (size_t{1} << (32 - kRowBits));
}

std::unique_ptr<RunMerge::Core> MakeWindowMerge(std::vector<RunCursor> runs, const RunMergeOptions& options) {
  return std::make_unique<WindowMerge>(std::move(runs), options);
}

}  // namespace mica
