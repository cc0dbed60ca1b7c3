// Sorts rows that lie in chunks by key and chooses the newest row of each key: the heart of the sort buffer. Keys whose
// varying bits fit beside a row number are sorted as integers, others by a prefix first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "merge/key_layout.h"
#include "merge/run_merge.h"

namespace mica {

// One chunk of rows in order of arrival; chunks follow each other in that order too.
struct SortChunk {
  int64_t row_count = 0;  // at most kMaxSortChunkRows
  KeyRows keys;
  KeyRows user_sequence;  // when there is a sequence layout
};

inline constexpr int64_t kMaxSortChunkRows = 65536;
// What sorting takes at most beside the chunks.
inline constexpr int64_t kSortBytesPerRow = 32;

// Whether every key is greater than the one before it.
bool IsStrictlySorted(const KeyLayout& key, const KeyRows& rows, int64_t row_count);

// The winners as (chunk, row) stretches in key order: one row a key, the greatest by user sequence, then arrival.
std::vector<Segment> SortRows(const KeyLayout& key, const KeyLayout* user_sequence, std::span<const SortChunk> chunks);

// The same for merge engines that look at every row: sources are chunks, and rows of a group go from old to new.
KeyGroups SortGroups(const KeyLayout& key, const KeyLayout* user_sequence, std::span<const SortChunk> chunks);

}  // namespace mica
