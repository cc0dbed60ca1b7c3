#include "merge/sort_buffer.h"

#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "base/uuid.h"
#include "merge/model_rows.h"

namespace mica {
namespace {

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("sort_buffer_" + RandomUuid())) {
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string path() const { return path_.string(); }
  bool empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

std::shared_ptr<arrow::RecordBatch> FlushAll(SortBuffer& buffer, std::vector<int64_t>* sizes = nullptr) {
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  buffer.Flush([&](const auto& batch) {
    EXPECT_EQ(batch->ValidateFull(), arrow::Status::OK());
    EXPECT_TRUE(batch->schema()->Equals(buffer.file_schema()));
    for (const auto& column : batch->columns()) EXPECT_EQ(column->offset(), 0);
    if (sizes != nullptr) sizes->push_back(batch->num_rows());
    batches.push_back(batch);
  });
  return Take(Take(arrow::Table::FromRecordBatches(buffer.file_schema(), batches))->CombineChunksToBatch());
}

std::shared_ptr<arrow::Array> Kinds(const std::vector<int8_t>& kinds) {
  arrow::Int8Builder builder;
  Check(builder.AppendValues(kinds));
  return Take(builder.Finish());
}

struct Version {
  ModelRow row;
  int64_t sequence = 0;
  int8_t kind = 0;
};

TEST(SortBuffer, RandomRowsOfAllTypesAgreeWithAMap) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto all = ModelTypes();
  const Folder folder;
  for (int round = 0; round < 200; ++round) {
    std::vector<DataType> types;
    for (size_t count = 1 + random() % 6; count > 0; --count) types.push_back(all[random() % all.size()]);
    const size_t key_count = 1 + random() % std::min<size_t>(3, types.size());
    const size_t sequence_count = random() % 2 == 0 ? 0 : random() % (types.size() - key_count + 1);
    const bool ascending = random() % 2 == 0, spill = random() % 2 == 0;
    SortBufferSpec spec{.user_sequence_ascending = ascending,
                        .next_sequence = static_cast<int64_t>(random() % 1000),
                        .thin = random() % 2 == 0,
                        .batch_rows = 1 + static_cast<int64_t>(random() % 500)};
    spec.schema = ModelBatch(types, {})->schema();
    // Keys are the last columns, in reverse order.
    for (size_t i = 0; i < key_count; ++i) {
      spec.key_columns.push_back(static_cast<int>(types.size() - 1 - i));
      spec.key_types.push_back(types[types.size() - 1 - i]);
    }
    for (size_t i = 0; i < sequence_count; ++i) {
      spec.user_sequence_columns.push_back(static_cast<int>(i));
      spec.user_sequence_types.push_back(types[i]);
    }
    SortBuffer buffer(spec);
    int64_t sequence = spec.next_sequence;
    for (int flush = 0; flush < 2; ++flush) {
      std::map<ModelRow, Version, ModelRowLess> expected;
      const auto newer = [&](const ModelRow& a, const ModelRow& b) {
        for (size_t i = 0; i < sequence_count; ++i) {
          const int order = CompareModel(a[i], b[i]);
          if (order != 0) return (order > 0) == (ascending || a[i].index() == 0 || b[i].index() == 0);
        }
        return true;
      };
      int64_t row_count = 0;
      for (size_t batches = random() % 12; batches > 0; --batches) {
        std::vector<ModelRow> rows;
        std::vector<int8_t> kinds;
        const bool with_kinds = random() % 2 == 0;
        const size_t skip = random() % 5;
        const uint32_t spread = random() % 3 == 0 ? 1 : 100;
        for (size_t i = random() % 200 + skip; i > 0; --i) {
          rows.emplace_back();
          for (size_t c = 0; c < types.size(); ++c) {
            const bool null = c < types.size() - key_count && random() % 5 == 0;
            rows.back().push_back(null ? ModelValue() : RandomModelValue(types[c], random, spread));
          }
          kinds.push_back(with_kinds ? static_cast<int8_t>(random() % 4) : 0);
        }
        for (size_t i = skip; i < rows.size(); ++i) {
          ModelRow key;
          for (const int column : spec.key_columns) key.push_back(rows[i][static_cast<size_t>(column)]);
          const Version version{rows[i], sequence++, kinds[i]};
          const auto [at, inserted] = expected.try_emplace(key, version);
          if (!inserted && newer(version.row, at->second.row)) at->second = version;
          ++row_count;
        }
        const auto batch = ModelBatch(types, rows)->Slice(static_cast<int64_t>(skip));
        buffer.Add(*batch, with_kinds ? Kinds(kinds)->Slice(static_cast<int64_t>(skip)).get() : nullptr);
        if (spill && random() % 2 == 0) buffer.SpillTo(folder.path());
      }
      EXPECT_EQ(buffer.row_count(), row_count);
      EXPECT_EQ(buffer.next_sequence(), sequence);
      std::vector<DataType> file_types;
      if (!spec.thin) file_types = spec.key_types;
      file_types.push_back(DataType::BigInt());
      file_types.push_back(DataType(TypeRoot::kTinyInt));
      file_types.insert(file_types.end(), types.begin(), types.end());
      std::vector<ModelRow> rows;
      for (const auto& [key, version] : expected) {
        ModelRow row = spec.thin ? ModelRow() : key;
        row.push_back(Int128(version.sequence));
        row.push_back(Int128(version.kind));
        row.insert(row.end(), version.row.begin(), version.row.end());
        rows.push_back(std::move(row));
      }
      const auto got = FlushAll(buffer);
      const auto want = arrow::RecordBatch::Make(got->schema(), static_cast<int64_t>(rows.size()),
                                                 ModelBatch(file_types, rows)->columns());
      ASSERT_TRUE(got->Equals(*want, arrow::EqualOptions::Defaults().nans_equal(true)))
          << got->ToString().substr(0, 3000) << want->ToString().substr(0, 3000);
      EXPECT_EQ(buffer.row_count(), 0);
      EXPECT_TRUE(folder.empty());
    }
  }
}

std::shared_ptr<arrow::RecordBatch> Numbers(const std::vector<int64_t>& keys, const std::vector<int64_t>& values) {
  arrow::Int64Builder key, value;
  Check(key.AppendValues(keys));
  Check(value.AppendValues(values));
  return arrow::RecordBatch::Make(
      arrow::schema({arrow::field("k", arrow::int64(), false), arrow::field("v", arrow::int64())}),
      static_cast<int64_t>(keys.size()), {Take(key.Finish()), Take(value.Finish())});
}

SortBufferSpec NumbersSpec() {
  return {.schema = Numbers({}, {})->schema(), .key_columns = {0}, .key_types = {DataType::BigInt()}};
}

TEST(SortBuffer, NamesTheSystemColumnsOfTheFileLayout) {
  EXPECT_EQ(SortBuffer(NumbersSpec()).file_schema()->field_names(),
            (std::vector<std::string>{"_KEY_k", "_SEQUENCE_NUMBER", "_VALUE_KIND", "k", "v"}));
  auto thin = NumbersSpec();
  thin.thin = true;
  EXPECT_EQ(SortBuffer(thin).file_schema()->field_names(),
            (std::vector<std::string>{"_SEQUENCE_NUMBER", "_VALUE_KIND", "k", "v"}));
}

TEST(SortBuffer, KeepsTheKindOfALoneRetract) {
  SortBuffer buffer(NumbersSpec());
  buffer.Add(*Numbers({2, 1, 2}, {0, 0, 1}), Kinds({0, 3, 2}).get());
  const auto rows = FlushAll(buffer);
  const auto& kinds = static_cast<const arrow::Int8Array&>(*rows->GetColumnByName("_VALUE_KIND"));
  ASSERT_EQ(rows->num_rows(), 2);
  EXPECT_EQ(kinds.Value(0), 3);
  EXPECT_EQ(kinds.Value(1), 2);
}

TEST(SortBuffer, OfManyRowsOfOneKeyTheLastIsKept) {
  auto spec = NumbersSpec();
  spec.next_sequence = 7;
  SortBuffer buffer(spec);
  for (int64_t i = 0; i < 1000; ++i) buffer.Add(*Numbers({5}, {i}));
  const auto rows = FlushAll(buffer);
  ASSERT_EQ(rows->num_rows(), 1);
  EXPECT_EQ(static_cast<const arrow::Int64Array&>(*rows->GetColumnByName("v")).Value(0), 999);
  EXPECT_EQ(static_cast<const arrow::Int64Array&>(*rows->GetColumnByName("_SEQUENCE_NUMBER")).Value(0), 1006);
}

TEST(SortBuffer, RowsCrossChunksOfBigBatches) {
  std::mt19937 random(1);
  std::vector<int64_t> keys(300000), values(300000);
  for (size_t i = 0; i < keys.size(); ++i)
    keys[i] = static_cast<int64_t>(random() % 100000), values[i] = static_cast<int64_t>(i);
  std::map<int64_t, int64_t> expected;
  for (size_t i = 0; i < keys.size(); ++i) expected[keys[i]] = values[i];
  SortBuffer buffer(NumbersSpec());
  buffer.Add(*Numbers(keys, values));
  std::vector<int64_t> sizes;
  const auto rows = FlushAll(buffer, &sizes);
  EXPECT_EQ(sizes[0], 65536);
  ASSERT_EQ(rows->num_rows(), static_cast<int64_t>(expected.size()));
  int64_t i = 0;
  for (const auto& [key, value] : expected) {
    ASSERT_EQ(static_cast<const arrow::Int64Array&>(*rows->GetColumnByName("k")).Value(i), key);
    ASSERT_EQ(static_cast<const arrow::Int64Array&>(*rows->GetColumnByName("v")).Value(i++), value);
  }
}

TEST(SortBuffer, DoesNotHoldOnToABigBatchBehindASlice) {
  std::vector<int64_t> many(2000000);
  for (const int64_t rows : {100, 20000}) {
    SortBuffer buffer(NumbersSpec());
    std::weak_ptr<arrow::ArrayData> parent;
    {
      const auto batch = Numbers(many, many);
      parent = batch->column_data(0);
      buffer.Add(*batch->Slice(10, rows));
    }
    EXPECT_TRUE(parent.expired());
    EXPECT_LT(buffer.memory_bytes(), 100 * rows + 2048);
  }
}

TEST(SortBuffer, DeletesSpilledFilesWhenItIsDropped) {
  const Folder folder;
  {
    SortBuffer buffer(NumbersSpec());
    buffer.Add(*Numbers({1, 2}, {1, 2}));
    buffer.SpillTo(folder.path());
    EXPECT_FALSE(folder.empty());
    EXPECT_LT(buffer.memory_bytes(), 1000);
  }
  EXPECT_TRUE(folder.empty());
}

TEST(SortBuffer, ReportsAFolderThatCannotBeWritten) {
  SortBuffer buffer(NumbersSpec());
  buffer.Add(*Numbers({1}, {1}));
  EXPECT_THROW(buffer.SpillTo("/nowhere/at/all"), Error);
}

// 20 times its budget passes through a buffer: what Arrow holds stays near the budget.
TEST(SortBuffer, MemoryStaysNearTheBudget) {
  constexpr int64_t kBudget = 8 << 20;
  const Folder folder;
  std::mt19937_64 random(3);
  const int64_t before = arrow::default_memory_pool()->bytes_allocated();
  int64_t most = 0, added = 0, flushed = 0;
  const auto watch = [&] { most = std::max(most, arrow::default_memory_pool()->bytes_allocated() - before); };
  SortBuffer buffer(NumbersSpec());
  while (added < 20 * kBudget) {
    std::vector<int64_t> keys(4000);
    for (auto& key : keys) key = static_cast<int64_t>(random());
    buffer.Add(*Numbers(keys, keys));
    added += 4000 * 16;
    EXPECT_LT(buffer.memory_bytes(), kBudget + (4 << 20));
    if (buffer.memory_bytes() > kBudget) buffer.SpillTo(folder.path());
    watch();
  }
  int64_t last = std::numeric_limits<int64_t>::min();
  buffer.Flush([&](const auto& batch) {
    watch();
    const auto& keys = static_cast<const arrow::Int64Array&>(*batch->column(0));
    for (int64_t i = 0; i < keys.length(); ++i) {
      ASSERT_LT(last, keys.Value(i));
      last = keys.Value(i);
    }
    flushed += batch->num_rows();
  });
  EXPECT_EQ(flushed * 16, added);
  EXPECT_LT(most, 3 * kBudget);
}

}  // namespace
}  // namespace mica
