#include "format/data_file.h"

#include <cstdlib>
#include <iostream>
#include <random>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/arrow.h"
#include "base/expect_error.h"
#include "base/mutations.h"
#include "format/avro_file.h"
#include "format/random_batch.h"
#include "io/faulty_file_system.h"
#include "io/memory_file_system.h"

namespace mica {
namespace {

std::vector<DataField> Numbered(std::vector<DataType> types) {
  std::vector<DataField> fields;
  for (DataType& type : types) fields.push_back({-1, fmt::format("c{}", fields.size()), std::move(type)});
  int32_t highest = -1;
  return AssignFieldIds(std::move(fields), &highest);
}

std::vector<DataField> AllTypes(std::string_view format) {
  using T = DataType;
  std::vector<DataType> types = {
      T(TypeRoot::kBoolean),
      T(TypeRoot::kTinyInt),
      T(TypeRoot::kSmallInt),
      T::Int(),
      T::BigInt(),
      T(TypeRoot::kFloat),
      T(TypeRoot::kDouble),
      T::Decimal(9, 2),
      T::Decimal(18, 0),
      T::Decimal(38, 18),
      T::Decimal(20, 5),
      T::Char(5),
      T::Varchar(30),
      T::String(),
      T(TypeRoot::kBinary, true, 4),
      T(TypeRoot::kVarbinary, true, 30),
      T::Bytes(),
      T(TypeRoot::kDate),
      T(TypeRoot::kTime, true, 0),
      T(TypeRoot::kTime, true, 3),
      T::Timestamp(0),
      T::Timestamp(3),
      T::Timestamp(6),
      T::TimestampLtz(3),
      T::TimestampLtz(6),
      T::BigInt().WithNullable(false),
      T::String().WithNullable(false),
      T::Array(T::Int()),
      T::Array(T::String().WithNullable(false)),
      T::Map(T::String().WithNullable(false), T::Decimal(10, 2)),
      T::Map(T::Int().WithNullable(false), T::String()),
      T::Multiset(T::String().WithNullable(false)),
      T::Row({{-1, "a", T::Int()}, {-1, "b", T::Row({{-1, "c", T(TypeRoot::kTime, true, 3)}, {-1, "d", T::Char(3)}})}}),
      T::Array(T::Map(T::String().WithNullable(false),
                      T::Array(T::Row({{-1, "x", T::Timestamp(6)}, {-1, "y", T::Bytes()}})))),
      T::Row({{-1, "n", T::Int().WithNullable(false)}}).WithNullable(false)};
  if (format != "avro") {
    types.push_back(T::Timestamp(9));
    types.push_back(T::TimestampLtz(7));
    types.push_back(T::Array(T::Timestamp(9)));
  }
  return Numbered(std::move(types));
}

// Printed, and given again by MICA_SEED.
uint32_t Seed() {
  const char* given = std::getenv("MICA_SEED");
  const uint32_t seed = given ? static_cast<uint32_t>(std::stoul(given)) : std::random_device()();
  std::cout << "MICA_SEED=" << seed << std::endl;
  return seed;
}

std::string PathOf(const std::string& format) {
  return "/t/bucket-0/data-1-0." + format;
}

WrittenFile WriteBatches(FileSystem& fs, const DataFileWriteOptions& options, const arrow::RecordBatchVector& batches) {
  auto writer = CreateDataFile(fs, PathOf(options.format), options);
  for (const auto& batch : batches) writer->Write(*batch);
  WrittenFile written = writer->Close();
  EXPECT_EQ(written.file_bytes, fs.Stat(PathOf(options.format))->size);
  return written;
}

std::shared_ptr<arrow::Table> ReadAll(FileSystem& fs, const std::string& path, const DataFileReadOptions& options) {
  auto reader = OpenDataFile(fs, path, std::nullopt, options);
  arrow::RecordBatchVector batches;
  while (auto batch = reader->Next()) {
    EXPECT_GT(batch->num_rows(), 0);
    EXPECT_TRUE(batch->ValidateFull().ok()) << batch->ValidateFull().ToString();
    for (int i = 0; i < batch->num_columns(); ++i) ExpectOffsetZero(*batch->column_data(i));
    batches.push_back(batch);
  }
  auto fields = options.fields;
  auto schema = ToArrowSchema(fields);
  if (options.with_row_positions) {
    schema = Take(schema->AddField(schema->num_fields(), arrow::field("_POSITION", arrow::int64(), false)));
  }
  return Take(Take(arrow::Table::FromRecordBatches(schema, batches))->CombineChunks());
}

void ExpectSame(const arrow::Table& read, const arrow::RecordBatchVector& written, const std::string& what) {
  auto expected = Take(Take(arrow::Table::FromRecordBatches(written[0]->schema(), written))->CombineChunks());
  ASSERT_EQ(read.num_rows(), expected->num_rows()) << what;
  for (int i = 0; i < read.num_columns(); ++i) {
    auto equal = arrow::EqualOptions::Defaults().nans_equal(true);
    EXPECT_TRUE(read.column(i)->Equals(*expected->column(i), equal))
        << what << " column " << i << " " << read.field(i)->type()->ToString();
  }
}

class DataFileTest : public testing::TestWithParam<std::string> {
 protected:
  void ReadDamaged(const std::string& damaged, const std::vector<DataField>& fields) {
    fs_.ReplaceAtomically(PathOf(GetParam()), damaged);
    try {
      auto reader = OpenDataFile(fs_, PathOf(GetParam()), std::nullopt, {.fields = fields});
      // Damaged bytes may give other values; the arrays must be sound.
      while (auto read = reader->Next()) EXPECT_TRUE(read->Validate().ok()) << read->Validate().ToString();
    } catch (const Error& error) {
      EXPECT_TRUE(error.kind() == ErrorKind::kCorrupt || error.kind() == ErrorKind::kUnsupported) << error.what();
      EXPECT_NE(std::string(error.what()).find(PathOf(GetParam())), std::string::npos) << error.what();
    }
  }

  MemoryFileSystem fs_;
};

TEST_P(DataFileTest, RowsOfEveryTypeComeBack) {
  const uint32_t seed = Seed();
  RandomBatches random(seed);
  random.whole_seconds_before_1970 = GetParam() == "orc";
  DataFileWriteOptions options{.fields = AllTypes(GetParam()), .format = GetParam()};
  arrow::RecordBatchVector batches = {random.Make(options.fields, 1000), random.Make(options.fields, 37),
                                      random.Make(options.fields, 3000)};
  auto written = WriteBatches(fs_, options, batches);
  EXPECT_EQ(written.row_count, 4037);
  ASSERT_EQ(written.stats.size(), options.fields.size());
  ExpectSame(*ReadAll(fs_, PathOf(GetParam()), {.fields = options.fields, .batch_rows = 512}), batches, GetParam());

  std::vector<std::string> names;
  for (const DataField& field : options.fields) names.push_back(field.name);
  EXPECT_EQ(DataFileColumns(fs_, PathOf(GetParam()), std::nullopt), names);
}

TEST_P(DataFileTest, SlicesAreWrittenAsTheyAreSeen) {
  RandomBatches random(7);
  random.whole_seconds_before_1970 = GetParam() == "orc";
  DataFileWriteOptions options{.fields = AllTypes(GetParam()), .format = GetParam()};
  auto slice = random.Make(options.fields, 100)->Slice(13, 50);
  WriteBatches(fs_, options, {slice});
  ExpectSame(*ReadAll(fs_, PathOf(GetParam()), {.fields = options.fields}), {slice}, GetParam());
}

TEST_P(DataFileTest, ColumnsAreFoundByNameInAnyOrder) {
  RandomBatches random(8);
  DataFileWriteOptions options{.fields = Numbered({DataType::Int(), DataType::String(), DataType::BigInt()}),
                               .format = GetParam()};
  auto batch = random.Make(options.fields, 100);
  WriteBatches(fs_, options, {batch});
  std::vector<DataField> wanted = {options.fields[2], options.fields[0]};
  auto read = ReadAll(fs_, PathOf(GetParam()), {.fields = wanted});
  EXPECT_TRUE(read->column(0)->chunk(0)->Equals(batch->column(2)));
  EXPECT_TRUE(read->column(1)->chunk(0)->Equals(batch->column(0)));
  wanted[0].name = "gone";
  EXPECT_ERROR(ReadAll(fs_, PathOf(GetParam()), {.fields = wanted}), Corrupt, "gone");
}

TEST_P(DataFileTest, RowRangesAndPositions) {
  RandomBatches random(9);
  DataFileWriteOptions options{.fields = Numbered({DataType::BigInt(), DataType::Array(DataType::String())}),
                               .format = GetParam()};
  auto batch = random.Make(options.fields, 20000);
  WriteBatches(fs_, options, {batch});
  for (auto [first, end] : {std::pair<int64_t, int64_t>{0, 20000}, {0, 1}, {19999, 30000}, {777, 15321}, {5, 5}}) {
    auto read = ReadAll(
        fs_, PathOf(GetParam()),
        {.fields = options.fields, .batch_rows = 1000, .with_row_positions = true, .row_range = std::pair(first, end)});
    const int64_t rows = std::min<int64_t>(end, 20000) - first;
    ASSERT_EQ(read->num_rows(), rows);
    if (rows == 0) continue;
    EXPECT_TRUE(read->column(1)->chunk(0)->Equals(batch->column(1)->Slice(first, rows)));
    const auto& positions = static_cast<const arrow::Int64Array&>(*read->column(2)->chunk(0));
    EXPECT_EQ(positions.Value(0), first);
    EXPECT_EQ(positions.Value(rows - 1), first + rows - 1);
  }
  // No column at all: the rows are still counted.
  auto none = ReadAll(fs_, PathOf(GetParam()), {.with_row_positions = true});
  EXPECT_EQ(none->num_rows(), 20000);
}

TEST_P(DataFileTest, FilesWithoutRows) {
  DataFileWriteOptions options{.fields = AllTypes(GetParam()), .format = GetParam()};
  auto written = WriteBatches(fs_, options, {});
  EXPECT_EQ(written.row_count, 0);
  auto reader = OpenDataFile(fs_, PathOf(GetParam()), std::nullopt, {.fields = options.fields});
  EXPECT_EQ(reader->row_count(), 0);
  EXPECT_EQ(reader->Next(), nullptr);
}

TEST_P(DataFileTest, StatisticsAreThoseOfTheRows) {
  using T = DataType;
  DataFileWriteOptions options{.fields = Numbered({T::Int(), T::String(), T::Decimal(25, 2), T(TypeRoot::kDouble),
                                                   T::Bytes(), T::Timestamp(6), T(TypeRoot::kDate)}),
                               .format = GetParam()};
  std::vector<std::vector<Value>> columns = {{int64_t{5}, Value(), int64_t{-7}},
                                             {std::string("b"), std::string("\xF0\x9F\x98\x80"), std::string("")},
                                             {DecimalValue{-5}, DecimalValue{static_cast<Int128>(1) << 80}, Value()},
                                             {1.5, 0.0, 2.5},
                                             {std::string("x"), Value(), Value()},
                                             {TimestampValue{-5000, 0}, TimestampValue{1, 5000}, TimestampValue{0, 0}},
                                             {Value(), Value(), Value()}};
  arrow::ArrayVector arrays;
  for (size_t i = 0; i < columns.size(); ++i) arrays.push_back(ToArray(columns[i], options.fields[i].type));
  auto written = WriteBatches(fs_, options, {arrow::RecordBatch::Make(ToArrowSchema(options.fields), 3, arrays)});
  auto expect = [&](size_t i, Value min, Value max, int64_t nulls) {
    const ColumnStats& stats = written.stats[i];
    EXPECT_EQ(stats.null_count, nulls) << i;
    ASSERT_EQ(stats.min.has_value(), !IsNull(min)) << i;
    if (IsNull(min)) return;
    EXPECT_TRUE(CompareValues(*stats.min, min) == 0) << i;
    EXPECT_TRUE(CompareValues(*stats.max, max) == 0) << i;
  };
  expect(0, int64_t{-7}, int64_t{5}, 1);
  expect(1, std::string(""), std::string("\xF0\x9F\x98\x80"), 0);
  expect(2, DecimalValue{-5}, DecimalValue{static_cast<Int128>(1) << 80}, 1);
  expect(3, 0.0, 2.5, 0);
  expect(4, Value(), Value(), 2);
  expect(5, TimestampValue{-5000, 0}, TimestampValue{1, 5000}, 0);
  expect(6, Value(), Value(), 3);
}

TEST_P(DataFileTest, NaNLeavesTheBoundsUnknown) {
  DataFileWriteOptions options{.fields = Numbered({DataType(TypeRoot::kDouble)}), .format = GetParam()};
  auto array = ToArray({1.0, std::nan(""), -3.0}, options.fields[0].type);
  auto written = WriteBatches(fs_, options, {arrow::RecordBatch::Make(ToArrowSchema(options.fields), 3, {array})});
  if (GetParam() == "parquet") {
    // The footer leaves NaN out; readers must not prune NaN by bounds (Format 9).
    EXPECT_EQ(written.stats[0].null_count, 0);
  } else {
    EXPECT_FALSE(written.stats[0].min || written.stats[0].max);
  }
}

TEST_P(DataFileTest, EmptyAndNullCollectionsStayApart) {  // P-24
  DataFileWriteOptions options{.fields = Numbered({DataType::Array(DataType::Int())}), .format = GetParam()};
  arrow::ListBuilder builder(arrow::default_memory_pool(), std::make_shared<arrow::Int32Builder>(),
                             ToArrowType(options.fields[0].type));
  Check(builder.Append());      // []
  Check(builder.AppendNull());  // NULL
  Check(builder.Append());      // [NULL]
  Check(static_cast<arrow::Int32Builder*>(builder.value_builder())->AppendNull());
  auto batch = arrow::RecordBatch::Make(ToArrowSchema(options.fields), 3, {Take(builder.Finish())});
  WriteBatches(fs_, options, {batch});
  ExpectSame(*ReadAll(fs_, PathOf(GetParam()), {.fields = options.fields}), {batch}, GetParam());
}

TEST_P(DataFileTest, CharsArePaddedToTheirCharacters) {  // P-12
  auto written = Numbered({DataType::String()});
  DataFileWriteOptions options{.fields = written, .format = GetParam()};
  auto array = ToArray({std::string("\xC3\xA4"), std::string("abcd"), Value()}, written[0].type);
  WriteBatches(fs_, options, {arrow::RecordBatch::Make(ToArrowSchema(written), 3, {array})});
  auto fields = written;
  fields[0].type = DataType::Char(3);
  auto read = ReadAll(fs_, PathOf(GetParam()), {.fields = fields});
  const auto& text = static_cast<const arrow::StringArray&>(*read->column(0)->chunk(0));
  EXPECT_EQ(text.GetView(0), "\xC3\xA4  ");
  EXPECT_EQ(text.GetView(1), "abcd");
  EXPECT_TRUE(text.IsNull(2));
}

TEST_P(DataFileTest, TextThatIsNoTextIsRefused) {
  DataFileWriteOptions options{
      .fields = Numbered({DataType::Int(), DataType::String()}), .format = GetParam(), .compression = "none"};
  auto batch = arrow::RecordBatch::Make(
      ToArrowSchema(options.fields), 2,
      {ToArray({int64_t{1}, int64_t{2}}, options.fields[0].type),
       ToArray({std::string("marked one"), std::string("marked two")}, options.fields[1].type)});
  WriteBatches(fs_, options, {batch});
  std::string content = fs_.ReadFile(PathOf(GetParam()));
  for (size_t at; (at = content.find("marked")) != std::string::npos;) content[at + 3] = '\xC3';
  fs_.ReplaceAtomically(PathOf(GetParam()), content);
  EXPECT_ERROR(ReadAll(fs_, PathOf(GetParam()), {.fields = options.fields}), Corrupt, "'c1'");
  EXPECT_EQ(ReadAll(fs_, PathOf(GetParam()), {.fields = {options.fields[0]}})->num_rows(), 2);
}

TEST_P(DataFileTest, EveryCompressionOfTheFormat) {
  std::map<std::string, std::vector<std::string>> compressions = {
      {"parquet", {"zstd", "snappy", "gzip", "lz4", "none"}},
      {"orc", {"zstd", "snappy", "zlib", "lz4", "none"}},
      {"avro", {"zstd", "snappy", "deflate", "none"}}};
  RandomBatches random(10);
  for (const std::string& compression : compressions[GetParam()]) {
    DataFileWriteOptions options{
        .fields = Numbered({DataType::BigInt(), DataType::Char(4)}), .format = GetParam(), .compression = compression};
    auto batch = random.Make(options.fields, 5000);
    WriteBatches(fs_, options, {batch});
    ExpectSame(*ReadAll(fs_, PathOf(GetParam()), {.fields = options.fields}), {batch}, compression);
  }
  DataFileWriteOptions brotli{.fields = Numbered({DataType::Int()}), .format = GetParam(), .compression = "brotli"};
  EXPECT_ERROR(CreateDataFile(fs_, "/x", brotli), Unsupported, "brotli");
}

// Any damage gives an error that names the file, or rows. Without compression it reaches the encodings.
TEST_P(DataFileTest, DamagedFilesNeverCrash) {
  Mutations mutations;
  RandomBatches random(mutations.Next());
  random.whole_seconds_before_1970 = GetParam() == "orc";
  for (const char* compression : {"none", "zstd"}) {
    DataFileWriteOptions options{.fields = AllTypes(GetParam()), .format = GetParam(), .compression = compression};
    // Few values, so that there are dictionaries and runs.
    auto few = random.Make(options.fields, 20);
    WriteBatches(fs_, options, {random.Make(options.fields, 200), few, few, few, few, few, few, few, few, few, few});
    const std::string intact = fs_.ReadFile(PathOf(GetParam()));
    for (int i = 0; i < Mutations::Rounds(150); ++i) ReadDamaged(mutations.Of(intact), options.fields);
  }
}

// A storage that fails is not a malformed file.
TEST_P(DataFileTest, FailuresOfTheStorageAreTold) {
  auto inner = std::make_shared<MemoryFileSystem>();
  RandomBatches random(11);
  DataFileWriteOptions options{.fields = Numbered({DataType::BigInt(), DataType::Char(4)}), .format = GetParam()};
  WriteBatches(*inner, options, {random.Make(options.fields, 1000)});
  bool failed = true;
  for (int64_t at = 0; failed && at < 100; ++at) {
    FaultyFileSystem faulty(inner, {.action = Fault::Action::kFail, .at = at});
    failed = false;
    try {
      ReadAll(faulty, PathOf(GetParam()), {.fields = options.fields});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kIoError) << error.what();
      EXPECT_NE(std::string(error.what()).find(PathOf(GetParam())), std::string::npos) << error.what();
      failed = true;
    }
  }
  EXPECT_FALSE(failed);
}

INSTANTIATE_TEST_SUITE_P(Formats, DataFileTest, testing::Values("parquet", "orc", "avro"),
                         [](const auto& info) { return info.param; });

TEST(FormatOfNameTest, SkipsTheExtensionsOfCodecs) {
  EXPECT_EQ(FormatOfName("data-x-0.parquet"), "parquet");
  EXPECT_EQ(FormatOfName("/a.b/data-x-0.zst.parquet"), "parquet");
  EXPECT_EQ(FormatOfName("data-x-0.avro.gz"), "avro");
  EXPECT_ERROR(FormatOfName("/a.b/data"), Corrupt, "data");
  EXPECT_ERROR(CheckFormatSupported("lance"), Unsupported, "lance");
  CheckFormatSupported("orc");
}

TEST(OrcFileTest, TimestampsOfAllYears) {
  MemoryFileSystem fs;
  DataFileWriteOptions options{.fields = Numbered({DataType::Timestamp(3), DataType::TimestampLtz(6)}),
                               .format = "orc"};
  std::vector<Value> moments = {TimestampValue{-62'135'596'800'000, 0}, TimestampValue{253'402'300'799'000, 0},
                                Value()};
  auto batch =
      arrow::RecordBatch::Make(ToArrowSchema(options.fields), 3,
                               {ToArray(moments, options.fields[0].type), ToArray(moments, options.fields[1].type)});
  WriteBatches(fs, options, {batch});
  ExpectSame(*ReadAll(fs, PathOf("orc"), {.fields = options.fields}), {batch}, "orc");
}

TEST(OrcFileTest, StripesWithoutAMatchAreSkipped) {
  MemoryFileSystem fs;
  DataFileWriteOptions options{.fields = Numbered({DataType::Int(), DataType::String(), DataType(TypeRoot::kDate)}),
                               .format = "orc",
                               .format_options = {{"orc.stripe.size", "64 kb"}}};
  constexpr int64_t kRows = 100'000;
  std::vector<Value> numbers, texts, dates;
  for (int64_t i = 0; i < kRows; ++i) {
    numbers.push_back(i % 1000 == 0 ? Value() : Value(i));
    texts.push_back(fmt::format("text number {:06}", i));
    dates.push_back(i / 100);
  }
  arrow::RecordBatchVector batches;
  auto whole =
      arrow::RecordBatch::Make(ToArrowSchema(options.fields), kRows,
                               {ToArray(numbers, options.fields[0].type), ToArray(texts, options.fields[1].type),
                                ToArray(dates, options.fields[2].type)});
  for (int64_t at = 0; at < kRows; at += 10'000) batches.push_back(whole->Slice(at, 10'000));
  WriteBatches(fs, options, batches);
  auto rows_read = [&](PredicatePtr predicate) {
    return ReadAll(fs, PathOf("orc"), {.fields = options.fields, .predicate = std::move(predicate)})->num_rows();
  };
  const PredicatePtr filters[] = {
      Predicate::Compare(PredicateOp::kEqual, "c0", options.fields[0].type, int64_t{54'321}),
      Predicate::Compare(PredicateOp::kLess, "c1", options.fields[1].type, std::string("text number 000001")),
      Predicate::Compare(PredicateOp::kGreaterOrEqual, "c2", options.fields[2].type, int64_t{999})};
  for (const PredicatePtr& filter : filters) {
    const int64_t rows = rows_read(filter);
    EXPECT_GT(rows, 0) << filter->ToString();
    EXPECT_LT(rows, kRows) << filter->ToString();
  }
  EXPECT_EQ(rows_read(Predicate::Compare(PredicateOp::kLess, "c0", options.fields[0].type, int64_t{-1})), 0);
  EXPECT_EQ(rows_read(Predicate::IsNull("c0", options.fields[0].type)), kRows);
}

TEST(OrcFileTest, RefusesFractionsBefore1970) {
  MemoryFileSystem fs;
  DataFileWriteOptions options{.fields = Numbered({DataType::Timestamp(3)}), .format = "orc"};
  auto array = ToArray({TimestampValue{-1, 0}}, options.fields[0].type);
  auto batch = arrow::RecordBatch::Make(ToArrowSchema(options.fields), 1, {array});
  EXPECT_ERROR(WriteBatches(fs, options, {batch}), Unsupported, "'c0'");
}

TEST(AvroFileTest, RefusesWhatAvroCannotHold) {
  MemoryFileSystem fs;
  for (DataType type : {DataType::Timestamp(9), DataType::Multiset(DataType::Int().WithNullable(false)),
                        DataType(TypeRoot::kVariant)}) {
    DataFileWriteOptions options{.fields = {{0, "odd", type}}, .format = "avro"};
    EXPECT_ERROR(CreateDataFile(fs, "/x", options), Unsupported, "'odd'");
  }
}

// Some writers make the record of a row nullable.
TEST(AvroFileTest, ReadsRowsThatAreUnionsWithNull) {
  const std::string record =
      R"({"type":"record","name":"row","fields":[{"name":"a","type":"int"},{"name":"b","type":"int"}]})";
  const DataFileReadOptions wanted{.fields = {{0, "b", DataType::Int()}}};
  auto read = [&](const std::string& schema, const std::string& rows,
                  std::optional<std::pair<int64_t, int64_t>> range) {
    MemoryFileSystem fs;
    AvroFileWriter writer(schema, "none", 1);
    for (size_t at = 0; at < rows.size(); at += 3) {
      writer.Append([&](std::string& out) { out += rows.substr(at, 3); });
    }
    auto sink = fs.OpenOutput("/x.avro");
    Check(sink->Write(writer.Finish()));
    Check(sink->Close());
    EXPECT_EQ(DataFileColumns(fs, "/x.avro", std::nullopt), (std::vector<std::string>{"a", "b"}));
    DataFileReadOptions options = wanted;
    options.row_range = range;
    auto reader = OpenDataFile(fs, "/x.avro", std::nullopt, options);
    std::vector<int32_t> values;
    while (auto batch = reader->Next()) {
      const auto& column = static_cast<const arrow::Int32Array&>(*batch->column(0));
      for (int64_t i = 0; i < column.length(); ++i) values.push_back(column.Value(i));
    }
    return values;
  };
  // Zigzag: 1 is the byte 2, 2 the byte 4.
  const std::string second = {2, 2, 4, 2, 6, 8}, first = {0, 2, 4, 0, 6, 8}, null_row = {0, 2, 4};
  EXPECT_EQ(read(R"(["null",)" + record + "]", second, std::nullopt), (std::vector<int32_t>{2, 4}));
  EXPECT_EQ(read("[" + record + R"(,"null"])", first, std::nullopt), (std::vector<int32_t>{2, 4}));
  EXPECT_EQ(read(R"(["null",)" + record + "]", second, std::pair<int64_t, int64_t>(1, 2)), (std::vector<int32_t>{4}));
  EXPECT_ERROR(read(R"(["null",)" + record + "]", null_row, std::nullopt), Corrupt, "a row is null");
  EXPECT_ERROR(read(R"(["int",)" + record + "]", second, std::nullopt), Corrupt, "not a record");
}

}  // namespace
}  // namespace mica
