#include "merge/merge_reader.h"

#include <map>

#include <gtest/gtest.h>

#include "merge/model_rows.h"

namespace mica {
namespace {

struct Row {
  ModelRow key, user_sequence, values;
  int64_t sequence = 0;
  int8_t kind = 0;
  bool operator==(const Row& other) const {
    return CompareModel(key, other.key) == 0 && CompareModel(user_sequence, other.user_sequence) == 0 &&
           CompareModel(values, other.values) == 0 && sequence == other.sequence && kind == other.kind;
  }
};

struct Table {
  std::vector<DataType> keys, user_sequence, values;

  std::vector<DataType> AllTypes() const {
    std::vector<DataType> types = keys;
    types.push_back(DataType::BigInt());
    types.push_back(DataType(TypeRoot::kTinyInt));
    types.insert(types.end(), user_sequence.begin(), user_sequence.end());
    types.insert(types.end(), values.begin(), values.end());
    return types;
  }
  std::shared_ptr<arrow::RecordBatch> Batch(const std::vector<Row>& rows) const {
    std::vector<ModelRow> all;
    for (const Row& row : rows) {
      ModelRow flat = row.key;
      flat.push_back(Int128(row.sequence));
      flat.push_back(Int128(row.kind));
      flat.insert(flat.end(), row.user_sequence.begin(), row.user_sequence.end());
      flat.insert(flat.end(), row.values.begin(), row.values.end());
      all.push_back(std::move(flat));
    }
    return ModelBatch(AllTypes(), all);
  }
  MergeSpec Spec() const {
    MergeSpec spec{.key_types = keys, .user_sequence_types = user_sequence};
    int column = 0;
    for (size_t i = 0; i < keys.size(); ++i) spec.key_columns.push_back(column++);
    spec.sequence_column = column++;
    spec.kind_column = column++;
    for (size_t i = 0; i < user_sequence.size(); ++i) spec.user_sequence_columns.push_back(column++);
    for (int i = 0; i < column + static_cast<int>(values.size()); ++i) spec.output_columns.push_back(i);
    return spec;
  }
};

std::vector<std::shared_ptr<arrow::RecordBatch>> Cut(const std::shared_ptr<arrow::RecordBatch>& batch, int64_t rows) {
  std::vector<std::shared_ptr<arrow::RecordBatch>> parts;
  for (int64_t i = 0; i < batch->num_rows(); i += rows) parts.push_back(batch->Slice(i, rows));
  return parts;
}

std::shared_ptr<arrow::RecordBatch> ReadAll(BatchReader& reader, const std::shared_ptr<arrow::Schema>& schema,
                                            std::vector<int64_t>* sizes = nullptr) {
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  while (auto batch = reader.Next()) {
    EXPECT_GT(batch->num_rows(), 0);
    EXPECT_EQ(batch->ValidateFull(), arrow::Status::OK());
    for (const auto& column : batch->columns()) EXPECT_EQ(column->offset(), 0);
    if (sizes != nullptr) sizes->push_back(batch->num_rows());
    batches.push_back(std::move(batch));
  }
  const auto table = Take(arrow::Table::FromRecordBatches(schema, batches));
  return Take(table->CombineChunksToBatch());
}

TEST(MergeReader, RandomRunsOfAllTypesAgreeWithAMap) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto all = ModelTypes();
  const auto some_types = [&](size_t least, size_t most) {
    std::vector<DataType> types;
    for (size_t count = least + random() % (most - least + 1); count > 0; --count)
      types.push_back(all[random() % all.size()]);
    return types;
  };
  const auto random_row = [&](const std::vector<DataType>& types, uint32_t spread, bool nulls) {
    ModelRow row;
    for (const DataType& type : types) {
      row.push_back(nulls && random() % 4 == 0 ? ModelValue() : RandomModelValue(type, random, spread));
    }
    return row;
  };
  for (int round = 0; round < 150; ++round) {
    const Table table{some_types(1, 3), some_types(0, 2), some_types(0, 4)};
    const bool ascending = random() % 2 == 0, drop_deletes = random() % 2 == 0;
    std::map<ModelRow, Row, ModelRowLess> expected;
    std::vector<std::unique_ptr<BatchReader>> runs;
    const size_t run_count = 1 + random() % 8;
    int64_t sequence = 0;
    const auto newer = [&](const Row& a, const Row& b) {
      for (size_t i = 0; i < a.user_sequence.size(); ++i) {
        const auto &x = a.user_sequence[i], &y = b.user_sequence[i];
        const int order = CompareModel(x, y);
        if (order != 0) return (order > 0) == (ascending || x.index() == 0 || y.index() == 0);
      }
      return a.sequence > b.sequence;
    };
    for (size_t r = 0; r < run_count; ++r) {
      std::map<ModelRow, Row, ModelRowLess> run;
      for (size_t count = random() % 300; count > 0; --count) {
        Row row{random_row(table.keys, 20, false), random_row(table.user_sequence, 1, true),
                random_row(table.values, 100, true), sequence++, static_cast<int8_t>(random() % 4)};
        run.insert_or_assign(row.key, row);
      }
      std::vector<Row> rows;
      for (const auto& [key, row] : run) {
        rows.push_back(row);
        const auto [at, inserted] = expected.try_emplace(key, row);
        if (!inserted && newer(row, at->second)) at->second = row;
      }
      runs.push_back(std::make_unique<BatchList>(Cut(table.Batch(rows), 1 + static_cast<int64_t>(random() % 100))));
    }
    std::vector<Row> winners;
    for (const auto& [key, row] : expected) {
      if (!drop_deletes || row.kind == 0 || row.kind == 2) winners.push_back(row);
    }
    MergeSpec spec = table.Spec();
    spec.user_sequence_ascending = ascending;
    spec.drop_deletes = drop_deletes;
    spec.batch_rows = 1 + static_cast<int64_t>(random() % 300);
    const auto want = table.Batch(winners);
    const auto reader = MergeRuns(std::move(runs), spec);
    const auto got = ReadAll(*reader, want->schema());
    ASSERT_TRUE(got->Equals(*want, arrow::EqualOptions::Defaults().nans_equal(true)))
        << got->ToString().substr(0, 3000) << want->ToString().substr(0, 3000);
  }
}

// Keys 0..n-1 step `step` with a list, a struct and a map beside them.
std::shared_ptr<arrow::RecordBatch> NestedBatch(int64_t n, int64_t step, int32_t mark) {
  arrow::Int64Builder key;
  arrow::Int64Builder sequence;
  arrow::Int8Builder kind;
  auto element = std::make_shared<arrow::Int32Builder>();
  arrow::ListBuilder list(arrow::default_memory_pool(), element);
  auto name = std::make_shared<arrow::StringBuilder>();
  arrow::StructBuilder row(arrow::struct_({arrow::field("name", arrow::utf8())}), arrow::default_memory_pool(), {name});
  auto map_key = std::make_shared<arrow::StringBuilder>();
  auto map_value = std::make_shared<arrow::Int32Builder>();
  arrow::MapBuilder map(arrow::default_memory_pool(), map_key, map_value);
  for (int64_t i = 0; i < n; i += step) {
    Check(key.Append(i));
    Check(sequence.Append(mark * 1000000 + i));
    Check(kind.Append(0));
    if (i % 3 == 0) {
      Check(list.AppendNull());
    } else {
      Check(list.Append());
      for (int64_t j = 0; j < i % 4; ++j) Check(element->Append(mark));
    }
    Check(row.Append(i % 5 != 0));
    Check(name->Append("n" + std::to_string(mark)));
    Check(map.Append());
    Check(map_key->Append(std::to_string(i)));
    Check(map_value->Append(mark));
  }
  const arrow::ArrayVector columns = {Take(key.Finish()),  Take(sequence.Finish()), Take(kind.Finish()),
                                      Take(list.Finish()), Take(row.Finish()),      Take(map.Finish())};
  arrow::FieldVector fields;
  for (size_t i = 0; i < columns.size(); ++i)
    fields.push_back(arrow::field("c" + std::to_string(i), columns[i]->type()));
  return arrow::RecordBatch::Make(arrow::schema(fields), columns[0]->length(), columns);
}

TEST(MergeReader, GathersNestedColumns) {
  const auto base = NestedBatch(1000, 1, 1), update = NestedBatch(1000, 7, 2);
  std::vector<std::unique_ptr<BatchReader>> runs;
  runs.push_back(std::make_unique<BatchList>(Cut(base, 64)));
  runs.push_back(std::make_unique<BatchList>(Cut(update, 50)));
  const auto reader = MergeRuns(std::move(runs), {.key_columns = {0},
                                                  .key_types = {DataType::BigInt()},
                                                  .sequence_column = 1,
                                                  .kind_column = 2,
                                                  .output_columns = {0, 3, 4, 5}});
  const auto got = reader->Next();
  ASSERT_EQ(got->num_rows(), 1000);
  EXPECT_EQ(reader->Next(), nullptr);
  for (int64_t i = 0; i < 1000; ++i) {
    const auto& from = i % 7 == 0 ? *update : *base;
    const int64_t row = i % 7 == 0 ? i / 7 : i;
    for (int c = 1; c < 4; ++c)
      EXPECT_TRUE(got->column(c)->RangeEquals(*from.column(c + 2), i, i + 1, row)) << i << ' ' << c;
  }
}

TEST(MergeReader, SmallInputBatchesBecomeFullOutputBatches) {
  std::vector<std::unique_ptr<BatchReader>> runs;
  runs.push_back(std::make_unique<BatchList>(Cut(NestedBatch(100000, 2, 1), 500)));
  runs.push_back(std::make_unique<BatchList>(Cut(NestedBatch(100000, 3, 2), 300)));
  const auto reader = MergeRuns(std::move(runs), {.key_columns = {0},
                                                  .key_types = {DataType::BigInt()},
                                                  .ranks = {1, 0},
                                                  .output_columns = {0},
                                                  .batch_rows = 20000});
  std::vector<int64_t> sizes;
  ReadAll(*reader, arrow::schema({arrow::field("c0", arrow::int64())}), &sizes);
  EXPECT_EQ(sizes, (std::vector<int64_t>{20000, 20000, 20000, 6667}));
}

TEST(MergeReader, RanksFollowSequenceRangesThatDoNotOverlap) {
  using Ranges = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(RanksBySequence(Ranges{{50, 60}, {0, 9}, {10, 49}}), (std::vector<int32_t>{2, 0, 1}));
  EXPECT_EQ(RanksBySequence(Ranges{{50, 60}, {0, 50}}), std::nullopt);
}

TEST(MergeReader, ConcatenatedReadersAreOpenedWhenReached) {
  int opened = 0;
  std::vector<std::function<std::unique_ptr<BatchReader>()>> open;
  for (int i = 0; i < 3; ++i) {
    open.push_back([&, i] {
      ++opened;
      return std::make_unique<BatchList>(i == 1 ? std::vector<std::shared_ptr<arrow::RecordBatch>>{}
                                                : std::vector{NestedBatch(3, 1, i)});
    });
  }
  const auto reader = ConcatenateReaders(std::move(open));
  EXPECT_EQ(opened, 0);
  EXPECT_NE(reader->Next(), nullptr);
  EXPECT_EQ(opened, 1);
  EXPECT_NE(reader->Next(), nullptr);
  EXPECT_EQ(opened, 3);
  EXPECT_EQ(reader->Next(), nullptr);
}

}  // namespace
}  // namespace mica
