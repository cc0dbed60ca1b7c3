#include "index/roaring64.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "base/error.h"

namespace mica {
namespace {

std::string Hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<uint8_t>(byte));
  return text;
}

TEST(Roaring64, OneNumberIsALeafAndAnArray) {
  Roaring64 bitmap;
  EXPECT_EQ(Hex(bitmap.Serialize()), "00");
  bitmap.Add(7);
  EXPECT_EQ(Hex(bitmap.Serialize()),
            "01" "0100000000000000"                               // not empty, one leaf
            "04" "0000" "00" "000000000000" "0000000000000000"    // the leaf: upper 48 bits, container 0
            "01000000" "fe" "01000000"                            // one list of one container
            "01" "02" "01000000" "0700"                           // an array of one number
            "0100000000000000" "00000000" "00000000");
}

TEST(Roaring64, RandomSetsComeBackAndUnite) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 60; ++round) {
    std::set<uint64_t> all;
    Roaring64 united;
    for (int part = 0; part < 2; ++part) {
      Roaring64 bitmap;
      std::set<uint64_t> numbers;
      for (uint64_t count = random() % 2000; count > 0; --count) {
        // Few upper bytes, so that all kinds of nodes and containers come.
        const uint64_t spread = uint64_t{1} << (random() % 64);
        numbers.insert((random() % 300) * spread + random() % 70000);
      }
      for (const uint64_t number : numbers) bitmap.Add(number);
      const Roaring64 back = Roaring64::Deserialize(bitmap.Serialize());
      ASSERT_EQ(back.cardinality(), numbers.size());
      ASSERT_EQ(back.Serialize(), bitmap.Serialize());
      united.UnionWith(back);
      all.insert(numbers.begin(), numbers.end());
    }
    ASSERT_EQ(united.cardinality(), all.size());
    for (const uint64_t number : all) united.Add(number);
    ASSERT_EQ(united.cardinality(), all.size());
  }
}

TEST(Roaring64, DamagedBytesAreRefused) {
  Roaring64 bitmap;
  for (uint64_t i = 0; i < 5000; ++i) bitmap.Add(i * i * 977);
  const std::string bytes = bitmap.Serialize();
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 20) {
    EXPECT_THROW(Roaring64::Deserialize(std::string_view(bytes).substr(0, size)), Error) << size;
  }
}

}  // namespace
}  // namespace mica
