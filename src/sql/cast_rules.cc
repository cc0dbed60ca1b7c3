#include "sql/cast_rules.h"

#include <algorithm>
#include <cmath>

#include <duckdb/common/string_util.hpp>
#include <duckdb/common/types/hugeint.hpp>
#include <duckdb/common/vector_operations/unary_executor.hpp>
#include <duckdb/function/cast/cast_function_set.hpp>

namespace mica::sql {

namespace {

using duckdb::BoundCastInfo;
using duckdb::CastParameters;
using duckdb::hugeint_t;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::PhysicalType;
using duckdb::Vector;
using Fields = duckdb::child_list_t<LogicalType>;

// The engine's own cast, which comes after the cut.
struct WholeCast : public duckdb::BoundCastData {
  explicit WholeCast(BoundCastInfo own) : cast(std::move(own)) {}
  BoundCastInfo cast;

  duckdb::unique_ptr<BoundCastData> Copy() const override { return duckdb::make_uniq<WholeCast>(cast.Copy()); }
};

template <class T>
void CutFloating(Vector& source, Vector& whole, idx_t count) {
  duckdb::UnaryExecutor::Execute<T, T>(source, whole, count, [](T value) { return std::trunc(value); });
}

template <class T>
void CutDecimal(Vector& source, Vector& whole, idx_t count, T unit) {
  duckdb::UnaryExecutor::Execute<T, T>(source, whole, count,
                                       [unit](T value) { return static_cast<T>(value - value % unit); });
}

void Cut(Vector& source, Vector& whole, idx_t count) {
  const LogicalType& type = source.GetType();
  if (type.id() == LogicalTypeId::FLOAT) return CutFloating<float>(source, whole, count);
  if (type.id() == LogicalTypeId::DOUBLE) return CutFloating<double>(source, whole, count);
  const hugeint_t unit = duckdb::Hugeint::POWERS_OF_TEN[duckdb::DecimalType::GetScale(type)];
  switch (type.InternalType()) {
    case PhysicalType::INT16:
      return CutDecimal<int16_t>(source, whole, count, static_cast<int16_t>(unit.lower));
    case PhysicalType::INT32:
      return CutDecimal<int32_t>(source, whole, count, static_cast<int32_t>(unit.lower));
    case PhysicalType::INT64:
      return CutDecimal<int64_t>(source, whole, count, static_cast<int64_t>(unit.lower));
    default:
      return CutDecimal<hugeint_t>(source, whole, count, unit);
  }
}

bool CastWhole(Vector& source, Vector& result, idx_t count, CastParameters& parameters) {
  auto& own = parameters.cast_data->Cast<WholeCast>().cast;
  Vector whole(source.GetType(), count);
  Cut(source, whole, count);
  CastParameters rest(parameters, own.cast_data.get(), parameters.local_state);
  return own.function(whole, result, count, rest);
}

bool HasFraction(const LogicalType& type) {
  if (type.id() == LogicalTypeId::DECIMAL) return duckdb::DecimalType::GetScale(type) > 0;
  return type.id() == LogicalTypeId::FLOAT || type.id() == LogicalTypeId::DOUBLE;
}

BoundCastInfo BindWhole(duckdb::BindCastInput& input, const LogicalType& source, const LogicalType& target) {
  BoundCastInfo own = duckdb::DefaultCasts::GetDefaultCastFunction(input, source, target);
  if (!HasFraction(source)) return own;
  return BoundCastInfo(CastWhole, duckdb::make_uniq<WholeCast>(std::move(own)));
}

bool HasField(const Fields& fields, const std::string& name) {
  return std::any_of(fields.begin(), fields.end(),
                     [&](const auto& field) { return duckdb::StringUtil::CIEquals(field.first, name); });
}

// Fields go by their names where all are the target's, otherwise by their places, as struct(1, 'a') has no names to go
// by.
BoundCastInfo BindStruct(duckdb::BindCastInput& input, const LogicalType& source, const LogicalType& target) {
  const Fields& from = duckdb::StructType::GetChildTypes(source);
  Fields to = duckdb::StructType::GetChildTypes(target);
  const auto stranger =
      std::find_if(from.begin(), from.end(), [&](const auto& field) { return !HasField(to, field.first); });
  if (stranger != from.end() && !duckdb::StructType::IsUnnamed(source) && !duckdb::StructType::IsUnnamed(target)) {
    if (from.size() != to.size()) {
      throw duckdb::BinderException(
          "A struct with the field '%s' and %d in all is no %s. Give all of its fields in "
          "their order, or by their names",
          stranger->first, from.size(), target.ToString());
    }
    for (size_t i = 0; i < to.size(); ++i) to[i].first = from[i].first;
    return duckdb::DefaultCasts::GetDefaultCastFunction(input, source, LogicalType::STRUCT(std::move(to)));
  }
  return duckdb::DefaultCasts::GetDefaultCastFunction(input, source, target);
}

}  // namespace

void RegisterCasts(duckdb::DatabaseInstance& database) {
  auto& casts = duckdb::CastFunctionSet::Get(database);
  // What stands for all types of the kind where casts are looked up.
  const LogicalType any_decimal(LogicalTypeId::DECIMAL);
  const LogicalType any_struct = LogicalType::STRUCT({{"any", LogicalType::ANY}});
  for (const LogicalType& source : {any_decimal, LogicalType(LogicalType::FLOAT), LogicalType(LogicalType::DOUBLE)}) {
    for (const LogicalType& target : LogicalType::Integral()) casts.RegisterCastFunction(source, target, BindWhole);
  }
  // Without a cost no function would take a struct: the rules that DuckDB has for it are not asked then.
  casts.RegisterCastFunction(any_struct, any_struct, BindStruct, /*implicit_cast_cost=*/1);
}

}  // namespace mica::sql
