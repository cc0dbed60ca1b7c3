#include "merge/interval_partition.h"

#include <algorithm>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "types/binary_row.h"

namespace mica {
namespace {

struct Interval {
  int min, max;
};

std::vector<Section> Partition(const std::vector<Interval>& items) {
  return PartitionIntervals(
      items.size(), [&](size_t i) { return items[i].min; }, [&](size_t i) { return items[i].max; }, std::less<int>());
}

TEST(IntervalPartition, SeparatesWhatDoesNotOverlap) {
  EXPECT_EQ(Partition({{10, 20}, {0, 5}, {6, 9}}), (std::vector<Section>{{{1}}, {{2}}, {{0}}}));
}

TEST(IntervalPartition, ABoundThatIsSharedOverlaps) {
  EXPECT_EQ(Partition({{0, 5}, {5, 9}}).size(), 1u);
}

TEST(IntervalPartition, ChainsFilesOfOneRunInsideASection) {
  const auto sections = Partition({{0, 100}, {0, 10}, {11, 20}, {21, 30}});
  ASSERT_EQ(sections.size(), 1u);
  ASSERT_EQ(sections[0].size(), 2u);
  EXPECT_EQ(sections[0][0], (SortedRunItems{1, 2, 3}));
  EXPECT_EQ(sections[0][1], (SortedRunItems{0}));
}

TEST(IntervalPartition, NothingGivesNoSections) {
  EXPECT_TRUE(Partition({}).empty());
}

TEST(IntervalPartition, RandomFilesFormTheFewestRuns) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    std::vector<Interval> items(random() % 40);
    for (auto& item : items) {
      item.min = static_cast<int>(random() % 300);
      item.max = item.min + static_cast<int>(random() % 30);
    }
    size_t seen = 0;
    int end = -1;
    for (const Section& section : Partition(items)) {
      int section_min = 1000, section_max = -1;
      for (const auto& run : section) {
        for (size_t i = 0; i < run.size(); ++i, ++seen) {
          section_min = std::min(section_min, items[run[i]].min);
          section_max = std::max(section_max, items[run[i]].max);
          if (i > 0) {
            EXPECT_LT(items[run[i - 1]].max, items[run[i]].min);
          }
        }
      }
      EXPECT_GT(section_min, end);
      // As many runs as the deepest pile of overlapping files.
      size_t deepest = 0;
      for (int at = section_min; at <= section_max; ++at) {
        deepest =
            std::max(deepest, static_cast<size_t>(std::count_if(items.begin(), items.end(), [&](const Interval& item) {
                       return item.min <= at && at <= item.max;
                     })));
      }
      EXPECT_EQ(section.size(), deepest);
      end = section_max;
    }
    EXPECT_EQ(seen, items.size());
  }
}

TEST(IntervalPartition, ComparesKeysByTypeNotByBytes) {
  const std::vector<DataType> types = {DataType::Int(), DataType::String()};
  const auto key = [&](int64_t number, const std::string& text) {
    const std::vector<Value> values = {number, text};
    return BinaryRow::Of(values, types).Serialize();
  };
  std::vector<DataFileMeta> files(3);
  files[0].min_key = key(256, "a"), files[0].max_key = key(257, "a");
  files[1].min_key = key(-1, "a"), files[1].max_key = key(2, "b");
  files[2].min_key = key(2, "a"), files[2].max_key = key(255, "longer than a slot");
  EXPECT_EQ(PartitionFiles(files, types), (std::vector<Section>{{{1}, {2}}, {{0}}}));
}

}  // namespace
}  // namespace mica
