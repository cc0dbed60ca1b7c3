#include "merge/run_merge.h"

#include <map>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "merge/key_layout.h"

namespace mica {
namespace {

struct Version {
  int64_t key = 0;
  int64_t sequence = 0;
  int8_t kind = 0;
};

// A run of BIGINT keys cut into chunks of given sizes; remembers its rows so that segments can be read back.
class VectorRun final : public RunSource {
 public:
  VectorRun(std::vector<Version> rows, size_t chunk_rows, uint32_t source, bool with_sequence, bool with_kinds,
            bool with_user_sequence = false)
      : rows_(std::move(rows)),
        chunk_rows_(chunk_rows),
        source_(source),
        with_sequence_(with_sequence),
        with_kinds_(with_kinds) {
    if (!with_user_sequence) return;
    const std::vector<int64_t> constant(rows_.size(), 1);
    const ColumnView view{.values = constant.data(), .width = 8};
    SequenceLayout().Encode({&view, 1}, static_cast<int64_t>(rows_.size()), &user_sequence_);
  }

  static const KeyLayout& SequenceLayout() {
    static const DataType type = DataType::BigInt();
    static const KeyLayout layout = KeyLayout::ForSequence({&type, 1}, true);
    return layout;
  }

  bool NextChunk(KeyChunk* chunk) override {
    start_ += length_;
    length_ = std::min(chunk_rows_, rows_.size() - start_);
    if (length_ == 0) return false;
    keys_.clear(), sequences_.clear(), kinds_.clear();
    for (size_t i = start_; i < start_ + length_; ++i) {
      keys_.push_back(rows_[i].key), sequences_.push_back(rows_[i].sequence), kinds_.push_back(rows_[i].kind);
    }
    const ColumnView view{.values = keys_.data(), .width = 8};
    const DataType type = DataType::BigInt();
    KeyLayout::ForKey({&type, 1}).Encode({&view, 1}, static_cast<int64_t>(length_), &encoded_);
    *chunk = {.source = source_,
              .row_count = static_cast<int64_t>(length_),
              .keys = encoded_.rows(),
              .user_sequence = user_sequence_.rows(),
              .sequence_numbers = with_sequence_ ? sequences_.data() : nullptr,
              .kinds = with_kinds_ ? kinds_.data() : nullptr};
    return true;
  }
  const Version& At(uint32_t row) const { return rows_[start_ + row]; }

 private:
  std::vector<Version> rows_;
  size_t chunk_rows_;
  uint32_t source_;
  bool with_sequence_, with_kinds_;
  size_t start_ = 0, length_ = 0;
  std::vector<int64_t> keys_, sequences_;
  std::vector<int8_t> kinds_;
  EncodedRows encoded_;
  EncodedRows user_sequence_;  // the same for all rows
};

struct MergeCase {
  std::vector<std::vector<Version>> runs;
  size_t chunk_rows = 1000;
  bool with_sequence = true;
  bool with_kinds = true;
  bool drop_deletes = true;
  int64_t max_rows = 1000;
  bool with_user_sequence = false;  // a constant one: takes the merge that follows single rows
};

std::vector<Version> Merge(const MergeCase& setup) {
  const DataType type = DataType::BigInt();
  const KeyLayout layout = KeyLayout::ForKey({&type, 1});
  std::vector<std::unique_ptr<RunSource>> sources;
  std::vector<VectorRun*> runs;
  for (const auto& rows : setup.runs) {
    auto run = std::make_unique<VectorRun>(rows, setup.chunk_rows, static_cast<uint32_t>(runs.size()),
                                           setup.with_sequence, setup.with_kinds, setup.with_user_sequence);
    runs.push_back(run.get());
    sources.push_back(std::move(run));
  }
  RunMerge merge(std::move(sources),
                 {.key = &layout,
                  .user_sequence = setup.with_user_sequence ? &VectorRun::SequenceLayout() : nullptr,
                  .drop_deletes = setup.drop_deletes});
  std::vector<Version> out;
  std::vector<Segment> segments;
  while (merge.Next(setup.max_rows, &segments)) {
    for (const Segment& segment : segments) {
      for (uint32_t i = 0; i < segment.length; ++i) out.push_back(runs[segment.source]->At(segment.start + i));
    }
    segments.clear();
  }
  return out;
}

// The newest version of each key; where sequence numbers are not read, later runs are newer.
std::vector<Version> Expected(const MergeCase& setup) {
  std::map<int64_t, Version> newest;
  for (const auto& run : setup.runs) {
    for (const Version& row : run) {
      const auto [at, inserted] = newest.try_emplace(row.key, row);
      if (inserted) continue;
      const Version& old = at->second;
      const bool retract = IsRetract(row.kind), old_retract = IsRetract(old.kind);
      const bool newer = !setup.with_sequence || row.sequence > old.sequence ||
                         (row.sequence == old.sequence && (!setup.with_kinds || !retract || old_retract));
      if (newer) at->second = row;
    }
  }
  std::vector<Version> out;
  for (const auto& [key, row] : newest) {
    if (!setup.drop_deletes || !setup.with_kinds || !IsRetract(row.kind)) out.push_back(row);
  }
  return out;
}

void ExpectSame(const std::vector<Version>& actual, const std::vector<Version>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    ASSERT_EQ(actual[i].key, expected[i].key) << i;
    ASSERT_EQ(actual[i].sequence, expected[i].sequence) << i;
    ASSERT_EQ(actual[i].kind, expected[i].kind) << i;
  }
}

std::vector<Version> Keys(std::initializer_list<int64_t> keys, int64_t sequence, int8_t kind = 0) {
  std::vector<Version> run;
  for (const int64_t key : keys) run.push_back({key, sequence++, kind});
  return run;
}

TEST(RunMerge, KeepsTheRowWithTheGreatestSequenceNumber) {
  const MergeCase setup{.runs = {Keys({1, 2, 3}, 10), Keys({2, 4}, 0), Keys({3}, 20)}};
  const auto rows = Merge(setup);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[1].sequence, 11);
  EXPECT_EQ(rows[2].sequence, 20);
}

TEST(RunMerge, OfEqualSequenceNumbersTheAddWinsOverTheRetract) {
  for (const bool add_first : {true, false}) {
    const auto add = Keys({7}, 5, 0), retract = Keys({7}, 5, 3);
    const auto rows = Merge({.runs = add_first ? std::vector{add, retract} : std::vector{retract, add}});
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].kind, 0);
  }
}

TEST(RunMerge, LeavesOutDeletedKeysOnlyInAFinalOutput) {
  MergeCase setup{.runs = {Keys({1, 2, 3, 4}, 0), Keys({2}, 10, 3), Keys({4}, 20, 1), Keys({9}, 30, 3)}};
  EXPECT_EQ(Merge(setup).size(), 2u);
  setup.drop_deletes = false;
  ExpectSame(Merge(setup), Expected(setup));
}

TEST(RunMerge, WithoutSequenceNumbersRanksDecide) {
  const DataType type = DataType::BigInt();
  const KeyLayout layout = KeyLayout::ForKey({&type, 1});
  std::vector<std::unique_ptr<RunSource>> sources;
  for (uint32_t i = 0; i < 3; ++i) sources.push_back(std::make_unique<VectorRun>(Keys({1}, 0), 10, i, false, false));
  RunMerge merge(std::move(sources), {.key = &layout, .ranks = {1, 2, 0}});
  std::vector<Segment> segments;
  while (merge.Next(100, &segments)) {
  }
  EXPECT_EQ(segments, (std::vector<Segment>{{1, 0, 1}}));
}

TEST(RunMerge, RunsThatDoNotOverlapComeOutAsWholeStretches) {
  std::vector<Version> low, high;
  for (int64_t i = 0; i < 1000; ++i) low.push_back({i, i, 0}), high.push_back({i + 1000, i, 0});
  const DataType type = DataType::BigInt();
  const KeyLayout layout = KeyLayout::ForKey({&type, 1});
  std::vector<std::unique_ptr<RunSource>> sources;
  sources.push_back(std::make_unique<VectorRun>(high, 1000, 0, true, true));
  sources.push_back(std::make_unique<VectorRun>(low, 1000, 1, true, true));
  RunMerge merge(std::move(sources), {.key = &layout});
  std::vector<Segment> segments;
  while (merge.Next(100000, &segments)) {
  }
  EXPECT_EQ(segments, (std::vector<Segment>{{1, 0, 1000}, {0, 0, 1000}}));
}

TEST(RunMerge, FindsTheEndOfAStretchOfEveryLength) {
  for (int64_t length = 1; length < 300; ++length) {
    MergeCase setup{.runs = {{}, Keys({length}, 10000)}};
    for (int64_t i = 0; i < 300; ++i) setup.runs[0].push_back({i, i, 0});
    for (const bool user_sequence : {false, true}) {
      setup.with_user_sequence = user_sequence;
      setup.runs[1][0].key = length;
      ExpectSame(Merge(setup), Expected(setup));
      setup.runs[1][0].key = -length;
      ExpectSame(Merge(setup), Expected(setup));
    }
  }
}

TEST(RunMerge, ChunkBoundariesAndRowLimitsMayFallAnywhere) {
  MergeCase setup{
      .runs = {Keys({1, 2, 3, 5, 8, 9}, 0), Keys({1, 3, 4, 5, 9, 10}, 100, 3), Keys({0, 1, 5, 6, 7, 9}, 50)}};
  for (setup.chunk_rows = 1; setup.chunk_rows < 8; ++setup.chunk_rows) {
    for (setup.max_rows = 1; setup.max_rows < 8; ++setup.max_rows) {
      for (const int mode : {0, 1, 2, 3}) {
        setup.drop_deletes = (mode & 1) != 0;
        setup.with_user_sequence = (mode & 2) != 0;
        ExpectSame(Merge(setup), Expected(setup));
      }
    }
  }
}

TEST(RunMerge, NoRunsAndEmptyRunsGiveNothing) {
  EXPECT_TRUE(Merge({}).empty());
  EXPECT_TRUE(Merge({.runs = {{}, {}}}).empty());
}

TEST(RunMerge, RandomRunsAgreeWithAMap) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](uint32_t n) { return static_cast<int64_t>(random() % n); };
  for (int round = 0; round < 400; ++round) {
    MergeCase setup{.chunk_rows = static_cast<size_t>(1 + below(200)),
                    .with_sequence = below(2) == 0,
                    .with_kinds = below(2) == 0,
                    .drop_deletes = below(2) == 0,
                    .max_rows = 1 + below(500),
                    .with_user_sequence = below(2) == 0};
    const int64_t run_count = 1 + below(below(10) == 0 ? 40 : 8);
    const uint32_t key_range = 1 + static_cast<uint32_t>(below(3000));
    for (int64_t r = 0; r < run_count; ++r) {
      std::map<int64_t, Version> run;
      const int64_t count = below(1000) / (1 + below(50));
      // Few distinct numbers, so that equal ones meet.
      for (int64_t i = 0; i < count; ++i) {
        const int64_t key = below(key_range) - key_range / 2;
        run[key] = {key, below(20), static_cast<int8_t>(below(4))};
      }
      setup.runs.emplace_back();
      for (const auto& [key, row] : run) setup.runs.back().push_back(row);
    }
    ExpectSame(Merge(setup), Expected(setup));
    if (HasFatalFailure()) return;
  }
}

// Windows of more rows than are merged at once, and keys of two words that differ in few or in all bits.
TEST(RunMerge, BigWindowsAndWideKeysAgreeWithAMap) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const std::vector<DataType> types = {DataType::BigInt(), DataType::BigInt()};
  const KeyLayout layout = KeyLayout::ForKey(types);
  for (const int bits : {3, 10, 20, 40, 64}) {
    for (const int64_t chunk_rows : {700, 100000}) {
      using Key = std::pair<int64_t, int64_t>;
      std::map<Key, uint32_t> newest;
      std::vector<std::vector<Key>> runs;
      for (const int64_t count : {60000, 50000, 3000, 40}) {
        std::map<Key, int> run;
        while (static_cast<int64_t>(run.size()) < count) {
          const auto key = static_cast<int64_t>(random());
          const auto high = bits == 64 ? key : static_cast<int64_t>(random() % 40000);
          run[{high, bits == 64 ? static_cast<int64_t>(random()) : (key & ((int64_t{1} << bits) - 1)) * 4 - 8}] = 1;
        }
        if (!runs.empty()) {
          for (size_t i = 0; i < runs[0].size(); i += 50) run[runs[0][i]] = 1;
        }
        runs.emplace_back();
        for (const auto& [key, one] : run) {
          runs.back().push_back(key);
          newest[key] = static_cast<uint32_t>(runs.size() - 1);
        }
      }
      class PairRun final : public RunSource {
       public:
        PairRun(const std::vector<Key>* keys, int64_t chunk_rows, uint32_t source, const KeyLayout* layout)
            : keys_(keys), chunk_rows_(chunk_rows), source_(source), layout_(layout) {}
        bool NextChunk(KeyChunk* chunk) override {
          std::vector<int64_t> columns[2];
          for (; next_ < keys_->size() && static_cast<int64_t>(columns[0].size()) < chunk_rows_; ++next_) {
            columns[0].push_back((*keys_)[next_].first), columns[1].push_back((*keys_)[next_].second);
          }
          const std::vector<ColumnView> views = {{.values = columns[0].data(), .width = 8},
                                                 {.values = columns[1].data(), .width = 8}};
          layout_->Encode(views, static_cast<int64_t>(columns[0].size()), &encoded_);
          start_ = next_ - columns[0].size();
          *chunk = {.source = source_, .row_count = encoded_.row_count(), .keys = encoded_.rows()};
          return chunk->row_count > 0;
        }
        const Key& At(uint32_t row) const { return (*keys_)[start_ + row]; }

       private:
        const std::vector<Key>* keys_;
        int64_t chunk_rows_;
        uint32_t source_;
        const KeyLayout* layout_;
        size_t next_ = 0, start_ = 0;
        EncodedRows encoded_;
      };
      std::vector<std::unique_ptr<RunSource>> sources;
      std::vector<PairRun*> readers;
      for (const auto& run : runs) {
        auto reader = std::make_unique<PairRun>(&run, chunk_rows, static_cast<uint32_t>(readers.size()), &layout);
        readers.push_back(reader.get());
        sources.push_back(std::move(reader));
      }
      RunMerge merge(std::move(sources), {.key = &layout});
      std::vector<Segment> segments;
      auto expected = newest.begin();
      while (merge.Next(5000, &segments)) {
        for (const Segment& segment : segments) {
          for (uint32_t i = 0; i < segment.length; ++i, ++expected) {
            ASSERT_NE(expected, newest.end());
            ASSERT_EQ(readers[segment.source]->At(segment.start + i), expected->first);
            ASSERT_EQ(segment.source, expected->second);
          }
        }
        segments.clear();
      }
      EXPECT_EQ(expected, newest.end());
    }
  }
}

TEST(RunMerge, HandsOutGroupsFromOldToNewAndLoneRowsAsTheyAre) {
  const DataType type = DataType::BigInt();
  const KeyLayout layout = KeyLayout::ForKey({&type, 1});
  std::vector<std::unique_ptr<RunSource>> sources;
  sources.push_back(std::make_unique<VectorRun>(Keys({1, 2, 3}, 20), 10, 0, true, true));
  sources.push_back(std::make_unique<VectorRun>(Keys({2, 3}, 0), 10, 1, true, true));
  sources.push_back(std::make_unique<VectorRun>(Keys({3}, 10), 10, 2, true, true));
  RunMerge merge(std::move(sources), {.key = &layout});
  KeyGroups groups;
  while (merge.NextGroups(100, &groups)) {
  }
  EXPECT_EQ(groups.segments, (std::vector<Segment>{{0, 0, 1}, {KeyGroups::kGroups, 0, 2}}));
  std::vector<std::vector<uint32_t>> sources_of;
  for (size_t i = 0; i < groups.group_count(); ++i) {
    sources_of.emplace_back();
    for (const RowRef& row : groups.group(i)) sources_of.back().push_back(row.source);
  }
  EXPECT_EQ(sources_of, (std::vector<std::vector<uint32_t>>{{1, 0}, {1, 2, 0}}));
}

}  // namespace
}  // namespace mica
