// How columns are stored, and what reading them with bounded memory gives.
#include <algorithm>

#include <arrow/api.h>
#include <gtest/gtest.h>
#include <parquet/file_reader.h>

#include "base/arrow.h"
#include "format/conform.h"
#include "format/data_file.h"
#include "io/memory_file_system.h"
#include "types/arrow_types.h"

namespace mica {
namespace {

constexpr char kPath[] = "/x.parquet";

std::shared_ptr<arrow::RecordBatch> Batch(const std::vector<DataField>& fields, arrow::ArrayVector columns) {
  const int64_t rows = columns[0]->length();
  return arrow::RecordBatch::Make(ToArrowSchema(fields), rows, std::move(columns));
}

template <typename ValueAt>
std::shared_ptr<arrow::Array> Column(const DataType& type, int64_t rows, ValueAt value_at) {
  auto builder = Take(arrow::MakeBuilder(ToArrowType(type)));
  for (int64_t i = 0; i < rows; ++i) AppendValue(value_at(i), type, builder.get());
  return Take(builder->Finish());
}

void WriteFile(FileSystem& fs, const std::vector<DataField>& fields, const arrow::RecordBatchVector& batches,
               DataFileWriteOptions options = {}) {
  options.fields = fields;
  auto writer = CreateDataFile(fs, kPath, options);
  for (const auto& batch : batches) writer->Write(*batch);
  writer->Close();
}

std::shared_ptr<arrow::Table> ReadFile(FileSystem& fs, DataFileReadOptions options, int64_t* largest = nullptr) {
  auto reader = OpenDataFile(fs, kPath, std::nullopt, options);
  arrow::RecordBatchVector batches;
  while (auto batch = reader->Next()) {
    if (largest != nullptr) *largest = std::max(*largest, batch->num_rows());
    batches.push_back(batch);
  }
  return Take(arrow::Table::FromRecordBatches(batches));
}

bool Has(const parquet::ColumnChunkMetaData& chunk, parquet::Encoding::type encoding) {
  return std::count(chunk.encodings().begin(), chunk.encodings().end(), encoding) > 0;
}

TEST(ParquetWriterTest, DictionariesAreForColumnsOfFewValues) {
  MemoryFileSystem fs;
  const std::vector<DataField> fields = {{0, "sorted", DataType::BigInt()},   // each value four times, ever new ones
                                         {1, "few", DataType::BigInt()},      // three values
                                         {2, "many", DataType::Decimal(15, 2)},
                                         {3, "texts", DataType::String()},
                                         {4, "fixed", DataType::Decimal(19, 2)}};  // three values of fixed length
  constexpr int64_t kRows = 40000;
  auto batch = Batch(fields, {Column(fields[0].type, kRows, [](int64_t i) -> Value { return i / 4; }),
                              Column(fields[1].type, kRows, [](int64_t i) -> Value { return i % 3; }),
                              Column(fields[2].type, kRows,
                                     [](int64_t i) -> Value {
                                       if (i % 10 == 0) return {};
                                       return DecimalValue{static_cast<Int128>(i * 7919 % 104729)};
                                     }),
                              Column(fields[3].type, kRows, [](int64_t i) -> Value { return std::to_string(i); }),
                              Column(fields[4].type, kRows,
                                     [](int64_t i) -> Value { return DecimalValue{static_cast<Int128>(i % 3)}; })});
  WriteFile(fs, fields, {batch});
  auto file = parquet::ParquetFileReader::Open(fs.OpenInput(kPath, std::nullopt));
  auto group = file->metadata()->RowGroup(0);
  EXPECT_TRUE(group->ColumnChunk(1)->has_dictionary_page());
  // Java finds no decimal of fixed length in a dictionary, reads no text in delta encodings where a column has NULLs, and
  // loses integers of such where a bitmap index selects rows.
  for (int column : {0, 2, 3, 4}) {
    EXPECT_FALSE(group->ColumnChunk(column)->has_dictionary_page()) << column;
    EXPECT_TRUE(Has(*group->ColumnChunk(column), parquet::Encoding::PLAIN)) << column;
    EXPECT_FALSE(Has(*group->ColumnChunk(column), parquet::Encoding::DELTA_BINARY_PACKED)) << column;
  }
  EXPECT_TRUE(Take(ReadFile(fs, {.fields = fields})->CombineChunksToBatch())->Equals(*batch));
}

TEST(ParquetWriterTest, KeysOfIntegersAreDeltas) {
  MemoryFileSystem fs;
  const std::vector<DataField> fields = {KeyField({0, "id", DataType::BigInt()}),
                                         KeyField({1, "day", DataType::Parse("DATE")}),
                                         KeyField({2, "at", DataType::Timestamp(6)}),
                                         KeyField({3, "name", DataType::String()}),
                                         KeyField({4, "few", DataType::Int()}),
                                         KeyField({5, "nanos", DataType::Timestamp(9)}),
                                         {0, "id", DataType::BigInt()}};
  constexpr int64_t kRows = 40000;
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (const DataField& field : fields) {
    columns.push_back(Column(field.type, kRows, [&](int64_t i) -> Value {
      if (field.name == "_KEY_few") return i % 3;
      if (field.name == "_KEY_day") return i * 3 - kRows;
      if (field.name == "_KEY_at" || field.name == "_KEY_nanos") return TimestampValue{.millis = i * 1009, .nanos_of_milli = 5000};
      if (field.name == "_KEY_name") return std::to_string(i);
      return i * i - kRows;
    }));
  }
  auto batch = Batch(fields, columns);
  WriteFile(fs, fields, {batch});
  auto file = parquet::ParquetFileReader::Open(fs.OpenInput(kPath, std::nullopt));
  auto group = file->metadata()->RowGroup(0);
  for (int column = 0; column < 7; ++column) {
    EXPECT_EQ(Has(*group->ColumnChunk(column), parquet::Encoding::DELTA_BINARY_PACKED), column < 3) << column;
  }
  EXPECT_LT(group->ColumnChunk(0)->total_compressed_size(), group->ColumnChunk(6)->total_compressed_size());
  EXPECT_TRUE(Take(ReadFile(fs, {.fields = fields})->CombineChunksToBatch())->Equals(*batch));
}

TEST(ParquetWriterTest, RowGroupsEndWhereTheMemoryOfTheEncoderDoes) {
  MemoryFileSystem fs;
  const std::vector<DataField> fields = {{0, "t", DataType::String()}};
  auto batch = Batch(fields, {Column(fields[0].type, 4096, [](int64_t i) -> Value {
    std::string text;
    for (uint64_t x = static_cast<uint64_t>(i) + 1; text.size() < 1000; x = x * 6364136223846793005u + 1) text += std::to_string(x);
    return text;
  })});
  WriteFile(fs, fields, arrow::RecordBatchVector(8, batch), {.compression = "none", .row_group_bytes = 8 << 20});
  auto file = parquet::ParquetFileReader::Open(fs.OpenInput(kPath, std::nullopt));
  EXPECT_GE(file->metadata()->num_row_groups(), 3);
  for (int g = 0; g < file->metadata()->num_row_groups(); ++g) {
    EXPECT_LE(file->metadata()->RowGroup(g)->total_compressed_size(), 14 << 20);
  }
}

TEST(ParquetWriterTest, WideRowsComeInSmallBatchesWhereMemoryIsBounded) {
  MemoryFileSystem fs;
  const std::vector<DataField> fields = {{0, "k", DataType::Int()}, {1, "t", DataType::String()}};
  constexpr int64_t kRows = 5000;
  // A dictionary makes the pages small, not the rows.
  auto batch = Batch(fields, {Column(fields[0].type, kRows, [](int64_t i) -> Value { return i; }),
                              Column(fields[1].type, kRows, [](int64_t i) -> Value { return std::string(2000, 'a' + i % 3); })});
  WriteFile(fs, fields, {batch});
  int64_t unbounded = 0, bounded = 0;
  auto all = ReadFile(fs, {.fields = fields}, &unbounded);
  auto same = ReadFile(fs, {.fields = fields, .buffer_bytes = 256 << 10}, &bounded);
  EXPECT_EQ(unbounded, kRows);
  EXPECT_LE(bounded, (256 << 10) / 2000);
  EXPECT_GE(bounded, (128 << 10) / 2000);
  EXPECT_TRUE(Take(same->CombineChunks())->Equals(*Take(all->CombineChunks())));
}

TEST(ParquetWriterTest, NarrowDecimalsHoldTheSameNumbers) {
  MemoryFileSystem fs;
  const std::vector<DataField> fields = {{0, "small", DataType::Decimal(9, 2)},
                                         {1, "middle", DataType::Decimal(18, 0)},
                                         {2, "big", DataType::Decimal(20, 3)},
                                         {3, "whole", DataType::BigInt()}};
  const auto value_at = [](int64_t i) -> Value {
    if (i % 7 == 3) return {};
    return DecimalValue{static_cast<Int128>(i % 2 == 0 ? i * 12347 : -i)};
  };
  auto batch = Batch(fields, {Column(fields[0].type, 1000, value_at), Column(fields[1].type, 1000, value_at),
                              Column(fields[2].type, 1000, value_at),
                              Column(fields[3].type, 1000, [](int64_t i) -> Value { return i; })});
  WriteFile(fs, fields, {batch});
  auto wide = ReadFile(fs, {.fields = fields});
  auto narrow = ReadFile(fs, {.fields = fields, .narrow_decimals = true});
  EXPECT_EQ(narrow->schema()->field(0)->type()->ToString(), "decimal32(9, 2)");
  EXPECT_EQ(narrow->schema()->field(1)->type()->ToString(), "decimal64(18, 0)");
  EXPECT_EQ(narrow->schema()->field(2)->type()->ToString(), "decimal128(20, 3)");
  for (int c = 0; c < 4; ++c) {
    const DataType& type = fields[static_cast<size_t>(c)].type;
    auto expected = NarrowDecimals(wide->column(c)->chunk(0), type);
    EXPECT_TRUE(narrow->column(c)->chunk(0)->Equals(expected)) << c;
    // A part of a column too.
    auto part = NarrowDecimals(wide->column(c)->chunk(0)->Slice(5, 100), type);
    EXPECT_TRUE(part->Equals(expected->Slice(5, 100))) << c;
  }
  EXPECT_EQ(narrow->column(0)->chunk(0)->GetScalar(2).ValueOrDie()->ToString(), "246.94");
}

}  // namespace
}  // namespace mica
