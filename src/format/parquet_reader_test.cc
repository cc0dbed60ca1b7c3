// What Parquet files of other writers hold, and what is skipped.
#include <cmath>

#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>
#include <parquet/column_writer.h>
#include <parquet/file_writer.h>
#include <parquet/schema.h>

#include "base/arrow.h"
#include "base/expect_error.h"
#include "format/data_file.h"
#include "format/parquet_schema.h"
#include "io/counting_file_system.h"
#include "io/memory_file_system.h"
#include "types/arrow_types.h"
#include "types/random_values.h"

namespace mica {
namespace {

constexpr char kPath[] = "/x.parquet";

std::shared_ptr<arrow::Array> ReadColumn(FileSystem& fs, const DataField& field, PredicatePtr predicate = nullptr) {
  auto reader = OpenDataFile(fs, kPath, std::nullopt, {.fields = {field}, .predicate = std::move(predicate)});
  arrow::ArrayVector chunks;
  while (auto batch = reader->Next()) chunks.push_back(batch->column(0));
  if (chunks.empty()) return Take(arrow::MakeArrayOfNull(ToArrowType(field.type), 0));
  return Take(arrow::Concatenate(chunks));
}

void WriteWithArrow(FileSystem& fs, const std::shared_ptr<arrow::Array>& array, bool int96 = false) {
  auto sink = Take(arrow::io::BufferOutputStream::Create());
  auto table = arrow::Table::Make(arrow::schema({arrow::field("c", array->type())}), {array});
  parquet::ArrowWriterProperties::Builder properties;
  if (int96) properties.enable_deprecated_int96_timestamps();
  Check(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink, 1 << 20,
                                   parquet::default_writer_properties(), properties.build()));
  fs.ReplaceAtomically(kPath, Take(sink->Finish())->ToString());
}

TEST(ParquetReaderTest, NarrowAndUnsignedFilesReadAsTheDeclaredType) {  // P-19
  MemoryFileSystem fs;
  const DataField big{0, "c", DataType::BigInt()};
  arrow::Int32Builder narrow;
  Check(narrow.AppendValues({-5, 7}));
  WriteWithArrow(fs, Take(narrow.Finish()));
  EXPECT_TRUE(ReadColumn(fs, big)->Equals(ToArray({int64_t{-5}, int64_t{7}}, big.type)));

  arrow::UInt32Builder unsigned_values;
  Check(unsigned_values.AppendValues({0, 4294967295U}));
  WriteWithArrow(fs, Take(unsigned_values.Finish()));
  EXPECT_TRUE(ReadColumn(fs, big)->Equals(ToArray({int64_t{0}, int64_t{4294967295}}, big.type)));
  // Signed bounds of unsigned numbers would skip the row.
  auto wanted = Predicate::Compare(PredicateOp::kEqual, "c", big.type, int64_t{4294967295});
  EXPECT_EQ(ReadColumn(fs, big, wanted)->length(), 2);
  EXPECT_ERROR(ReadColumn(fs, {0, "c", DataType::Int()}), Corrupt, "'c'");
  EXPECT_ERROR(ReadColumn(fs, {0, "c", DataType::String()}), Corrupt, "'c'");
}

TEST(ParquetReaderTest, UnitsAndZonesOfTheFileAreBroughtToTheDeclaredType) {
  MemoryFileSystem fs;
  arrow::TimestampBuilder builder(arrow::timestamp(arrow::TimeUnit::NANO, "UTC"), arrow::default_memory_pool());
  Check(builder.AppendValues({-1, 1'500'000}));
  WriteWithArrow(fs, Take(builder.Finish()));
  const DataField millis{0, "c", DataType::Timestamp(3)};
  EXPECT_TRUE(ReadColumn(fs, millis)->Equals(ToArray({TimestampValue{-1, 0}, TimestampValue{1, 0}}, millis.type)));
  const DataField nanos{0, "c", DataType::TimestampLtz(9)};
  EXPECT_TRUE(
      ReadColumn(fs, nanos)->Equals(ToArray({TimestampValue{-1, 999'999}, TimestampValue{1, 500'000}}, nanos.type)));
}

// INT96 values as Java writes them: before 1970 the nanoseconds of the day are negative and the day is one later.
void WriteInt96(FileSystem& fs, const DataField& field, std::vector<std::pair<int32_t, int64_t>> days_and_nanos) {
  auto sink = Take(arrow::io::BufferOutputStream::Create());
  auto writer = parquet::ParquetFileWriter::Open(sink, ToParquetSchema({field}));
  auto* column = static_cast<parquet::Int96Writer*>(writer->AppendRowGroup()->NextColumn());
  for (auto [day, nanos] : days_and_nanos) {
    parquet::Int96 value;
    std::memcpy(value.value.data(), &nanos, 8);
    value.value[2] = static_cast<uint32_t>(day + 2440588);
    const bool list = field.type.root() == TypeRoot::kArray;
    const int16_t definition = list ? 3 : 1, repetition = 0;
    column->WriteBatch(1, &definition, list ? &repetition : nullptr, &value);
  }
  writer->Close();
  fs.ReplaceAtomically(kPath, Take(sink->Finish())->ToString());
}

TEST(ParquetReaderTest, Int96BeforeAndBeyondTheNanoseconds) {
  MemoryFileSystem fs;
  const DataField field{0, "c", DataType::Timestamp(9)};
  WriteInt96(fs, field, {{0, -1}, {-1, 86'399'999'999'998}, {0, 5}});
  EXPECT_TRUE(ReadColumn(fs, field)->Equals(
      ToArray({TimestampValue{-1, 999'999}, TimestampValue{-1, 999'998}, TimestampValue{0, 5}}, field.type)));
  WriteInt96(fs, field, {{2'932'896, 0}});  // 9999-12-31
  EXPECT_ERROR(ReadColumn(fs, field), Unsupported, "'c'");

  const DataField list{0, "c", DataType::Array(DataType::Timestamp(9))};
  WriteInt96(fs, list, {{0, 5}});
  EXPECT_EQ(ReadColumn(fs, list)->length(), 1);
  WriteInt96(fs, list, {{2'932'896, 0}});
  EXPECT_ERROR(ReadColumn(fs, list), Unsupported, "'c'");
}

class SkippingTest : public testing::Test {
 protected:
  // Two row groups: 0..99 with text "a..", 100..199 with text "b..".
  SkippingTest() {
    std::vector<DataField> fields = {
        {0, "n", DataType::Decimal(20, 1)}, {1, "s", DataType::String()}, {2, "d", DataType(TypeRoot::kDouble)}};
    auto writer = CreateDataFile(fs_, kPath, {.fields = fields, .format_options = {{"parquet.block.size", "1"}}});
    for (int group = 0; group < 2; ++group) {
      std::vector<Value> numbers, texts, doubles;
      for (int64_t i = 0; i < 100; ++i) {
        numbers.emplace_back(DecimalValue{group * 100 + i});
        texts.emplace_back((group == 0 ? "a\xC3\xA4" : "b\xF0\x9F\x98\x80") + std::to_string(i));
        doubles.emplace_back(group == 0 && i == 3 ? std::nan("") : static_cast<double>(group));
      }
      writer->Write(*arrow::RecordBatch::Make(
          ToArrowSchema(fields), 100,
          {ToArray(numbers, fields[0].type), ToArray(texts, fields[1].type), ToArray(doubles, fields[2].type)}));
    }
    writer->Close();
  }

  int64_t RowsRead(PredicatePtr predicate) {
    return ReadColumn(fs_, {1, "s", DataType::String()}, std::move(predicate))->length();
  }

  MemoryFileSystem fs_;
};

TEST_F(SkippingTest, RowGroupsWithoutMatchAreSkipped) {
  const DataType decimal = DataType::Decimal(20, 1), text = DataType::String();
  EXPECT_EQ(RowsRead(nullptr), 200);
  EXPECT_EQ(RowsRead(Predicate::Compare(PredicateOp::kLess, "n", decimal, DecimalValue{100})), 100);
  EXPECT_EQ(RowsRead(Predicate::Compare(PredicateOp::kGreaterOrEqual, "n", decimal, DecimalValue{200})), 0);
  EXPECT_EQ(RowsRead(Predicate::Compare(PredicateOp::kGreater, "s", text, std::string("b"))), 100);
  EXPECT_EQ(RowsRead(Predicate::IsNull("s", text)), 0);
  EXPECT_EQ(RowsRead(Predicate::Compare(PredicateOp::kEqual, "unknown", text, std::string("b"))), 200);
}

TEST_F(SkippingTest, NaNIsNotSkippedByBounds) {
  const DataType real(TypeRoot::kDouble);
  EXPECT_EQ(RowsRead(Predicate::Compare(PredicateOp::kGreater, "d", real, 0.5)), 200);
}

TEST_F(SkippingTest, ProjectionReadsLess) {
  auto counting = std::make_shared<CountingFileSystem>(std::make_shared<MemoryFileSystem>());
  std::vector<DataField> fields = {{0, "small", DataType::Int()}, {1, "large", DataType::String()}};
  std::vector<Value> small, large;
  RandomValues random(1);
  for (int64_t i = 0; i < 10000; ++i) {
    small.emplace_back(i);
    std::string text(100, ' ');
    for (char& c : text) c = static_cast<char>('a' + random.Next() % 26);
    large.emplace_back(text);
  }
  auto writer = CreateDataFile(*counting, kPath, {.fields = fields});
  writer->Write(*arrow::RecordBatch::Make(ToArrowSchema(fields), 10000,
                                          {ToArray(small, fields[0].type), ToArray(large, fields[1].type)}));
  auto written = writer->Close();
  ASSERT_GT(written.file_bytes, 400'000);
  counting->Reset();
  EXPECT_EQ(ReadColumn(*counting, fields[0])->length(), 10000);
  EXPECT_LT(counting->Counts().bytes_read, 200'000);
}

}  // namespace
}  // namespace mica
