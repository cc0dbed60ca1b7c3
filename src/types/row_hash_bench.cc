// Rows per second of HashRows, of the bucket functions and of the casts of whole arrays.

#include <benchmark/benchmark.h>

#include <arrow/api.h>

#include "types/arrow_types.h"
#include "types/bucket_function.h"
#include "types/cast.h"
#include "types/random_values.h"

namespace mica {
namespace {

constexpr int64_t kRows = 1 << 20;

void HashColumns(benchmark::State& state, const std::vector<const char*>& type_texts, bool with_nulls) {
  RandomValues random(1);
  std::vector<DataType> types;
  std::vector<int> columns;
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const char* text : type_texts) {
    columns.push_back(static_cast<int>(types.size()));
    types.push_back(DataType::Parse(text));
    arrays.push_back(ToArray(random.Some(types.back(), kRows, with_nulls), types.back()));
    fields.push_back(arrow::field(text, arrays.back()->type()));
  }
  const auto batch = arrow::RecordBatch::Make(arrow::schema(fields), kRows, arrays);
  std::vector<int32_t> hashes;
  for (auto _ : state) {
    HashRows(*batch, columns, types, &hashes);
    benchmark::DoNotOptimize(hashes.data());
  }
  state.SetItemsProcessed(state.iterations() * kRows);
}

BENCHMARK_CAPTURE(HashColumns, int_bigint, std::vector<const char*>{"INT", "BIGINT"}, false);
BENCHMARK_CAPTURE(HashColumns, int_bigint_nulls, std::vector<const char*>{"INT", "BIGINT"}, true);
BENCHMARK_CAPTURE(HashColumns, int_int, std::vector<const char*>{"INT", "INT"}, false);
BENCHMARK_CAPTURE(HashColumns, bigint, std::vector<const char*>{"BIGINT"}, false);
BENCHMARK_CAPTURE(HashColumns, string, std::vector<const char*>{"STRING"}, false);
BENCHMARK_CAPTURE(HashColumns, string_bigint, std::vector<const char*>{"STRING", "BIGINT"}, false);
BENCHMARK_CAPTURE(HashColumns, decimal38, std::vector<const char*>{"DECIMAL(38,2)"}, false);
BENCHMARK_CAPTURE(HashColumns, timestamp6, std::vector<const char*>{"TIMESTAMP(6)"}, false);

void CastColumn(benchmark::State& state, const char* from_text, const char* to_text) {
  RandomValues random(1);
  const DataType from = DataType::Parse(from_text);
  const DataType to = DataType::Parse(to_text);
  const auto array = ToArray(random.Some(from, kRows, true), from);
  for (auto _ : state) benchmark::DoNotOptimize(CastArray(array, from, to));
  state.SetItemsProcessed(state.iterations() * kRows);
}

BENCHMARK_CAPTURE(CastColumn, int_to_bigint, "INT", "BIGINT");
BENCHMARK_CAPTURE(CastColumn, int_to_string, "INT", "STRING");
BENCHMARK_CAPTURE(CastColumn, timestamp6_to_3, "TIMESTAMP(6)", "TIMESTAMP(3)");
BENCHMARK_CAPTURE(CastColumn, decimal_to_wider, "DECIMAL(9,2)", "DECIMAL(18,4)");

}  // namespace
}  // namespace mica

BENCHMARK_MAIN();
