#include "merge/pending_rows.h"

#include <random>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "format/random_batch.h"

namespace mica {
namespace {

std::vector<DataField> SomeTypes() {
  using T = DataType;
  std::vector<DataField> fields;
  for (const DataType& type : {T::Int(), T::String(), T::Decimal(30, 4), T(TypeRoot::kBoolean), T::Timestamp(6),
                               T::Array(T::String()), T::Map(T::Int().WithNullable(false), T::Decimal(10, 2)),
                               T::Row({{-1, "a", T::Bytes()}, {-1, "b", T::Array(T::Int())}})}) {
    const auto id = static_cast<int32_t>(fields.size());
    fields.push_back({id, "c" + std::to_string(id), type});
  }
  return fields;
}

TEST(PendingRows, BatchesOfAnySizeComeBackInOrder) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  RandomBatches batches(seed);
  const auto fields = SomeTypes();
  const auto schema = ToArrowSchema(fields);
  PendingRows pending(schema);
  for (int round = 0; round < 30; ++round) {
    arrow::RecordBatchVector added;
    std::vector<int8_t> kinds;
    bool any_kinds = false;
    int64_t rows = 0;
    for (size_t count = 1 + random() % 8; count > 0; --count) {
      const int64_t size = random() % 3 == 0 ? 1024 + random() % 500 : random() % 40;
      auto batch = batches.Make(fields, size);
      if (random() % 2 == 0) batch = batch->Slice(size / 3, size / 2);
      const auto length = static_cast<size_t>(batch->num_rows());
      std::vector<int8_t> of_batch(length);
      for (int8_t& kind : of_batch) kind = static_cast<int8_t>(random() % 4);
      if (random() % 3 == 0) {
        arrow::Int8Builder builder;
        Check(builder.AppendValues(of_batch));
        pending.Add(*batch, Take(builder.Finish()).get());
        any_kinds = any_kinds || length > 0;
      } else {
        std::fill(of_batch.begin(), of_batch.end(), 0);
        pending.Add(*batch);
      }
      kinds.insert(kinds.end(), of_batch.begin(), of_batch.end());
      rows += batch->num_rows();
      added.push_back(std::move(batch));
    }
    EXPECT_EQ(pending.row_count(), rows);
    EXPECT_GE(pending.memory_bytes(), pending.data_bytes());
    std::vector<int8_t> taken_kinds;
    auto taken = pending.Take(&taken_kinds);
    EXPECT_EQ(pending.row_count(), 0);
    if (rows == 0) {
      EXPECT_EQ(taken, nullptr);
      continue;
    }
    EXPECT_TRUE(taken->ValidateFull().ok());
    for (const auto& column : taken->columns()) EXPECT_EQ(column->offset(), 0);
    EXPECT_TRUE(taken->Equals(*Take(arrow::ConcatenateRecordBatches(added))));
    EXPECT_EQ(taken_kinds, any_kinds ? kinds : std::vector<int8_t>());
  }
}

TEST(PendingRows, FewRowsOfABigBatchDoNotHoldIt) {
  RandomBatches batches(1);
  const auto fields = SomeTypes();
  auto* pool = arrow::default_memory_pool();
  const int64_t before = pool->bytes_allocated();
  PendingRows few(ToArrowSchema(fields)), more(ToArrowSchema(fields));
  {
    auto big = batches.Make(fields, 60000);
    few.Add(*big->Slice(100, 10));
    more.Add(*big->Slice(100, 2000));
  }
  EXPECT_LT(pool->bytes_allocated() - before, 1 << 20);
  EXPECT_EQ(few.Take()->num_rows(), 10);
  EXPECT_EQ(more.Take()->num_rows(), 2000);
}

}  // namespace
}  // namespace mica
