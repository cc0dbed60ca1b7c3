// Reading by page: what is skipped, and that no row is lost, whatever the pages of the columns look like.
#include <fstream>
#include <sstream>

#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>
#include <parquet/file_reader.h>
#include <parquet/page_index.h>

#include "base/arrow.h"
#include "format/data_file.h"
#include "format/parquet_pages.h"
#include "format/random_batch.h"
#include "io/counting_file_system.h"
#include "io/memory_file_system.h"

namespace mica {
namespace {

constexpr char kPath[] = "/x.parquet";
constexpr int64_t kRows = 60'000;

// Ascending numbers, in pages of 16,384 rows; texts in pages half as long, ascending too; a flat column with nulls,
// also a whole page of them; nanoseconds (INT96); and nested columns of one and of several leaves.
std::vector<DataField> Fields() {
  return {{0, "n", DataType::BigInt()},
          {1, "s", DataType::String()},
          {2, "sparse", DataType::Int()},
          {3, "time", DataType::Timestamp(9)},
          {4, "list", DataType::Array(DataType::Int())},
          {5, "row", DataType::Row({{6, "a", DataType::Int()}, {7, "b", DataType::String()}})},
          {8, "map", DataType::Map(DataType::String().WithNullable(false), DataType::Int())},
          {9, "price", DataType::Decimal(15, 2)}};
}

std::string TextOf(int64_t i) {
  return fmt::format("{:08}{}", i, std::string(20, 'x'));
}

std::shared_ptr<arrow::RecordBatch> MakeRows(uint32_t seed) {
  std::vector<DataField> fields = Fields();
  RandomBatches random(seed);
  RandomValues values(seed + 1);
  auto batch = random.Make(fields, kRows);
  arrow::Int64Builder numbers;
  arrow::StringBuilder texts;
  arrow::Int32Builder sparse;
  arrow::TimestampBuilder times(ToArrowType(fields[3].type), arrow::default_memory_pool());
  for (int64_t i = 0; i < kRows; ++i) {
    Check(numbers.Append(i * 10 + static_cast<int64_t>(values.Next() % 10)));
    Check(texts.Append(TextOf(i)));
    bool null = i / 20'000 == 1 || values.Next() % 3 == 0;
    Check(null ? sparse.AppendNull() : sparse.Append(static_cast<int32_t>(i / 1000)));
    Check(values.Next() % 5 == 0 ? times.AppendNull() : times.Append(i * 1'000'000'007 - 5'000'000'000));
  }
  auto columns = batch->columns();
  columns[0] = Take(numbers.Finish());
  columns[1] = Take(texts.Finish());
  columns[2] = Take(sparse.Finish());
  columns[3] = Take(times.Finish());
  return arrow::RecordBatch::Make(ToArrowSchema(fields), kRows, columns);
}

void WriteRows(FileSystem& fs, const arrow::RecordBatch& batch, int64_t rows_of_group,
               const std::vector<DataField>& fields = Fields()) {
  std::map<std::string, std::string> options = {{"parquet.page.size", "100 kb"},
                                                {"parquet.page.row.count.limit", "8192"}};
  if (rows_of_group < batch.num_rows()) options["parquet.block.size"] = "1";
  auto writer = CreateDataFile(fs, kPath, {.fields = fields, .format_options = options});
  for (int64_t at = 0; at < batch.num_rows(); at += rows_of_group) writer->Write(*batch.Slice(at, rows_of_group));
  writer->Close();
}

struct Rows {
  std::shared_ptr<arrow::Table> table;
  int64_t read = 0;  // before the exact filter
};

Rows ReadMatching(FileSystem& fs, const PredicatePtr& predicate, bool push, DataFileReadOptions options) {
  if (options.fields.empty()) options.fields = Fields();
  options.with_row_positions = true;
  options.predicate = push ? predicate : nullptr;
  auto reader = OpenDataFile(fs, kPath, std::nullopt, options);
  Rows rows;
  arrow::RecordBatchVector batches;
  auto fields = ToArrowSchema(options.fields)->fields();
  fields.push_back(arrow::field("_POSITION", arrow::int64(), false));
  while (auto batch = reader->Next()) {
    rows.read += batch->num_rows();
    for (int32_t row : MatchingRows(*predicate, *batch)) batches.push_back(batch->Slice(row, 1));
  }
  rows.table = Take(Take(arrow::Table::FromRecordBatches(arrow::schema(fields), batches))->CombineChunks());
  return rows;
}

PredicatePtr RandomPredicate(RandomValues& random) {
  const DataType big = DataType::BigInt(), text = DataType::String(), number = DataType::Int();
  auto row = [&] { return static_cast<int64_t>(random.Next() % kRows); };
  auto leaf = [&]() -> PredicatePtr {
    switch (random.Next() % 6) {
      case 0: {
        int64_t from = row() * 10;
        return Predicate::And({Predicate::Compare(PredicateOp::kGreaterOrEqual, "n", big, from),
                               Predicate::Compare(PredicateOp::kLess, "n", big, from + 3000)});
      }
      case 1:
        return Predicate::Compare(PredicateOp::kEqual, "s", text, TextOf(row()));
      case 2:
        return Predicate::In("n", big, {row() * 10, row() * 10, row() * 10});
      case 3:
        return Predicate::Compare(PredicateOp::kEqual, "sparse", number, row() / 1000);
      case 4:
        return Predicate::And(
            {Predicate::IsNull("sparse", number), Predicate::Compare(PredicateOp::kLess, "n", big, row())});
      default: {
        std::string low = TextOf(row());
        return Predicate::And({Predicate::Compare(PredicateOp::kGreater, "s", text, low),
                               Predicate::Compare(PredicateOp::kLess, "s", text, low + "~")});
      }
    }
  };
  if (random.Next() % 3 == 0) return Predicate::Or({leaf(), leaf()});
  return leaf();
}

TEST(ParquetPagesTest, ReadingByPageGivesTheRowsOfReadingAll) {
  const uint32_t seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::printf("seed %u\n", seed);
  RandomValues random(seed);
  auto batch = MakeRows(seed);
  int64_t read_by_page = 0;
  for (int64_t rows_of_group : {kRows, int64_t{25'000}}) {
    MemoryFileSystem fs;
    WriteRows(fs, *batch, rows_of_group);
    for (int i = 0; i < 12; ++i) {
      PredicatePtr predicate = RandomPredicate(random);
      SCOPED_TRACE(predicate->ToString());
      DataFileReadOptions options;
      options.batch_rows = random.Next() % 2 == 0 ? 65536 : 3000;
      if (random.Next() % 4 == 0) options.row_range = {int64_t{9'000}, int64_t{41'000}};
      Rows all = ReadMatching(fs, predicate, false, options);
      Rows paged = ReadMatching(fs, predicate, true, options);
      ASSERT_TRUE(paged.table->Equals(*all.table));
      read_by_page += paged.read < all.read ? 1 : 0;
    }
  }
  EXPECT_GT(read_by_page, 3);
}

// The rows that a key leaves are read without those before them in their pages, whatever the types are.
TEST(ParquetPagesTest, FewRowsOfEveryFlatType) {
  const uint32_t seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::printf("seed %u\n", seed);
  constexpr int64_t kFew = 50'000;
  std::vector<DataField> fields = {{0, "n", DataType::BigInt()}};
  auto add = [&](DataType type) {
    const auto id = static_cast<int32_t>(fields.size());
    fields.push_back({id, fmt::format("c{}", id), std::move(type)});
  };
  for (TypeRoot root : {TypeRoot::kBoolean, TypeRoot::kTinyInt, TypeRoot::kSmallInt, TypeRoot::kInt, TypeRoot::kBigInt,
                        TypeRoot::kFloat, TypeRoot::kDouble, TypeRoot::kDate}) {
    add(DataType(root));
  }
  add(DataType(TypeRoot::kTime, true, 3));
  for (int32_t precision : {0, 3, 6, 9}) {
    add(DataType::Timestamp(precision));
    add(DataType::TimestampLtz(precision));
  }
  for (int32_t precision : {1, 9, 10, 18, 19, 38}) add(DataType::Decimal(precision, precision / 2));
  add(DataType::Char(5));
  add(DataType::String());
  add(DataType::Bytes());
  add(DataType::String().WithNullable(false));
  auto batch = RandomBatches(seed).Make(fields, kFew);
  arrow::Int64Builder numbers;
  for (int64_t i = 0; i < kFew; ++i) Check(numbers.Append(i / 3));
  auto columns = batch->columns();
  columns[0] = Take(numbers.Finish());
  MemoryFileSystem fs;
  WriteRows(fs, *arrow::RecordBatch::Make(ToArrowSchema(fields), kFew, columns), kFew, fields);
  RandomValues random(seed);
  for (int i = 0; i < 4; ++i) {
    const auto number = static_cast<int64_t>(random.Next() % (kFew / 3));
    auto predicate = Predicate::Compare(PredicateOp::kEqual, "n", DataType::BigInt(), number);
    DataFileReadOptions options;
    options.fields = fields;
    options.batch_rows = i % 2 == 0 ? 65536 : 2;
    Rows all = ReadMatching(fs, predicate, false, options);
    Rows few = ReadMatching(fs, predicate, true, options);
    EXPECT_EQ(few.read, 3);
    ASSERT_TRUE(few.table->Equals(*all.table, arrow::EqualOptions::Defaults().nans_equal(true)));
  }
}

TEST(ParquetPagesTest, OnlyPagesWithMatchesAreRead) {
  auto counting = std::make_shared<CountingFileSystem>(std::make_shared<MemoryFileSystem>());
  WriteRows(*counting, *MakeRows(1), kRows);
  DataFileReadOptions options;
  options.fields = Fields();
  auto read = [&](PredicatePtr predicate) {
    options.predicate = std::move(predicate);
    counting->Reset();
    int64_t rows = 0;
    auto reader = OpenDataFile(*counting, kPath, std::nullopt, options);
    while (auto batch = reader->Next()) rows += batch->num_rows();
    return std::pair(rows, counting->Counts().bytes_read);
  };
  options.fields.resize(2);
  auto [all_rows, all_bytes] = read(nullptr);
  EXPECT_EQ(all_rows, kRows);
  auto [rows, bytes] = read(Predicate::Compare(PredicateOp::kEqual, "s", DataType::String(), TextOf(30'000)));
  EXPECT_GT(rows, 0);
  EXPECT_LE(rows, 8192);  // one page of the text
  EXPECT_LT(bytes, all_bytes * 2 / 3);
  // Between the bounds of the file but in no page.
  EXPECT_EQ(read(Predicate::Compare(PredicateOp::kEqual, "sparse", DataType::Int(), int64_t{30})).first, 0);
}

TEST(ParquetPagesTest, APageHoldsAtMostSoManyRows) {
  const std::vector<DataField> fields = {Fields()[0]};
  const auto rows = MakeRows(1);
  const auto numbers = arrow::RecordBatch::Make(ToArrowSchema(fields), kRows, {rows->column(0)});
  for (int64_t limit : {0, 500, 10'000}) {
    MemoryFileSystem fs;
    std::map<std::string, std::string> options;
    if (limit > 0) options["parquet.page.row.count.limit"] = std::to_string(limit);
    auto writer = CreateDataFile(fs, kPath, {.fields = fields, .format_options = options});
    writer->Write(*numbers);
    writer->Close();
    auto input = fs.OpenInput(kPath, std::nullopt);
    auto reader = parquet::ParquetFileReader::Open(input);
    auto pages = reader->GetPageIndexReader()->RowGroup(0)->GetOffsetIndex(0)->page_locations();
    const int64_t most = limit > 0 ? limit : 10'000;
    EXPECT_EQ(static_cast<int64_t>(pages.size()), (kRows + most - 1) / most);
  }
}

TEST(ParquetPagesTest, WithoutPageIndexAllIsRead) {
  MemoryFileSystem fs;
  arrow::Int64Builder numbers;
  for (int64_t i = 0; i < kRows; ++i) Check(numbers.Append(i));
  auto array = Take(numbers.Finish());
  auto table = arrow::Table::Make(arrow::schema({arrow::field("n", array->type())}), {array});
  for (bool with_index : {false, true}) {
    auto sink = Take(arrow::io::BufferOutputStream::Create());
    parquet::WriterProperties::Builder properties;
    properties.data_pagesize(1000)->disable_dictionary()->disable_write_page_index();
    if (with_index) properties.enable_write_page_index();
    Check(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink, 1 << 20, properties.build()));
    auto file = Take(sink->Finish());
    auto reader = parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(file));
    auto predicate = Predicate::Compare(PredicateOp::kEqual, "n", DataType::BigInt(), int64_t{30'000});
    auto ranges = RowsThatMayMatch(*reader, 0, *predicate);
    ASSERT_EQ(ranges.size(), 1u);
    if (with_index) {
      EXPECT_LT(ranges[0].count(), 2000);
      EXPECT_LE(ranges[0].first, 30'000);
      EXPECT_GT(ranges[0].end, 30'000);
    } else {
      EXPECT_EQ(ranges[0], (RowRange{0, kRows}));
    }
  }
}

// Paimon for Java cuts bounds of texts to 64 bytes, the upper ones rounded up, and ends pages at 20,000 rows or 1 MB.
TEST(ParquetPagesTest, BoundsThatJavaCutLoseNoRow) {
  std::ifstream in(std::string(MICA_SOURCE_DIR) + "/tests/golden/format/truncated-bounds.parquet", std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  MemoryFileSystem fs;
  fs.ReplaceAtomically(kPath, text.str());
  auto file = parquet::ParquetFileReader::Open(
      std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(text.str())));
  auto pages = file->GetPageIndexReader()->RowGroup(0);
  EXPECT_EQ(pages->GetColumnIndex(1)->encoded_max_values().at(0).size(), 64u);
  EXPECT_TRUE(pages->GetColumnIndex(2)->null_pages().at(0));

  DataFileReadOptions options;
  options.fields = {{0, "id", DataType::BigInt()}, {1, "s", DataType::String()}, {2, "n", DataType::Int()}};
  auto read = [&](PredicatePtr predicate) {
    options.predicate = predicate;
    std::pair<int64_t, std::vector<int64_t>> result;  // rows before the exact filter, ids after it
    auto reader = OpenDataFile(fs, kPath, std::nullopt, options);
    while (auto batch = reader->Next()) {
      result.first += batch->num_rows();
      for (int32_t row : MatchingRows(*predicate, *batch)) {
        result.second.push_back(static_cast<const arrow::Int64Array&>(*batch->column(0)).Value(row));
      }
    }
    EXPECT_EQ(reader->rows_to_read(), result.first);
    return result;
  };
  const DataType string_type = DataType::String();
  auto text_of = [](int64_t id) { return std::string(70, 'p') + fmt::format("{:08}", id); };
  // All bounds begin with the same 64 bytes, so no page can be left out.
  auto [text_rows, text_ids] = read(Predicate::Compare(PredicateOp::kEqual, "s", string_type, text_of(13'500)));
  EXPECT_EQ(text_rows, 26'000);
  EXPECT_EQ(text_ids, std::vector<int64_t>{13'500});
  EXPECT_EQ(read(Predicate::Compare(PredicateOp::kGreater, "s", string_type, std::string("q"))).first, 0);

  auto [id_rows, ids] =
      read(Predicate::Compare(PredicateOp::kGreaterOrEqual, "id", DataType::BigInt(), int64_t{25'998}));
  EXPECT_EQ(id_rows, 2);
  EXPECT_EQ(ids, (std::vector<int64_t>{25'998, 25'999}));
  auto [number_rows, number_ids] = read(Predicate::Compare(PredicateOp::kEqual, "n", DataType::Int(), int64_t{259}));
  EXPECT_EQ(number_rows, 100);
  EXPECT_EQ(number_ids.size(), 100u);
  EXPECT_EQ(number_ids.front(), 25'900);
}

}  // namespace
}  // namespace mica
