#include "index/deletion_vector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "io/memory_file_system.h"

namespace mica {
namespace {

using testing::ElementsAre;

std::string Bytes(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

constexpr std::string_view kTwo32 =
    "01000000165e43f2d03a3000000100000000000000100000000200d1060251"
    "000000165e43f2d03a3000000100000000000000100000000100fa2b5192";
constexpr std::string_view kOne64 =
    "0100000022d1d339640100000000000000000000003a3000000100000000000000100000000100eebd85f4";

// Format 13, 14.1.
TEST(DeletionVector, ReadsBothForms) {
  MemoryFileSystem fs;
  fs.ReplaceAtomically("/a", Bytes(kTwo32));
  EXPECT_THAT(ReadDeletionVector(fs, "/a", 1, 22).positions(), ElementsAre(2));
  EXPECT_THAT(ReadDeletionVector(fs, "/a", 31, 22).positions(), ElementsAre(1));
  fs.ReplaceAtomically("/b", Bytes(kOne64));
  EXPECT_THAT(ReadDeletionVector(fs, "/b", 1, 42).positions(), ElementsAre(1));
}

TEST(DeletionVector, ReadsRunsAndHighPositions) {
  auto small =
      DeletionVector::Parse(Bytes("0000001d5e43f2d03b3001000100001400010000000200000000000a001300a086ce148657"));
  EXPECT_EQ(small.cardinality(), 22);
  for (int64_t position : {0, 10, 29, 100000}) EXPECT_TRUE(small.Contains(position));
  for (int64_t position : {1, 9, 30, 99999}) EXPECT_FALSE(small.Contains(position));
  auto large = DeletionVector::Parse(
      Bytes("0000004bd1d339640300000000000000000000003b3001000100001400010000000200000000000a001300a0860100"
            "00003a30000000000000020000003a3000000100000000000000100000000500c4e724a8"));
  EXPECT_EQ(large.cardinality(), 23);
  EXPECT_EQ(large.positions().back(), (int64_t{1} << 33) + 5);
}

// Format 13, 14.1: the same bytes.
TEST(DeletionVector, WritesBothForms) {
  MemoryFileSystem fs;
  const DeletionVector two({2}), one({1});
  const DeletionVector* both[] = {&two, &one};
  DeletionVectorFile file = WriteDeletionVectors(fs, "/a", both, false);
  EXPECT_EQ(fs.ReadFile("/a"), Bytes(kTwo32));
  EXPECT_EQ(file.file_bytes, static_cast<int64_t>(kTwo32.size() / 2));
  EXPECT_EQ(file.places[1].offset, 31);
  EXPECT_EQ(file.places[1].length, 22);
  const DeletionVector* single[] = {&one};
  file = WriteDeletionVectors(fs, "/b", single, true);
  EXPECT_EQ(fs.ReadFile("/b"), Bytes(kOne64));
  EXPECT_EQ(file.places[0].length, 42);
}

TEST(DeletionVector, ComesBackAsItWas) {
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < 100'000; ++i) positions.push_back(i % 3 == 0 ? i * 7 : 1'000'000 + i);
  const DeletionVector vector = DeletionVector({}).With(positions);
  std::sort(positions.begin(), positions.end());
  for (bool bits64 : {false, true}) EXPECT_EQ(DeletionVector::Parse(vector.Serialize(bits64)).positions(), positions);
  const DeletionVector high = vector.With({(int64_t{3} << 32) + 5, 0});
  EXPECT_EQ(high.cardinality(), vector.cardinality() + 1);
  EXPECT_EQ(DeletionVector::Parse(high.Serialize(true)).positions(), high.positions());
  EXPECT_THROW(high.Serialize(false), Error);
}

TEST(DeletionVector, SurvivesEveryCutAndFlip) {
  for (std::string_view hex : {kTwo32.substr(2), kOne64.substr(2)}) {
    std::string block = Bytes(hex);
    size_t whole = hex[7] == '6' ? 30 : block.size();
    for (size_t i = 0; i < whole; ++i) {
      EXPECT_THROW(DeletionVector::Parse(block.substr(0, i)), Error);
      std::string flipped = block;
      flipped[i] = static_cast<char>(flipped[i] ^ 0x41);
      EXPECT_THROW(DeletionVector::Parse(flipped), Error) << i;
    }
  }
}

TEST(DeletionVector, NamesTheFile) {
  MemoryFileSystem fs;
  fs.ReplaceAtomically("/a", Bytes(kTwo32));
  for (int64_t offset : {0, 2, 31 + 22, 1000}) {
    try {
      ReadDeletionVector(fs, "/a", offset, 22);
      ADD_FAILURE() << offset;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("'/a'"));
    }
  }
}

}  // namespace
}  // namespace mica
