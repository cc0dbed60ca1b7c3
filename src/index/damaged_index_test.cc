// Damaged index files are errors, whatever the damage.
#include <gtest/gtest.h>

#include "base/mutations.h"
#include "index/deletion_vector.h"
#include "index/hash_index.h"
#include "io/memory_file_system.h"
#include "types/hex.h"

namespace mica {
namespace {

constexpr std::string_view kPath = "/t/index/index-1";

// Vectors of both forms with run containers and several blocks, as the reference implementation writes them.
constexpr std::string_view kVectors[] = {
    "01000000165e43f2d03a3000000100000000000000100000000100fa2b5192",
    "0100000022d1d339640100000000000000000000003a3000000100000000000000100000000100eebd85f4",
    "010000001d5e43f2d03b3001000100001400010000000200000000000a001300a086ce148657",
    "010000004bd1d339640300000000000000000000003b3001000100001400010000000200000000000a001300a086010000003a300000000000"
    "00020000003a3000000100000000000000100000000500c4e724a8"};

TEST(DamagedIndexTest, DeletionVectors) {
  MemoryFileSystem fs;
  Mutations mutations;
  for (std::string_view hex : kVectors) {
    const std::string intact = FromHex(hex);
    for (int i = 0; i < Mutations::Rounds(500); ++i) {
      const std::string damaged = mutations.Of(intact);
      fs.ReplaceAtomically(std::string(kPath), damaged);
      Mutations::ExpectErrorOrValue([&] {
        ReadDeletionVector(fs, std::string(kPath), 1, static_cast<int64_t>(intact.size()) - 9).Contains(5);
      });
      // Behind the checksum: what a wrong writer could have put there.
      if (damaged.size() > 1) Mutations::ExpectErrorOrValue([&] { DeletionVector::Parse(damaged.substr(1)); });
    }
  }
}

TEST(DamagedIndexTest, HashFiles) {
  MemoryFileSystem fs;
  Mutations mutations;
  const std::string intact = FromHex("5759f99ed206e5474fe4bbf0");
  for (int i = 0; i < Mutations::Rounds(500); ++i) {
    fs.ReplaceAtomically(std::string(kPath), mutations.Of(intact));
    Mutations::ExpectErrorOrValue([&] { ReadHashIndex(fs, std::string(kPath), std::nullopt); });
  }
}

}  // namespace
}  // namespace mica
