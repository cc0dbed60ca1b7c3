#include "merge/universal_compaction.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace mica {
namespace {

// (level, bytes) of runs, newest first.
using Runs = std::vector<std::pair<int32_t, int64_t>>;

Levels Of(const Runs& runs, int32_t num_levels = 6) {
  std::vector<DataFileMeta> files;
  int64_t sequence = 1000;
  for (const auto& [level, bytes] : runs) {
    DataFileMeta& file = files.emplace_back();
    file.level = level;
    file.file_size = bytes;
    file.max_sequence_number = file.min_sequence_number = --sequence;
    file.file_name = "f" + std::to_string(files.size());
  }
  return Levels(std::move(files), num_levels);
}

// "3 -> 5": files taken from the newest on, output level.
std::string Picked(const std::optional<CompactionUnit>& unit) {
  return unit ? std::to_string(unit->files.size()) + " -> " + std::to_string(unit->output_level) : "nothing";
}

std::string Pick(const Runs& runs, const Options& options = {}, std::optional<int64_t> since_full = std::nullopt,
                 int32_t hour = 12) {
  CompactionRules rules = CompactionRulesOf(TableOptions(options), hour);
  return Picked(PickCompaction(Of(runs, rules.num_levels), rules, since_full));
}

TEST(Levels, NewestRunsComeFirst) {
  std::vector<DataFileMeta> files(5);
  const std::tuple<int32_t, int64_t, int64_t> given[] = {{2, 0, 9}, {0, 5, 10}, {0, 3, 12}, {1, 0, 8}, {0, 4, 10}};
  for (size_t i = 0; i < files.size(); ++i) {
    std::tie(files[i].level, files[i].min_sequence_number, files[i].max_sequence_number) = given[i];
    files[i].file_name = std::string(1, static_cast<char>('a' + i));
  }
  Levels levels(files, 2);
  std::string order;
  for (const SortedRun& run : levels.runs()) order += run.files[0].file_name;
  EXPECT_EQ(order, "cebda");
  EXPECT_EQ(levels.level_count(), 3) << "files on a higher level raise the number of levels";
  EXPECT_EQ(levels.highest_non_empty(), 2);
  EXPECT_EQ(levels.FilesFrom(1).size(), 2u);
  EXPECT_THROW(Levels({}, 1), Error);
}

TEST(UniversalCompaction, WaitsForTheTrigger) {
  EXPECT_EQ(Pick({}), "nothing");
  EXPECT_EQ(Pick({{0, 1}, {0, 1}, {0, 1}, {0, 1}}), "nothing");
  EXPECT_EQ(Pick({{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}}), "5 -> 5");
  EXPECT_EQ(Pick({{0, 1}}, {{"num-sorted-run.compaction-trigger", "1"}}), "nothing");
}

TEST(UniversalCompaction, SizeAmplification) {
  const Options three = {{"num-sorted-run.compaction-trigger", "3"}};
  EXPECT_EQ(Pick({{0, 100}, {0, 101}, {3, 100}}, three), "3 -> 3");
  // 200 is not more than twice 100; the size ratio takes what fits.
  EXPECT_EQ(Pick({{0, 50}, {0, 150}, {3, 100}}, three), "nothing");
  Options much = three;
  much["compaction.max-size-amplification-percent"] = "100";
  EXPECT_EQ(Pick({{0, 50}, {0, 150}, {3, 100}}, much), "3 -> 3");
}

TEST(UniversalCompaction, SizeRatio) {
  const Options three = {{"num-sorted-run.compaction-trigger", "3"}};
  EXPECT_EQ(Pick({{0, 100}, {0, 101}, {3, 1000}}, three), "2 -> 2");
  EXPECT_EQ(Pick({{0, 100}, {0, 102}, {3, 1000}}, three), "nothing");
  Options ratio = three;
  ratio["compaction.size-ratio"] = "2";
  EXPECT_EQ(Pick({{0, 100}, {0, 102}, {3, 1000}}, ratio), "2 -> 2");
  // Nothing goes into level 0, so level 1 joins though it is too big.
  EXPECT_EQ(Pick({{0, 10}, {0, 10}, {1, 500}, {3, 1000}}, three), "3 -> 1");
  EXPECT_EQ(Pick({{0, 10}, {0, 10}, {2, 500}, {3, 1000}}, three), "2 -> 1");
}

TEST(UniversalCompaction, OffPeakHoursAddToTheRatio) {
  Options options = {{"num-sorted-run.compaction-trigger", "3"}, {"compaction.offpeak.start.hour", "22"},
                     {"compaction.offpeak.end.hour", "4"}, {"compaction.offpeak-ratio", "50"}};
  const Runs runs = {{0, 100}, {0, 140}, {3, 10000}};
  EXPECT_EQ(Pick(runs, options, {}, 21), "nothing");
  EXPECT_EQ(Pick(runs, options, {}, 22), "2 -> 2");
  EXPECT_EQ(Pick(runs, options, {}, 3), "2 -> 2");
  EXPECT_EQ(Pick(runs, options, {}, 4), "nothing");
  options.erase("compaction.offpeak.end.hour");
  EXPECT_EQ(Pick(runs, options, {}, 23), "nothing");
}

TEST(UniversalCompaction, NumberOfRuns) {
  const Options three = {{"num-sorted-run.compaction-trigger", "3"}};
  // Engine 12.2, descending sizes: four runs, two are forced, the next one is of level 0, so all.
  EXPECT_EQ(Pick({{0, 1000}, {0, 6000}, {0, 30000}, {3, 104000}}, three), "4 -> 3");
  EXPECT_EQ(Pick({{0, 6000}, {0, 30000}, {3, 104000}}, three), "nothing");
  EXPECT_EQ(Pick({{0, 1}, {0, 100}, {2, 10000}, {3, 1000000}}, three), "2 -> 1");
}

TEST(UniversalCompaction, NeverIntoLevelZero) {
  const Options two = {{"num-sorted-run.compaction-trigger", "2"}, {"num-levels", "6"}};
  EXPECT_EQ(Pick({{0, 10}, {0, 10}, {0, 5000}, {3, 1'000'000}}, two), "4 -> 5");
  EXPECT_EQ(Pick({{0, 10}, {0, 10}, {0, 5000}, {3, 1'000'000}, {5, 9'000'000}}, two), "4 -> 3");
}

TEST(UniversalCompaction, ForcedUpLevelZero) {
  const Options forced = {{"compaction.force-up-level-0", "true"}};
  EXPECT_EQ(Pick({{0, 10}}, forced), "1 -> 5");
  EXPECT_EQ(Pick({{0, 10}, {5, 10}}, forced), "2 -> 5");
  EXPECT_EQ(Pick({{0, 10}, {5, 1000}}, forced), "1 -> 4");
  EXPECT_EQ(Pick({{0, 10}, {4, 10}, {5, 1000}}, forced), "2 -> 4");
  EXPECT_EQ(Pick({{4, 10}, {5, 1000}}, forced), "nothing");
}

TEST(UniversalCompaction, EarlyFullCompaction) {
  const Runs runs = {{0, 10}, {5, 1000}};
  EXPECT_EQ(Pick(runs, {{"compaction.optimization-interval", "1 h"}}), "2 -> 5");
  EXPECT_EQ(Pick(runs, {{"compaction.optimization-interval", "1 h"}}, 3'600'000), "nothing");
  EXPECT_EQ(Pick(runs, {{"compaction.optimization-interval", "1 h"}}, 3'600'001), "2 -> 5");
  EXPECT_EQ(Pick(runs, {{"compaction.total-size-threshold", "1010 b"}}), "nothing");
  EXPECT_EQ(Pick(runs, {{"compaction.total-size-threshold", "1011 b"}}), "2 -> 5");
  EXPECT_EQ(Pick(runs, {{"compaction.incremental-size-threshold", "10 b"}}), "nothing");
  EXPECT_EQ(Pick(runs, {{"compaction.incremental-size-threshold", "9 b"}}), "2 -> 5");
  EXPECT_EQ(Pick({{0, 10}}, {{"compaction.optimization-interval", "1 h"}}), "nothing");
}

TEST(UniversalCompaction, Full) {
  EXPECT_EQ(Picked(PickFullCompaction(Of({}), nullptr)), "nothing");
  EXPECT_EQ(Picked(PickFullCompaction(Of({{0, 1}}), nullptr)), "1 -> 5");
  EXPECT_EQ(Picked(PickFullCompaction(Of({{0, 1}, {3, 1}, {5, 1}}), nullptr)), "3 -> 5");
  EXPECT_EQ(Picked(PickFullCompaction(Of({{5, 1}, {5, 2}}), nullptr)), "nothing");
  auto unit = PickFullCompaction(Of({{5, 1}, {5, 2}}), [](const DataFileMeta& file) { return file.file_size == 2; });
  EXPECT_EQ(Picked(unit), "1 -> 5");
  EXPECT_TRUE(unit->rewrite_each);
}

TEST(UniversalCompaction, OptionsThatCannotBeReadAreNamed) {
  try {
    CompactionRulesOf(TableOptions(Options{{"num-sorted-run.compaction-trigger", "x"}}), 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("num-sorted-run.compaction-trigger"), std::string::npos);
  }
  EXPECT_THROW(CompactionRulesOf(TableOptions(Options{{"num-levels", "1"}}), 0), Error);
  EXPECT_THROW(CompactionRulesOf(TableOptions(Options{{"num-sorted-run.compaction-trigger", "0"}}), 0), Error);
}

}  // namespace
}  // namespace mica
