#include "merge/run_merge.h"

#include <algorithm>

#include "base/error.h"
#include "merge/run_cursor.h"
#include "merge/window_merge.h"

namespace mica {

namespace {

// How far a stretch is followed row by row before the search doubles its steps.
constexpr int64_t kLinearSteps = 8;
// Up to here a run's new place among the others is found by walking, above by halving.
constexpr size_t kWalkedRuns = 12;

// Which of two rows of one key, at which their runs stand, is newer: user sequence, then number, kind and rank.
class Age {
 public:
  explicit Age(const KeyLayout* user_sequence) : user_sequence_(user_sequence) {}

  bool Newer(const RunCursor& a, const RunCursor& b) const {
    if (user_sequence_ != nullptr) {
      const int order = user_sequence_->Compare(a.chunk.user_sequence, a.position, b.chunk.user_sequence, b.position);
      if (order != 0) return order > 0;
    }
    return NewerByNumber(a, a.position, b, b.position);
  }

 private:
  const KeyLayout* user_sequence_;
};

// Of runs that stand at one key.
const RunCursor& Newest(std::span<RunCursor* const> members, const Age& age) {
  const RunCursor* newest = members[0];
  for (const RunCursor* run : members.subspan(1)) {
    if (age.Newer(*run, *newest)) newest = run;
  }
  return *newest;
}

// Collects the winners of deduplicate.
class Winners {
 public:
  Winners(std::vector<Segment>* segments, bool drop_deletes) : segments_(segments), drop_deletes_(drop_deletes) {}

  void Stretch(const RunCursor& run, int64_t start, int64_t end) {
    rows_ += end - start;
    AppendWinners(run.chunk, start, end, drop_deletes_, segments_);
  }

  void Group(std::span<RunCursor* const> members, const Age& age) {
    const RunCursor& newest = Newest(members, age);
    Stretch(newest, newest.position, newest.position + 1);
  }

  int64_t rows() const { return rows_; }

 private:
  std::vector<Segment>* segments_;
  bool drop_deletes_;
  int64_t rows_ = 0;
};

// Collects groups with their members from old to new.
class Groups {
 public:
  Groups(KeyGroups* groups, bool drop_deletes) : groups_(groups), drop_deletes_(drop_deletes) {}

  void Stretch(const RunCursor& run, int64_t start, int64_t end) {
    rows_ += end - start;
    AppendWinners(run.chunk, start, end, drop_deletes_, &groups_->segments);
  }

  void Group(std::span<RunCursor* const> members, const Age& age) {
    if (std::all_of(members.begin(), members.end(), [](const RunCursor* run) { return run->chunk.newest_counts; })) {
      const RunCursor& newest = Newest(members, age);
      return Stretch(newest, newest.position, newest.position + 1);
    }
    sorted_.assign(members.begin(), members.end());
    std::sort(sorted_.begin(), sorted_.end(),
              [&](const RunCursor* a, const RunCursor* b) { return age.Newer(*b, *a); });
    for (const RunCursor* run : sorted_) {
      groups_->rows.push_back({run->chunk.source, static_cast<uint32_t>(run->position)});
    }
    ++rows_;
    groups_->EndGroup();
  }

  int64_t rows() const { return rows_; }

 private:
  KeyGroups* groups_;
  bool drop_deletes_;
  std::vector<RunCursor*> sorted_;
  int64_t rows_ = 0;
};

// Keeps the runs ordered by the key they stand at. The first run's rows below the second run's key are a stretch; runs
// that stand at the same key are a group. That is cheap where it matters: one big run among small ones is followed with
// one comparison a row, and each move of a run is an insertion into a short sorted array.
template <typename Order>
class SortedFront final : public RunMerge::Core {
 public:
  SortedFront(Order order, std::vector<RunCursor> runs, const RunMergeOptions& options)
      : order_(order), age_(options.user_sequence), drop_deletes_(options.drop_deletes), runs_(std::move(runs)) {
    for (RunCursor& run : runs_) empty_.push_back(&run);
  }

  bool Next(int64_t max_rows, std::vector<Segment>* segments) override {
    Winners winners(segments, drop_deletes_);
    return Round(max_rows, winners);
  }

  bool NextGroups(int64_t max_rows, KeyGroups* groups) override {
    Groups output(groups, drop_deletes_);
    return Round(max_rows, output);
  }

 private:
  using Key = typename Order::Key;
  struct Entry {
    Key key;
    RunCursor* run;
  };

  template <typename Output>
  bool Round(int64_t max_rows, Output& output) {
    Load();
    if (front_.empty()) return false;
    while (empty_.empty() && output.rows() < max_rows) {
      if (front_.size() == 1) {
        RunCursor& run = *front_[0].run;
        const int64_t end = std::min(run.chunk.row_count, run.position + max_rows - output.rows());
        output.Stretch(run, run.position, end);
        run.position = end;
        Advance(0);
      } else if (order_.Less(front_[0].key, front_[1].key)) {
        RunCursor& run = *front_[0].run;
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
    for (RunCursor* run : empty_) {
      if (!run->Load()) continue;
      front_.insert(front_.begin(), Entry{order_.At(run->chunk.keys, 0), run});
      Settle(0);
    }
    empty_.clear();
  }

  // The entry's run has moved: gives it its new place, behind smaller keys. Entries after it are in order.
  void Advance(size_t i) {
    RunCursor* run = front_[i].run;
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
  int64_t StretchEnd(const RunCursor& run, const Key& bound) const {
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
  std::vector<RunCursor> runs_;
  std::vector<Entry> front_;       // ordered by key
  std::vector<RunCursor*> empty_;  // wait for their next chunk
  std::vector<RunCursor*> members_;
};

}  // namespace

RunMerge::RunMerge(std::vector<std::unique_ptr<RunSource>> sources, RunMergeOptions options)
    : options_(std::move(options)) {
  MICA_CHECK(options_.key != nullptr && !options_.key->empty());
  MICA_CHECK(options_.ranks.empty() || options_.ranks.size() == sources.size());
  runs_.resize(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    runs_[i].source = std::move(sources[i]);
    runs_[i].rank = options_.ranks.empty() ? static_cast<int32_t>(i) : options_.ranks[i];
  }
}

RunMerge::~RunMerge() = default;

RunMerge::Core& RunMerge::ReadyCore() {
  if (core_ != nullptr) return *core_;
  if (CanMergeByWindows(options_, runs_.size())) {
    core_ = MakeWindowMerge(std::move(runs_), options_);
  } else {
    core_ = WithOrder(*options_.key, [&](auto order) -> std::unique_ptr<Core> {
      return std::make_unique<SortedFront<decltype(order)>>(order, std::move(runs_), options_);
    });
  }
  return *core_;
}

bool RunMerge::Next(int64_t max_rows, std::vector<Segment>* segments) {
  return ReadyCore().Next(max_rows, segments);
}

bool RunMerge::NextGroups(int64_t max_rows, KeyGroups* groups) {
  return ReadyCore().NextGroups(max_rows, groups);
}

}  // namespace mica
