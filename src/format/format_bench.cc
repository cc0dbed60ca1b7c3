// Writing and reading data files of 16 columns in the manner of TPC-H's lineitem, in every format, beside what Arrow's
// own Parquet writer and reader take for the same batches.
#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <benchmark/benchmark.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>

#include "base/arrow.h"
#include "format/data_file.h"
#include "io/memory_file_system.h"
#include "types/arrow_types.h"

namespace mica {
namespace {

constexpr int64_t kRows = 500'000;
constexpr int64_t kBatchRows = 100'000;

std::vector<DataField> Fields() {
  using T = DataType;
  std::vector<DataField> fields;
  auto add = [&](const char* name, DataType type) {
    fields.push_back({static_cast<int32_t>(fields.size()), name, std::move(type)});
  };
  for (const char* name : {"orderkey", "partkey", "suppkey"}) add(name, T::BigInt());
  add("linenumber", T::Int());
  for (const char* name : {"quantity", "extendedprice", "discount", "tax"}) add(name, T::Decimal(15, 2));
  for (const char* name : {"returnflag", "linestatus"}) add(name, T::String());
  for (const char* name : {"shipdate", "commitdate", "receiptdate"}) add(name, T(TypeRoot::kDate));
  for (const char* name : {"shipinstruct", "shipmode", "comment"}) add(name, T::String());
  return fields;
}

arrow::RecordBatchVector Batches(const std::vector<DataField>& fields) {
  static arrow::RecordBatchVector batches;
  if (!batches.empty()) return batches;
  uint64_t state = 1;
  auto next = [&](uint64_t below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state >> 33) % below;
  };
  const char* words[] = {"quickly", "ironic", "deposits", "sleep", "furiously", "even", "packages", "the", "blithely"};
  for (int64_t from = 0; from < kRows; from += kBatchRows) {
    std::vector<std::unique_ptr<arrow::ArrayBuilder>> builders;
    for (const DataField& field : fields) builders.push_back(Take(arrow::MakeBuilder(ToArrowType(field.type))));
    for (int64_t row = from; row < from + kBatchRows; ++row) {
      int c = 0;
      auto add = [&](Value value) {
        AppendValue(value, fields[static_cast<size_t>(c)].type, builders[static_cast<size_t>(c)].get());
        ++c;
      };
      auto integer = [&](uint64_t value) { add(static_cast<int64_t>(value)); };
      auto decimal = [&](uint64_t value) { add(DecimalValue{static_cast<int64_t>(value)}); };
      integer(static_cast<uint64_t>(row / 4));
      integer(next(200'000));
      integer(next(10'000));
      integer(static_cast<uint64_t>(row % 7));
      decimal(100 * (1 + next(50)));
      decimal(90'000 + next(9'000'000));
      decimal(next(11));
      decimal(next(9));
      add(std::string(1, "ANR"[next(3)]));
      add(std::string(1, "OF"[next(2)]));
      for (int i = 0; i < 3; ++i) integer(8000 + next(2500));
      add(std::string(words[next(4)]) + " in person");
      add(std::string(words[next(7)]));
      std::string comment;
      for (uint64_t i = 0, count = 2 + next(5); i < count; ++i) comment += std::string(words[next(9)]) + " ";
      add(comment);
    }
    arrow::ArrayVector columns;
    for (auto& builder : builders) columns.push_back(Take(builder->Finish()));
    batches.push_back(arrow::RecordBatch::Make(ToArrowSchema(fields), kBatchRows, columns));
  }
  return batches;
}

const char* const kFormats[] = {"parquet", "orc", "avro"};

int64_t WriteOnce(FileSystem& fs, const std::string& format, const arrow::RecordBatchVector& batches) {
  auto writer = CreateDataFile(fs, "/x." + format, {.fields = Fields(), .format = format});
  for (const auto& batch : batches) writer->Write(*batch);
  return writer->Close().file_bytes;
}

void Write(benchmark::State& state) {
  const std::string format = kFormats[state.range(0)];
  auto batches = Batches(Fields());
  MemoryFileSystem fs;
  int64_t bytes = 0;
  for (auto _ : state) bytes = WriteOnce(fs, format, batches);
  state.SetLabel(format + " " + std::to_string(bytes) + " bytes");
  state.SetItemsProcessed(state.iterations() * kRows);
}

void Read(benchmark::State& state) {
  const std::string format = kFormats[state.range(0)];
  MemoryFileSystem fs;
  WriteOnce(fs, format, Batches(Fields()));
  for (auto _ : state) {
    auto reader = OpenDataFile(fs, "/x." + format, std::nullopt, {.fields = Fields()});
    while (auto batch = reader->Next()) benchmark::DoNotOptimize(batch.get());
  }
  state.SetLabel(format);
  state.SetItemsProcessed(state.iterations() * kRows);
}

std::shared_ptr<arrow::Buffer> WriteWithArrow(const arrow::RecordBatchVector& batches) {
  auto sink = Take(arrow::io::BufferOutputStream::Create());
  parquet::WriterProperties::Builder properties;
  properties.compression(parquet::Compression::ZSTD)->compression_level(1);
  auto writer = Take(
      parquet::arrow::FileWriter::Open(*batches[0]->schema(), arrow::default_memory_pool(), sink, properties.build()));
  for (const auto& batch : batches) Check(writer->WriteRecordBatch(*batch));
  Check(writer->Close());
  return Take(sink->Finish());
}

void ArrowWrite(benchmark::State& state) {
  auto batches = Batches(Fields());
  int64_t bytes = 0;
  for (auto _ : state) bytes = WriteWithArrow(batches)->size();
  state.SetLabel(std::to_string(bytes) + " bytes");
  state.SetItemsProcessed(state.iterations() * kRows);
}

void ArrowRead(benchmark::State& state) {
  auto file = WriteWithArrow(Batches(Fields()));
  for (auto _ : state) {
    auto reader =
        Take(parquet::arrow::OpenFile(std::make_shared<arrow::io::BufferReader>(file), arrow::default_memory_pool()));
    std::shared_ptr<arrow::Table> table;
    Check(reader->ReadTable(&table));
    benchmark::DoNotOptimize(table.get());
  }
  state.SetItemsProcessed(state.iterations() * kRows);
}

BENCHMARK(Write)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(Read)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(ArrowWrite)->Unit(benchmark::kMillisecond);
BENCHMARK(ArrowRead)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mica
