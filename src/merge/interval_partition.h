// Divides files into sections of overlapping key ranges and each section into the fewest sorted runs (Engine 2.5, 3.1).
// Sections are in key order; keys of different sections do not overlap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "meta/manifest.h"
#include "types/data_type.h"
#include "types/value.h"

namespace mica {

// Runs hold positions of items, in key order.
using SortedRunItems = std::vector<size_t>;
using Section = std::vector<SortedRunItems>;

// `min` and `max` give the bounds of an item by its position, `less` orders bounds.
template <typename MinOf, typename MaxOf, typename Less>
std::vector<Section> PartitionIntervals(size_t count, MinOf min, MaxOf max, Less less) {
  std::vector<size_t> order(count);
  for (size_t i = 0; i < count; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (less(min(a), min(b))) return true;
    if (less(min(b), min(a))) return false;
    return less(max(a), max(b));
  });
  std::vector<Section> sections;
  size_t greatest = 0;  // the item of this section with the greatest upper bound
  // Runs of this section by their last upper bound, the lowest on top.
  const auto ends_later = [&](const SortedRunItems& a, const SortedRunItems& b) {
    return less(max(b.back()), max(a.back()));
  };
  std::priority_queue<SortedRunItems, std::vector<SortedRunItems>, decltype(ends_later)> runs(ends_later);
  const auto end_section = [&] {
    Section section;
    for (; !runs.empty(); runs.pop()) section.push_back(runs.top());
    if (!section.empty()) sections.push_back(std::move(section));
  };
  for (const size_t item : order) {
    if (runs.empty() || less(max(greatest), min(item))) {
      end_section();
      greatest = item;
    } else if (less(max(greatest), max(item))) {
      greatest = item;
    }
    if (!runs.empty() && less(max(runs.top().back()), min(item))) {
      SortedRunItems run = runs.top();
      runs.pop();
      run.push_back(item);
      runs.push(std::move(run));
    } else {
      runs.push({item});
    }
  }
  end_section();
  return sections;
}

// The sections of data files by their `_MIN_KEY` and `_MAX_KEY`; `key_types` are those of the trimmed primary key.
std::vector<Section> PartitionFiles(std::span<const DataFileMeta> files, std::span<const DataType> key_types);
std::vector<Section> PartitionFiles(std::span<const DataFilePtr> files, std::span<const DataType> key_types);

}  // namespace mica
