// The examples of the ORC specification, and what damage makes of runs.
#include "format/orc_runs.h"

#include <random>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "format/orc_time.h"
#include "types/timestamp.h"

namespace mica {
namespace {

using Version = OrcIntegerRuns::Version;

const OrcCodec& Plain() {
  static const OrcCodec codec(0, 0);
  return codec;
}

OrcInput Input(std::vector<uint8_t> bytes) {
  return OrcInput(arrow::Buffer::FromString(std::string(bytes.begin(), bytes.end())), &Plain());
}

std::vector<int64_t> Integers(std::vector<uint8_t> bytes, Version version, bool is_signed, size_t count) {
  OrcIntegerRuns runs(Input(std::move(bytes)), version, is_signed);
  std::vector<int64_t> values(count);
  // In two steps, so that a run goes on over a call.
  runs.Next(values.data(), static_cast<int64_t>(count / 2));
  runs.Next(values.data() + count / 2, static_cast<int64_t>(count - count / 2));
  return values;
}

TEST(OrcRunsTest, VersionOne) {
  EXPECT_EQ(Integers({0x61, 0x00, 0x07}, Version::kOne, false, 100), std::vector<int64_t>(100, 7));
  std::vector<int64_t> down;
  for (int64_t i = 100; i > 0; --i) down.push_back(i);
  EXPECT_EQ(Integers({0x61, 0xff, 0x64}, Version::kOne, false, 100), down);
  EXPECT_EQ(Integers({0xfb, 0x02, 0x03, 0x04, 0x07, 0x0b}, Version::kOne, false, 5),
            (std::vector<int64_t>{2, 3, 4, 7, 11}));
  EXPECT_EQ(Integers({0xfe, 0x01, 0x02}, Version::kOne, true, 2), (std::vector<int64_t>{-1, 1}));
}

TEST(OrcRunsTest, VersionTwo) {
  EXPECT_EQ(Integers({0x0a, 0x27, 0x10}, Version::kTwo, false, 5), std::vector<int64_t>(5, 10000));
  EXPECT_EQ(Integers({0x5e, 0x03, 0x5c, 0xa1, 0xab, 0x1e, 0xde, 0xad, 0xbe, 0xef}, Version::kTwo, false, 4),
            (std::vector<int64_t>{23713, 43806, 57005, 48879}));
  EXPECT_EQ(Integers({0xc6, 0x09, 0x02, 0x02, 0x22, 0x42, 0x42, 0x46}, Version::kTwo, false, 10),
            (std::vector<int64_t>{2, 3, 5, 7, 11, 13, 17, 19, 23, 29}));
  std::vector<int64_t> patched = {2030, 2000, 2020, 1000000};
  for (int64_t value = 2040; value <= 2190; value += 10) patched.push_back(value);
  EXPECT_EQ(Integers({0x8e, 0x13, 0x2b, 0x21, 0x07, 0xd0, 0x1e, 0x00, 0x14, 0x70, 0x28, 0x32, 0x3c, 0x46,
                      0x50, 0x5a, 0x64, 0x6e, 0x78, 0x82, 0x8c, 0x96, 0xa0, 0xaa, 0xb4, 0xbe, 0xfc, 0xe8},
                     Version::kTwo, false, 20),
            patched);
}

TEST(OrcRunsTest, BytesAndBits) {
  std::vector<uint8_t> values(100, 9);
  OrcByteRuns(Input({0x61, 0x00})).Next(values.data(), 100);
  EXPECT_EQ(values, std::vector<uint8_t>(100, 0));
  values.resize(2);
  OrcByteRuns(Input({0xfe, 0x44, 0x45})).Next(values.data(), 2);
  EXPECT_EQ(values, (std::vector<uint8_t>{0x44, 0x45}));
  values.resize(16);
  OrcBitRuns bits(Input({0xfe, 0x80, 0x41}));
  bits.Next(values.data(), 3);
  bits.Next(values.data() + 3, 13);
  EXPECT_EQ(values, (std::vector<uint8_t>{1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1}));
}

TEST(OrcRunsTest, EndTooEarly) {
  EXPECT_ERROR(Integers({0x5e, 0x03, 0x5c}, Version::kTwo, false, 4), Corrupt, "ends before its rows");
  EXPECT_ERROR(Integers({0x61, 0x00, 0x07}, Version::kOne, false, 101), Corrupt, "ends before its rows");
  uint8_t byte = 0;
  EXPECT_ERROR(OrcByteRuns(Input({})).Next(&byte, 1), Corrupt, "ends before its rows");
}

TEST(OrcRunsTest, AnyBytesGiveValuesOrAnError) {
  std::mt19937 generator(11);
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> bytes(1 + generator() % 40);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(generator());
    std::vector<int64_t> values(600);
    OrcIntegerRuns runs(Input(bytes), round % 2 ? Version::kOne : Version::kTwo, round % 3 == 0);
    try {
      while (true) runs.Next(values.data(), 600);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
    }
  }
}

// 2020-07-01 00:00 in New York, which is 04:00 of UTC, counted from the begin of 2015 there, 05:00 of UTC.
TEST(OrcTimeTest, IsTheWallClockOfTheWriter) {
  const int64_t wall = DaysFromDate({2020, 7, 1}) * 86'400;
  int64_t value = wall + 4 * 3600 - (DaysFromDate({2015, 1, 1}) * 86'400 + 5 * 3600);
  const int64_t nanos = 5 << 3 | 7;  // 5 and eight zeros
  OrcTime time("America/New_York", arrow::timestamp(arrow::TimeUnit::MILLI), "c");
  time.Decode(&value, &nanos, 1);
  EXPECT_EQ(value, wall * 1000 + 500);
  EXPECT_ERROR(OrcTime("Mars/Olympus", arrow::timestamp(arrow::TimeUnit::MILLI), "c"), Corrupt, "'Mars/Olympus'");
}

// Seconds are cut towards zero, so that half a second before 1969-12-31 23:59:59 is told by its nanoseconds.
TEST(OrcTimeTest, FractionsBefore1970) {
  const int64_t begin = DaysFromDate({2015, 1, 1}) * 86'400;
  std::vector<int64_t> values = {-1 - begin, -2 - begin, -2 - begin};
  const std::vector<int64_t> nanos = {5 << 3 | 7, 0, 1 << 3};
  OrcTime time("UTC", arrow::timestamp(arrow::TimeUnit::NANO), "c");
  time.Decode(values.data(), nanos.data(), 3);
  EXPECT_EQ(values, (std::vector<int64_t>{-1'500'000'000, -2'000'000'000, -1'999'999'999}));
  int64_t far = INT64_MAX / 2, none = 0, many = 1'000'000'000 << 3;
  EXPECT_ERROR(time.Decode(&far, &none, 1), Unsupported, "'c'");
  EXPECT_ERROR(time.Decode(values.data(), &many, 1), Corrupt, "nanoseconds");
}

}  // namespace
}  // namespace mica
