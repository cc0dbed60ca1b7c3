// What the merge algorithms behind RunMerge share: where each run stands, which of two rows is newer, and the list of
// winners.
#pragma once

#include <memory>
#include <vector>

#include "base/bytes.h"
#include "merge/run_merge.h"

namespace mica {

class RunMerge::Core {
 public:
  virtual ~Core() = default;
  virtual bool Next(int64_t max_rows, std::vector<Segment>* segments) = 0;
  virtual bool NextGroups(int64_t max_rows, KeyGroups* groups) = 0;
};

struct RunCursor {
  std::unique_ptr<RunSource> source;
  int32_t rank = 0;
  KeyChunk chunk;
  int64_t position = 0;

  // Loads the next chunk that has rows; false and no chunk at the end.
  bool Load() {
    chunk = {};
    position = 0;
    bool more;
    do {
      more = source->NextChunk(&chunk);
    } while (more && chunk.row_count == 0);
    if (!more) {
      chunk = {};
      source.reset();
    }
    return more;
  }
};

// The sequence-number part of Engine 3.1 for two rows of one key: greater number, then add before retract, then rank.
inline bool NewerByNumber(const RunCursor& a, int64_t a_row, const RunCursor& b, int64_t b_row) {
  if (a.chunk.sequence_numbers != nullptr && b.chunk.sequence_numbers != nullptr) {
    const int64_t a_number = a.chunk.sequence_numbers[a_row];
    const int64_t b_number = b.chunk.sequence_numbers[b_row];
    if (a_number != b_number) return a_number > b_number;
    const bool a_retract = a.chunk.kinds != nullptr && IsRetract(a.chunk.kinds[a_row]);
    const bool b_retract = b.chunk.kinds != nullptr && IsRetract(b.chunk.kinds[b_row]);
    if (a_retract != b_retract) return b_retract;
  }
  return a.rank > b.rank;
}

// Appends a stretch; neighbours of one source become one segment.
inline void AppendSegment(uint32_t source, int64_t start, int64_t end, std::vector<Segment>* segments) {
  if (start == end) return;
  const auto length = static_cast<uint32_t>(end - start);
  if (!segments->empty()) {
    Segment& last = segments->back();
    if (last.source == source && last.start + last.length == static_cast<uint32_t>(start)) {
      last.length += length;
      return;
    }
  }
  segments->push_back({source, static_cast<uint32_t>(start), length});
}

// The first retract in [start, end), or `end`.
inline int64_t FindRetract(const int8_t* kinds, int64_t start, int64_t end) {
  constexpr uint64_t kRetractBits = 0x0101010101010101u;
  int64_t row = start;
  for (; row + 8 <= end && (LoadLittle<uint64_t>(kinds + row) & kRetractBits) == 0; row += 8) {
  }
  for (; row < end && !IsRetract(kinds[row]); ++row) {
  }
  return row;
}

// Appends winners of a chunk, without retracts if they are to be dropped.
inline void AppendWinners(const KeyChunk& chunk, int64_t start, int64_t end, bool drop_deletes,
                          std::vector<Segment>* segments) {
  if (!drop_deletes || chunk.kinds == nullptr) {
    AppendSegment(chunk.source, start, end, segments);
    return;
  }
  while (start < end) {
    const int64_t retract = FindRetract(chunk.kinds, start, end);
    AppendSegment(chunk.source, start, retract, segments);
    start = retract + 1;
  }
}

}  // namespace mica
