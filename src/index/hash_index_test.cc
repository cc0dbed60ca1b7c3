#include "index/hash_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "io/memory_file_system.h"

namespace mica {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

// Format 14.1: the file of the INT keys 1, 3, 2.
TEST(HashIndexFile, HasTheBytesOfOtherWriters) {
  MemoryFileSystem fs;
  std::vector<int32_t> hashes = {1465514398, -771300025, 1340390384};
  EXPECT_EQ(WriteHashIndex(fs, "/i", hashes), 12);
  EXPECT_EQ(fs.ReadFile("/i"), std::string("\x57\x59\xf9\x9e\xd2\x06\xe5\x47\x4f\xe4\xbb\xf0", 12));
  EXPECT_EQ(ReadHashIndex(fs, "/i", 12), hashes);
  EXPECT_EQ(ReadHashIndex(fs, "/i", std::nullopt), hashes);
  fs.ReplaceAtomically("/i", "12345");
  try {
    ReadHashIndex(fs, "/i", std::nullopt);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
    EXPECT_THAT(error.what(), testing::HasSubstr("'/i'"));
  }
}

class AssignerTest : public testing::Test {
 protected:
  std::vector<int32_t> Assign(DynamicBucketAssigner& assigner, const std::vector<int32_t>& hashes,
                              std::string_view partition = "p") {
    std::vector<int32_t> buckets(hashes.size());
    assigner.Assign(partition, hashes, buckets);
    return buckets;
  }
  DynamicBucketAssigner::Load Files(std::vector<BucketHashes> files) {
    return [this, files](std::string_view) {
      ++loads_;
      return files;
    };
  }
  int loads_ = 0;
};

TEST_F(AssignerTest, FillsOneBucketAfterTheOther) {
  DynamicBucketAssigner assigner({.target_rows = 2}, Files({}));
  EXPECT_THAT(Assign(assigner, {10, 11, 10, 12, 13, 14, 11}), ElementsAre(0, 0, 0, 1, 1, 2, 0));
  EXPECT_THAT(Assign(assigner, {10}, "q"), ElementsAre(0));
  EXPECT_EQ(loads_, 2);
}

TEST_F(AssignerTest, KeepsWhatTheFilesSay) {
  DynamicBucketAssigner assigner({.target_rows = 3}, Files({{5, {1, 2}}, {0, {3, 4, 5}}}));
  // Bucket 0 is full, 5 has room for one; then the lowest free id.
  EXPECT_THAT(Assign(assigner, {1, 3, 6, 7}), ElementsAre(5, 0, 5, 1));
}

TEST_F(AssignerTest, TellsTheBucketsToRewrite) {
  DynamicBucketAssigner assigner({.target_rows = 3}, Files({{0, {1, 2}}, {1, {3}}}));
  Assign(assigner, {1, 2, 3});
  EXPECT_THAT(assigner.TakeChanged(), IsEmpty());
  Assign(assigner, {4});
  auto changes = assigner.TakeChanged();
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].partition, "p");
  EXPECT_EQ(changes[0].bucket.bucket, 0);
  EXPECT_THAT(changes[0].bucket.hashes, UnorderedElementsAre(1, 2, 4));
  EXPECT_THAT(assigner.TakeChanged(), IsEmpty());
  Assign(assigner, {5, 6, 7});
  changes = assigner.TakeChanged();
  ASSERT_THAT(changes, SizeIs(2));
  EXPECT_THAT(changes[0].bucket.hashes, UnorderedElementsAre(3, 5, 6));
  EXPECT_EQ(changes[1].bucket.bucket, 2);
}

TEST_F(AssignerTest, SpreadsOverFullBucketsAtTheLimit) {
  DynamicBucketAssigner assigner({.target_rows = 1, .max_buckets = 2}, Files({}));
  EXPECT_THAT(Assign(assigner, {1, 2, 3, 4, 5, 3}), ElementsAre(0, 1, 0, 1, 0, 0));
}

TEST_F(AssignerTest, RefusesOptionsOutOfRange) {
  EXPECT_THROW(DynamicBucketAssigner({.max_buckets = 0}, Files({})), Error);
  EXPECT_THROW(DynamicBucketAssigner({.max_buckets = 40000}, Files({})), Error);
  EXPECT_THROW(DynamicBucketAssigner({.target_rows = 0}, Files({})), Error);
}

TEST_F(AssignerTest, RefusesMoreBucketsThanIdsExist) {
  DynamicBucketAssigner assigner({.target_rows = 1}, Files({}));
  std::vector<int32_t> hashes(32768);
  for (size_t i = 0; i < hashes.size(); ++i) hashes[i] = static_cast<int32_t>(i);
  std::vector<int32_t> buckets(hashes.size());
  EXPECT_THROW(assigner.Assign("p", hashes, buckets), Error);
}

TEST_F(AssignerTest, GivesEveryHashTheSameBucketAgain) {
  std::mt19937 random(7);
  std::vector<int32_t> hashes(200000);
  for (int32_t& hash : hashes) hash = static_cast<int32_t>(random());
  hashes.push_back(0);
  hashes.push_back(-1);
  hashes.push_back(INT32_MIN);
  DynamicBucketAssigner assigner({.target_rows = 30000}, Files({}));
  auto first = Assign(assigner, hashes);
  EXPECT_EQ(Assign(assigner, hashes), first);
  std::map<int32_t, std::set<int32_t>> by_bucket;
  for (size_t i = 0; i < hashes.size(); ++i) by_bucket[first[i]].insert(hashes[i]);
  std::vector<BucketHashes> files;
  for (auto& change : assigner.TakeChanged()) {
    std::set<int32_t> written(change.bucket.hashes.begin(), change.bucket.hashes.end());
    EXPECT_EQ(written.size(), change.bucket.hashes.size());
    EXPECT_EQ(written, by_bucket[change.bucket.bucket]);
    EXPECT_LE(written.size(), 30000u);
    files.push_back(std::move(change.bucket));
  }
  DynamicBucketAssigner again({.target_rows = 30000}, Files(files));
  EXPECT_EQ(Assign(again, hashes), first);
}

}  // namespace
}  // namespace mica
