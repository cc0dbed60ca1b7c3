// Rows per second of MatchingRows.

#include <benchmark/benchmark.h>

#include <arrow/api.h>

#include "predicate/predicate.h"
#include "types/random_values.h"

namespace mica {
namespace {

constexpr int64_t kRows = 1 << 17;

void Filter(benchmark::State& state, const char* type_text, PredicateOp op, bool with_nulls) {
  RandomValues random(1);
  const DataType type = DataType::Parse(type_text);
  const auto array = ToArray(random.Some(type, kRows, with_nulls), type);
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("c", array->type())}), kRows, {array});
  const auto predicate = op == PredicateOp::kIn ? Predicate::In("c", type, random.Some(type, 20, false))
                                                : Predicate::Compare(op, "c", type, random.One(type));
  for (auto _ : state) benchmark::DoNotOptimize(MatchingRows(*predicate, *batch));
  state.SetItemsProcessed(state.iterations() * kRows);
}

BENCHMARK_CAPTURE(Filter, int_less, "INT", PredicateOp::kLess, false);
BENCHMARK_CAPTURE(Filter, int_less_nulls, "INT", PredicateOp::kLess, true);
BENCHMARK_CAPTURE(Filter, bigint_in, "BIGINT", PredicateOp::kIn, false);
BENCHMARK_CAPTURE(Filter, double_greater, "DOUBLE", PredicateOp::kGreater, false);
BENCHMARK_CAPTURE(Filter, decimal_less, "DECIMAL(18,2)", PredicateOp::kLess, false);
BENCHMARK_CAPTURE(Filter, timestamp_less, "TIMESTAMP(6)", PredicateOp::kLess, false);
BENCHMARK_CAPTURE(Filter, string_equal, "STRING", PredicateOp::kEqual, false);

}  // namespace
}  // namespace mica

BENCHMARK_MAIN();
