#include "merge/run_merge.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/error.h"

namespace mica {

class RunMerge::Core {
 public:
  virtual ~Core() = default;
  virtual bool Next(int64_t max_rows, std::vector<Segment>* segments) = 0;
  virtual bool NextGroups(int64_t max_rows, GroupSink* sink) = 0;
};

namespace {

// How far a stretch is followed row by row before the search doubles its steps.
constexpr int64_t kLinearSteps = 8;
// Up to here a run's new place among the others is found by walking, above by halving.
constexpr size_t kWalkedRuns = 12;

struct Run {
  std::unique_ptr<RunSource> source;
  int32_t rank = 0;
  KeyChunk chunk;
  int64_t position = 0;
};

// Which of two rows of one key is newer: user sequence, sequence number, add after retract, rank.
class Age {
 public:
  explicit Age(const KeyLayout* user_sequence) : user_sequence_(user_sequence) {}

  bool Newer(const Run& a, const Run& b) const {
    if (user_sequence_ != nullptr) {
      const int order = user_sequence_->Compare(a.chunk.user_sequence, a.position, b.chunk.user_sequence, b.position);
      if (order != 0) return order > 0;
    }
    if (a.chunk.sequence_numbers != nullptr && b.chunk.sequence_numbers != nullptr) {
      const int64_t a_number = a.chunk.sequence_numbers[a.position];
      const int64_t b_number = b.chunk.sequence_numbers[b.position];
      if (a_number != b_number) return a_number > b_number;
      const bool a_retract = Retracts(a), b_retract = Retracts(b);
      if (a_retract != b_retract) return b_retract;
    }
    return a.rank > b.rank;
  }

  static bool Retracts(const Run& run) { return run.chunk.kinds != nullptr && IsRetract(run.chunk.kinds[run.position]); }

 private:
  const KeyLayout* user_sequence_;
};

// Collects winners; neighbours of one run become one segment.
class Winners {
 public:
  Winners(std::vector<Segment>* segments, bool drop_deletes) : segments_(segments), drop_deletes_(drop_deletes) {}

  void Stretch(const Run& run, int64_t start, int64_t end) {
    rows_ += end - start;
    if (drop_deletes_ && run.chunk.kinds != nullptr) {
      WithoutRetracts(run.chunk, start, end);
    } else {
      Append(run.chunk.source, start, end);
    }
  }

  void Group(std::span<Run* const> members, const Age& age) {
    const Run* winner = members[0];
    for (size_t i = 1; i < members.size(); ++i) {
      if (age.Newer(*members[i], *winner)) winner = members[i];
    }
    ++rows_;
    if (drop_deletes_ && Age::Retracts(*winner)) return;
    Append(winner->chunk.source, winner->position, winner->position + 1);
  }

  int64_t rows() const { return rows_; }

 private:
  void WithoutRetracts(const KeyChunk& chunk, int64_t start, int64_t end) {
    constexpr uint64_t kRetractBits = 0x0101010101010101u;
    int64_t from = start;
    int64_t row = start;
    while (row < end) {
      if (row + 8 <= end && (LoadLittle<uint64_t>(chunk.kinds + row) & kRetractBits) == 0) {
        row += 8;
        continue;
      }
      if (IsRetract(chunk.kinds[row])) {
        Append(chunk.source, from, row);
        from = row + 1;
      }
      ++row;
    }
    Append(chunk.source, from, end);
  }

  void Append(uint32_t source, int64_t start, int64_t end) {
    if (start == end) return;
    const auto length = static_cast<uint32_t>(end - start);
    if (!segments_->empty()) {
      Segment& last = segments_->back();
      if (last.source == source && last.start + last.length == static_cast<uint32_t>(start)) {
        last.length += length;
        return;
      }
    }
    segments_->push_back({source, static_cast<uint32_t>(start), length});
  }

  std::vector<Segment>* segments_;
  bool drop_deletes_;
  int64_t rows_ = 0;
};

// Hands groups on with their members from old to new.
class Groups {
 public:
  explicit Groups(GroupSink* sink) : sink_(sink) {}

  void Stretch(const Run& run, int64_t start, int64_t end) {
    rows_ += end - start;
    sink_->Alone({run.chunk.source, static_cast<uint32_t>(start), static_cast<uint32_t>(end - start)});
  }

  void Group(std::span<Run* const> members, const Age& age) {
    sorted_.assign(members.begin(), members.end());
    std::sort(sorted_.begin(), sorted_.end(), [&](const Run* a, const Run* b) { return age.Newer(*b, *a); });
    refs_.clear();
    for (const Run* run : sorted_) refs_.push_back({run->chunk.source, static_cast<uint32_t>(run->position)});
    ++rows_;
    sink_->Group(refs_);
  }

  int64_t rows() const { return rows_; }

 private:
  GroupSink* sink_;
  std::vector<Run*> sorted_;
  std::vector<RowRef> refs_;
  int64_t rows_ = 0;
};

// Keeps the runs ordered by the key they stand at. The first run's rows below the second run's key are a stretch; runs
// that stand at the same key are a group. That is cheap where it matters: one big run among small ones is followed with
// one comparison a row, and each move of a run is an insertion into a short sorted array.
template <typename Order>
class SortedFront final : public RunMerge::Core {
 public:
  SortedFront(Order order, std::vector<Run> runs, const RunMergeOptions& options)
      : order_(order), age_(options.user_sequence), drop_deletes_(options.drop_deletes), runs_(std::move(runs)) {
    for (Run& run : runs_) empty_.push_back(&run);
  }

  bool Next(int64_t max_rows, std::vector<Segment>* segments) override {
    Winners winners(segments, drop_deletes_);
    return Round(max_rows, winners);
  }

  bool NextGroups(int64_t max_rows, GroupSink* sink) override {
    Groups groups(sink);
    return Round(max_rows, groups);
  }

 private:
  using Key = typename Order::Key;
  struct Entry {
    Key key;
    Run* run;
  };

  template <typename Output>
  bool Round(int64_t max_rows, Output& output) {
    Load();
    if (front_.empty()) return false;
    while (empty_.empty() && output.rows() < max_rows) {
      if (front_.size() == 1) {
        Run& run = *front_[0].run;
        const int64_t end = std::min(run.chunk.row_count, run.position + max_rows - output.rows());
        output.Stretch(run, run.position, end);
        run.position = end;
        Advance(0);
      } else if (order_.Less(front_[0].key, front_[1].key)) {
        Run& run = *front_[0].run;
        const int64_t end = StretchEnd(run, front_[1].key);
        output.Stretch(run, run.position, end);
        run.position = end;
        Advance(0);
      } else {
        members_.clear();
        size_t count = 0;
        for (; count < front_.size() && (count < 2 || order_.Equal(front_[0].key, front_[count].key)); ++count) {
          members_.push_back(front_[count].run);
        }
        output.Group(members_, age_);
        for (size_t i = count; i-- > 0;) {
          ++front_[i].run->position;
          Advance(i);
        }
      }
    }
    return true;
  }

  void Load() {
    for (Run* run : empty_) {
      run->chunk = {};
      bool more;
      do {
        more = run->source->NextChunk(&run->chunk);
      } while (more && run->chunk.row_count == 0);
      if (!more) {
        run->source.reset();
        continue;
      }
      run->position = 0;
      front_.insert(front_.begin(), Entry{order_.At(run->chunk.keys, 0), run});
      Settle(0);
    }
    empty_.clear();
  }

  // The entry's run has moved: gives it its new place, behind smaller keys. Entries after it are in order.
  void Advance(size_t i) {
    Run* run = front_[i].run;
    if (run->position == run->chunk.row_count) {
      front_.erase(front_.begin() + static_cast<std::ptrdiff_t>(i));
      empty_.push_back(run);
      return;
    }
    front_[i].key = order_.At(run->chunk.keys, run->position);
    Settle(i);
  }

  void Settle(size_t i) {
    const Entry moved = front_[i];
    if (front_.size() - i <= kWalkedRuns) {
      for (; i + 1 < front_.size() && order_.Less(front_[i + 1].key, moved.key); ++i) front_[i] = front_[i + 1];
    } else {
      const auto first = front_.begin() + static_cast<std::ptrdiff_t>(i);
      const auto place = std::partition_point(first + 1, front_.end(),
                                              [&](const Entry& entry) { return order_.Less(entry.key, moved.key); });
      std::move(first + 1, place, first);
      i = static_cast<size_t>(place - front_.begin()) - 1;
    }
    front_[i] = moved;
  }

  // The first row after the run's position whose key is not below `bound`.
  int64_t StretchEnd(const Run& run, const Key& bound) const {
    const KeyRows& keys = run.chunk.keys;
    const int64_t count = run.chunk.row_count;
    const auto below = [&](int64_t row) { return order_.Less(order_.At(keys, row), bound); };
    int64_t row = run.position + 1;
    for (const int64_t stop = std::min(count, row + kLinearSteps); row < stop; ++row) {
      if (!below(row)) return row;
    }
    int64_t step = kLinearSteps;
    while (row + step < count && below(row + step)) {
      row += step + 1;
      step *= 2;
    }
    int64_t end = std::min(count, row + step);
    while (row < end) {
      const int64_t middle = row + (end - row) / 2;
      if (below(middle)) {
        row = middle + 1;
      } else {
        end = middle;
      }
    }
    return row;
  }

  Order order_;
  Age age_;
  bool drop_deletes_;
  std::vector<Run> runs_;
  std::vector<Entry> front_;    // ordered by key
  std::vector<Run*> empty_;     // wait for their next chunk
  std::vector<Run*> members_;
};

}  // namespace

RunMerge::RunMerge(std::vector<std::unique_ptr<RunSource>> sources, RunMergeOptions options) {
  MICA_CHECK(options.key != nullptr && !options.key->empty());
  MICA_CHECK(options.ranks.empty() || options.ranks.size() == sources.size());
  std::vector<Run> runs(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    runs[i].source = std::move(sources[i]);
    runs[i].rank = options.ranks.empty() ? static_cast<int32_t>(i) : options.ranks[i];
  }
  core_ = WithOrder(*options.key, [&](auto order) -> std::unique_ptr<Core> {
    return std::make_unique<SortedFront<decltype(order)>>(order, std::move(runs), options);
  });
}

RunMerge::~RunMerge() = default;

bool RunMerge::Next(int64_t max_rows, std::vector<Segment>* segments) { return core_->Next(max_rows, segments); }

bool RunMerge::NextGroups(int64_t max_rows, GroupSink* sink) { return core_->NextGroups(max_rows, sink); }

}  // namespace mica
