// Merges sorted runs by key (Engine 3.1): sees keys, sequence and kind as plain arrays and puts out winners as
// stretches of rows of the runs, so that each source gathers its own columns. A key occurs at most once in a run. Not
// thread safe.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "merge/key_layout.h"

namespace mica {

// Rows [start, start + length) of one source.
struct Segment {
  uint32_t source = 0;
  uint32_t start = 0;
  uint32_t length = 0;
  bool operator==(const Segment&) const = default;
};

// A stretch of a run in key order. Everything it points to stays valid until the next call of NextChunk.
struct KeyChunk {
  uint32_t source = 0;  // what segments call this chunk; sources may number their chunks as they like
  int64_t row_count = 0;
  KeyRows keys;
  KeyRows user_sequence;                      // when the merge has a sequence layout
  const int64_t* sequence_numbers = nullptr;  // nullptr in all runs: ranks decide
  const int8_t* kinds = nullptr;              // Format 8.1; nullptr: all are inserts
  // NextGroups: a group of rows of such chunks alone is what its newest row is, which then comes as a lone row.
  bool newest_counts = false;
};

class RunSource {
 public:
  virtual ~RunSource() = default;
  // False at the end. Called only when every segment of the former chunk has been handed out and consumed.
  virtual bool NextChunk(KeyChunk* chunk) = 0;
};

// -U and -D.
inline bool IsRetract(int8_t kind) {
  return (kind & 1) != 0;
}

// A member of a group of equal keys.
struct RowRef {
  uint32_t source = 0;
  uint32_t row = 0;
};

// Rows of a merge in key order, for merge engines that compute values: lone rows pass as they are (Engine 3.1), two or
// more rows of one key are a group.
struct KeyGroups {
  static constexpr uint32_t kGroups = ~uint32_t{0};  // Segment::source of a stretch of groups, by their numbers
  std::vector<Segment> segments;
  std::vector<RowRef> rows;    // of all groups, from old to new within each
  std::vector<uint32_t> ends;  // where the rows of each group end

  void Clear() {
    segments.clear();
    rows.clear();
    ends.clear();
  }
  size_t group_count() const { return ends.size(); }
  std::span<const RowRef> group(size_t i) const {
    const uint32_t start = i == 0 ? 0 : ends[i - 1];
    return std::span(rows).subspan(start, ends[i] - start);
  }
  // Makes the rows added since the last group one.
  void EndGroup() {
    const auto number = static_cast<uint32_t>(ends.size());
    ends.push_back(static_cast<uint32_t>(rows.size()));
    if (!segments.empty() && segments.back().source == kGroups) {
      ++segments.back().length;
    } else {
      segments.push_back({kGroups, number, 1});
    }
  }
};

struct RunMergeOptions {
  const KeyLayout* key = nullptr;
  const KeyLayout* user_sequence = nullptr;  // `sequence.field`; nullptr for none
  std::vector<int32_t> ranks;                // newer runs have greater ones; empty: later runs are newer
  bool drop_deletes = true;                  // final output: keys whose winner is a retract are left out
};

struct RunCursor;

class RunMerge {
 public:
  // The layouts must outlive the merge.
  RunMerge(std::vector<std::unique_ptr<RunSource>> runs, RunMergeOptions options);
  ~RunMerge();

  // Deduplicate (Engine 3.2): appends the winners' rows in key order, about `max_rows` at most, and returns false at
  // the end. May append nothing. Segments refer to the chunks loaded now: gather them before the next call.
  bool Next(int64_t max_rows, std::vector<Segment>* segments);
  // The same for other engines: `drop_deletes` leaves out lone retracts, groups stay. Use one of the two throughout.
  bool NextGroups(int64_t max_rows, KeyGroups* groups);

  class Core;

 private:
  Core& ReadyCore();

  RunMergeOptions options_;
  std::vector<RunCursor> runs_;  // until the first call
  std::unique_ptr<Core> core_;
};

}  // namespace mica
