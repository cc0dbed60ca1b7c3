#include "index/key_places.h"

#include <cstdlib>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/arrow.h"

namespace mica {
namespace {

std::shared_ptr<arrow::RecordBatch> Keys(int64_t first, int64_t count) {
  arrow::Int64Builder numbers;
  arrow::StringBuilder texts;
  for (int64_t i = first; i < first + count; ++i) {
    Check(numbers.Append(i));
    Check(texts.Append(std::string(static_cast<size_t>(i % 3), 'x')));
  }
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("k", arrow::int64()), arrow::field("t", arrow::utf8())}),
                                  count, {Take(numbers.Finish()), Take(texts.Finish())});
}

TEST(KeyPlaces, RemembersEachKeyOnce) {
  KeyPlaces places({0, 1}, {DataType::BigInt(), DataType::String()});
  places.Note(*Keys(0, 1000));
  places.Note(*Keys(500, 1000));
  EXPECT_EQ(places.key_count(), 1500);
  std::vector<KeyPlaces::Found> found;
  places.Find(*Keys(1400, 200), {0, 1}, &found);
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].found, i < 100);
    if (!found[i].found) continue;
    EXPECT_EQ(places.place(found[i].slot), KeyPlaces::kNowhere);
    places.set_place(found[i].slot, static_cast<uint32_t>(i + 2));
  }
  places.Find(*Keys(1400, 200), {0, 1}, &found);
  for (size_t i = 0; i < 100; ++i) EXPECT_EQ(places.place(found[i].slot), i + 2);
  places.Clear();
  EXPECT_EQ(places.key_count(), 0);
}

// 20 M keys stay below 512 MB: measured on a tenth of them, or on MICA_KEYS.
TEST(KeyPlaces, TakesFewBytesAKey) {
  const char* given = std::getenv("MICA_KEYS");
  const int64_t keys = given != nullptr ? std::atoll(given) : 2'000'000;
  KeyPlaces places({0}, {DataType::BigInt()});
  for (int64_t first = 0; first < keys; first += 100'000) places.Note(*Keys(first, 100'000));
  EXPECT_EQ(places.key_count(), keys);
  EXPECT_LT(places.memory_bytes(), keys * (int64_t{512} << 20) / 20'000'000);
  RecordProperty("bytes", std::to_string(places.memory_bytes()));
}

}  // namespace
}  // namespace mica
