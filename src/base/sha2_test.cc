#include "base/sha2.h"

#include <gtest/gtest.h>

namespace mica {
namespace {

// The examples of FIPS 180-4.
TEST(Sha2, IsTheStandards) {
  EXPECT_EQ(Sha2("", 224), "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f");
  EXPECT_EQ(Sha2("abc", 224), "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7");
  EXPECT_EQ(Sha2("", 256), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha2("abc", 256), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha2("", 384),
            "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b");
  EXPECT_EQ(Sha2("abc", 384),
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7");
  EXPECT_EQ(Sha2("", 512),
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47"
            "417a81a538327af927da3e");
  EXPECT_EQ(Sha2("abc", 512),
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d442364"
            "3ce80e2a9ac94fa54ca49f");
}

// Lengths around the end of a block; sums over the digests of "a" repeated 0 to 300 times.
TEST(Sha2, PadsEveryLength) {
  {
    std::string all;
    for (size_t n = 0; n <= 300; ++n) all += Sha2(std::string(n, 'a'), 224);
    EXPECT_EQ(Sha2(all, 224), "9331988915bd4fb71eea49cdb851400647d0dabe4d6d89191e5be8ac");
  }
  {
    std::string all;
    for (size_t n = 0; n <= 300; ++n) all += Sha2(std::string(n, 'a'), 256);
    EXPECT_EQ(Sha2(all, 256), "1d2ef37f10edc523a59e4fa147289061bd7b8b98a208a636c2b3334c56a5838d");
  }
  {
    std::string all;
    for (size_t n = 0; n <= 300; ++n) all += Sha2(std::string(n, 'a'), 384);
    EXPECT_EQ(Sha2(all, 384),
              "eb5f0ddc4642777b891f29e40af3db1c3b2d299628c8f7c594cfd1d694bfb603f3d5de178d9a95651505ad61cfb8d77e");
  }
  {
    std::string all;
    for (size_t n = 0; n <= 300; ++n) all += Sha2(std::string(n, 'a'), 512);
    EXPECT_EQ(Sha2(all, 512),
              "8ea2f26d94fb96382440574b0fb3993e7a8648d0496057837233e3bfd82c79934e21db9d1da8180e16c321a3308c0ce9104ca573"
              "c9f04ad352ec986779d9d00b");
  }
}

TEST(Sha2, KnowsNoOtherSize) {
  EXPECT_EQ(Sha2("abc", 128), "");
}

}  // namespace
}  // namespace mica
