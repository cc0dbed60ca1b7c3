// sum and avg of whole numbers and decimals, whose types differ from DuckDB's: a sum of whole numbers is BIGINT (in
// Flink the type of the numbers), a mean of decimals a decimal, and in Flink a mean of whole numbers whole.
#include <duckdb/function/aggregate_function.hpp>
#include <duckdb/planner/expression/bound_aggregate_expression.hpp>

#include "functions/function_entries.h"
#include "types/decimal.h"

namespace mica::sql {

namespace {

using duckdb::AggregateFunction;
using duckdb::AggregateInputData;
using duckdb::hugeint_t;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;

struct SumState {
  hugeint_t sum;
  int64_t count;
};

// Both operations add up; they differ in what they give at the end.
struct AddUp {
  template <class STATE>
  static void Initialize(STATE& state) {
    state.sum = hugeint_t(0);
    state.count = 0;
  }
  template <class INPUT, class STATE, class OP>
  static void Operation(STATE& state, const INPUT& input, duckdb::AggregateUnaryInput&) {
    state.sum += hugeint_t(input);
    ++state.count;
  }
  template <class INPUT, class STATE, class OP>
  static void ConstantOperation(STATE& state, const INPUT& input, duckdb::AggregateUnaryInput&, duckdb::idx_t count) {
    state.sum += hugeint_t(input) * hugeint_t(static_cast<int64_t>(count));
    state.count += static_cast<int64_t>(count);
  }
  template <class STATE, class OP>
  static void Combine(const STATE& source, STATE& target, AggregateInputData&) {
    target.sum += source.sum;
    target.count += source.count;
  }
  static bool IgnoreNull() { return true; }
};

template <class T>
T Narrow(hugeint_t value) {
  T result;
  if (!duckdb::Hugeint::TryCast(value, result)) throw duckdb::OutOfRangeException("The sum does not fit its type");
  return result;
}

struct Total : AddUp {
  template <class T, class STATE>
  static void Finalize(STATE& state, T& target, duckdb::AggregateFinalizeData& data) {
    if (state.count == 0) {
      data.ReturnNull();
    } else {
      target = Narrow<T>(state.sum);
    }
  }
};

// NULL where the sum does not fit.
struct TotalOrNull : AddUp {
  template <class T, class STATE>
  static void Finalize(STATE& state, T& target, duckdb::AggregateFinalizeData& data) {
    if (state.count == 0 || !duckdb::Hugeint::TryCast(state.sum, target)) data.ReturnNull();
  }
};

struct WholeMean : AddUp {
  template <class T, class STATE>
  static void Finalize(STATE& state, T& target, duckdb::AggregateFinalizeData& data) {
    if (state.count == 0) {
      data.ReturnNull();
    } else {
      target = Narrow<T>(state.sum / hugeint_t(state.count));
    }
  }
};

struct ScaleData : public duckdb::FunctionData {
  hugeint_t factor = hugeint_t(1);  // brings the sum to the scale of the mean

  duckdb::unique_ptr<FunctionData> Copy() const override { return duckdb::make_uniq<ScaleData>(*this); }
  bool Equals(const FunctionData& other) const override { return factor == other.Cast<ScaleData>().factor; }
};

// Halves away from zero.
struct DecimalMean : AddUp {
  template <class T, class STATE>
  static void Finalize(STATE& state, T& target, duckdb::AggregateFinalizeData& data) {
    if (state.count == 0) {
      data.ReturnNull();
      return;
    }
    hugeint_t count(state.count), scaled = state.sum * data.input.bind_data->Cast<ScaleData>().factor;
    hugeint_t quotient = scaled / count, rest = scaled % count;
    if (rest < 0) rest = -rest;
    if (rest + rest >= count) quotient += scaled < 0 ? hugeint_t(-1) : hugeint_t(1);
    target = quotient;
  }
};

template <class INPUT, class RESULT, class OP>
AggregateFunction Whole(const LogicalType& type, const LogicalType& result) {
  auto function = AggregateFunction::UnaryAggregate<SumState, INPUT, RESULT, OP>(type, result);
  function.SetOrderDependent(duckdb::AggregateOrderDependent::NOT_ORDER_DEPENDENT);
  return function;
}

template <class OP>
void AddWhole(duckdb::AggregateFunctionSet* set, bool own_type) {
  LogicalType wide = LogicalType::BIGINT;
  if (own_type) {
    set->AddFunction(Whole<int8_t, int8_t, OP>(LogicalType::TINYINT, LogicalType::TINYINT));
    set->AddFunction(Whole<int16_t, int16_t, OP>(LogicalType::SMALLINT, LogicalType::SMALLINT));
    set->AddFunction(Whole<int32_t, int32_t, OP>(LogicalType::INTEGER, LogicalType::INTEGER));
  } else {
    set->AddFunction(Whole<int8_t, int64_t, OP>(LogicalType::TINYINT, wide));
    set->AddFunction(Whole<int16_t, int64_t, OP>(LogicalType::SMALLINT, wide));
    set->AddFunction(Whole<int32_t, int64_t, OP>(LogicalType::INTEGER, wide));
  }
  set->AddFunction(Whole<int64_t, int64_t, OP>(LogicalType::BIGINT, wide));
}

AggregateFunction MeanOf(const LogicalType& type, const LogicalType& result) {
  switch (type.InternalType()) {
    case duckdb::PhysicalType::INT16:
      return Whole<int16_t, hugeint_t, DecimalMean>(type, result);
    case duckdb::PhysicalType::INT32:
      return Whole<int32_t, hugeint_t, DecimalMean>(type, result);
    case duckdb::PhysicalType::INT64:
      return Whole<int64_t, hugeint_t, DecimalMean>(type, result);
    default:
      return Whole<hugeint_t, hugeint_t, DecimalMean>(type, result);
  }
}

template <bool kFlink>
duckdb::unique_ptr<duckdb::FunctionData> BindDecimalMean(
    duckdb::ClientContext&, AggregateFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  const LogicalType type = arguments[0]->return_type;
  int scale = duckdb::DecimalType::GetScale(type);
  // Spark: four more decimals. Flink: six at least.
  int result_scale = kFlink ? std::max(6, scale) : std::min(kMaxDecimalPrecision, scale + 4);
  auto data = duckdb::make_uniq<ScaleData>();
  for (int i = scale; i < result_scale; ++i) data->factor *= hugeint_t(10);
  std::string name = function.name;
  // The mean is computed in 128 bits, which have room for all digits of a DECIMAL(38).
  function = MeanOf(type, LogicalType::DECIMAL(kMaxDecimalPrecision, static_cast<uint8_t>(result_scale)));
  function.name = name;
  return data;
}

template <bool kFlink>
AggregateFunction DecimalMeanFunction() {
  auto function = Whole<hugeint_t, hugeint_t, DecimalMean>(LogicalTypeId::DECIMAL, LogicalTypeId::DECIMAL);
  function.bind = BindDecimalMean<kFlink>;
  return function;
}

}  // namespace

duckdb::AggregateFunctionSet NumberAggregates(const std::string& name, dialect::Dialect dialect) {
  bool flink = dialect == dialect::Dialect::kFlink;
  duckdb::AggregateFunctionSet set(name);
  if (name == "sum") {
    AddWhole<Total>(&set, flink);
  } else if (name == "try_sum") {
    AddWhole<TotalOrNull>(&set, false);
  } else if (name == "avg" || name == "mean" || name == "try_avg") {
    if (flink) AddWhole<WholeMean>(&set, true);
    set.AddFunction(flink ? DecimalMeanFunction<true>() : DecimalMeanFunction<false>());
  }
  return set;
}

}  // namespace mica::sql
