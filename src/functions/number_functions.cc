// Arithmetic that means something else in Spark and Flink than in DuckDB: division, dates and intervals, rounding of
// floating-point numbers, and what a cast to a whole number does with fractions.
#include <cmath>

#include <arrow/util/basic_decimal.h>

#include <duckdb/planner/expression/bound_cast_expression.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>

#include "functions/function_entries.h"
#include "types/decimal.h"
#include "types/number_text.h"

namespace mica::sql {

namespace {

using duckdb::ClientContext;
using duckdb::DataChunk;
using duckdb::Expression;
using duckdb::ExpressionState;
using duckdb::hugeint_t;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::string_t;
using duckdb::Vector;
using ExpressionPtr = duckdb::unique_ptr<Expression>;
using Children = duckdb::vector<ExpressionPtr>;

constexpr int kMinScale = 6;

ExpressionPtr Call(duckdb::ScalarFunction function, Children children) {
  LogicalType type = function.return_type;
  return duckdb::make_uniq<duckdb::BoundFunctionExpression>(type, std::move(function), std::move(children), nullptr);
}

ExpressionPtr Cast(ClientContext& context, ExpressionPtr value, const LogicalType& type) {
  return duckdb::BoundCastExpression::AddCastToType(context, std::move(value), type);
}

// ---- a / b ----

// Spark has no value for a division by 0; Flink fails where the operands are exact.
template <bool kSpark>
void DivideDoubles(DataChunk& arguments, ExpressionState&, Vector& result) {
  duckdb::BinaryExecutor::ExecuteWithNulls<double, double, double>(
      arguments.data[0], arguments.data[1], result, arguments.size(),
      [](double a, double b, duckdb::ValidityMask& mask, duckdb::idx_t row) {
        if (kSpark && b == 0) mask.SetInvalid(row);
        return a / b;
      });
}

[[noreturn]] void FailByZero() {
  throw duckdb::InvalidInputException("Division by zero. Use nullif(divisor, 0)");
}

void DivideWhole(DataChunk& arguments, ExpressionState&, Vector& result) {
  duckdb::BinaryExecutor::Execute<int64_t, int64_t, int64_t>(
      arguments.data[0], arguments.data[1], result, arguments.size(), [](int64_t a, int64_t b) -> int64_t {
        if (b == 0) FailByZero();
        if (a == INT64_MIN && b == -1) throw duckdb::OutOfRangeException("Overflow in a division by -1");
        return a / b;
      });
}

int DigitsOf(int64_t value) {
  int digits = 1;
  for (value = value < 0 ? -(value / 10) : value / 10; value != 0; value /= 10) ++digits;
  return digits;
}

// The decimal type that an operand counts as; nothing for floating-point numbers. Spark looks at the digits of
// literals.
std::optional<std::pair<int, int>> DecimalShape(const Expression& value, bool spark) {
  if (spark && value.GetExpressionClass() == duckdb::ExpressionClass::BOUND_CONSTANT &&
      value.return_type.IsIntegral()) {
    const auto& constant = value.Cast<duckdb::BoundConstantExpression>().value;
    if (!constant.IsNull() && value.return_type.id() != LogicalTypeId::HUGEINT) {
      return std::pair(DigitsOf(constant.GetValue<int64_t>()), 0);
    }
  }
  switch (value.return_type.id()) {
    case LogicalTypeId::TINYINT:
      return std::pair(3, 0);
    case LogicalTypeId::SMALLINT:
      return std::pair(5, 0);
    case LogicalTypeId::INTEGER:
      return std::pair(10, 0);
    case LogicalTypeId::BIGINT:
      return std::pair(spark ? 20 : 19, 0);
    case LogicalTypeId::DECIMAL:
      return std::pair(duckdb::DecimalType::GetWidth(value.return_type),
                       duckdb::DecimalType::GetScale(value.return_type));
    default:
      return std::nullopt;
  }
}

// The rule of Hive, which both follow: as many digits before the point as can come, six after it at least, 38 in all.
std::pair<int, int> QuotientShape(std::pair<int, int> a, std::pair<int, int> b) {
  int whole = a.first - a.second + b.second;
  int scale = std::max(kMinScale, a.second + b.first + 1);
  if (whole + scale <= kMaxDecimalPrecision) return {whole + scale, scale};
  scale = std::max(kMaxDecimalPrecision - whole, std::min(scale, kMinScale));
  return {kMaxDecimalPrecision, scale};
}

struct QuotientData : public duckdb::FunctionData {
  int shift = 0;      // digits by which the dividend moves to the left
  int precision = 0;  // of the result
  bool spark = false;

  duckdb::unique_ptr<FunctionData> Copy() const override { return duckdb::make_uniq<QuotientData>(*this); }
  bool Equals(const FunctionData& other) const override {
    const auto& o = other.Cast<QuotientData>();
    return shift == o.shift && precision == o.precision && spark == o.spark;
  }
};

arrow::BasicDecimal256 Wide(hugeint_t value) {
  return arrow::BasicDecimal256(arrow::BasicDecimal128(value.upper, value.lower));
}

// a * 10^shift / b, halves away from zero; nothing when it has more digits than the result.
std::optional<hugeint_t> Quotient(hugeint_t a, hugeint_t b, const QuotientData& data) {
  arrow::BasicDecimal256 dividend = Wide(a), divisor = Wide(b), quotient, rest;
  if (data.shift > 0) dividend = dividend.IncreaseScaleBy(data.shift);
  if (data.shift < 0) divisor = divisor.IncreaseScaleBy(-data.shift);
  dividend.Divide(divisor, &quotient, &rest);
  bool negative = (a < hugeint_t(0)) != (b < hugeint_t(0));
  rest.Abs();
  divisor.Abs();
  arrow::BasicDecimal256 twice = rest;
  twice += rest;
  if (!(twice < divisor)) quotient += arrow::BasicDecimal256(negative ? -1 : 1);
  if (!quotient.FitsInPrecision(data.precision)) return std::nullopt;
  const auto& words = quotient.native_endian_array();
  hugeint_t result;
  result.lower = words[0];
  result.upper = static_cast<int64_t>(words[1]);
  return result;
}

void DivideDecimals(DataChunk& arguments, ExpressionState& state, Vector& result) {
  const auto& data = state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<QuotientData>();
  duckdb::BinaryExecutor::ExecuteWithNulls<hugeint_t, hugeint_t, hugeint_t>(
      arguments.data[0], arguments.data[1], result, arguments.size(),
      [&](hugeint_t a, hugeint_t b, duckdb::ValidityMask& mask, duckdb::idx_t row) {
        if (b == hugeint_t(0)) {
          if (!data.spark) FailByZero();
          mask.SetInvalid(row);
          return hugeint_t(0);
        }
        auto quotient = Quotient(a, b, data);
        if (!quotient) mask.SetInvalid(row);
        return quotient.value_or(hugeint_t(0));
      });
}

ExpressionPtr Divide(duckdb::FunctionBindExpressionInput& input, bool spark) {
  auto& children = input.children;
  for (const auto& child : children) {
    LogicalTypeId type = child->return_type.id();
    if (type == LogicalTypeId::INTERVAL) return CallSystem(input.context, "/", std::move(children), true);
  }
  auto a = DecimalShape(*children[0], spark), b = DecimalShape(*children[1], spark);
  bool decimal = children[0]->return_type.id() == LogicalTypeId::DECIMAL ||
                 children[1]->return_type.id() == LogicalTypeId::DECIMAL;
  if (a && b && decimal) {
    auto [precision, scale] = QuotientShape(*a, *b);
    auto data = duckdb::make_uniq<QuotientData>();
    data->shift = scale + b->second - a->second;
    data->precision = precision;
    data->spark = spark;
    LogicalType type = LogicalType::DECIMAL(precision, scale);
    // 128 bits for the operands and the result, whatever their precision.
    LogicalType left = LogicalType::DECIMAL(kMaxDecimalPrecision, a->second),
                right = LogicalType::DECIMAL(kMaxDecimalPrecision, b->second);
    children[0] = Cast(input.context, std::move(children[0]), left);
    children[1] = Cast(input.context, std::move(children[1]), right);
    LogicalType wide = LogicalType::DECIMAL(kMaxDecimalPrecision, scale);
    duckdb::ScalarFunction function("divide", {left, right}, wide, DivideDecimals);
    auto quotient = duckdb::make_uniq<duckdb::BoundFunctionExpression>(wide, std::move(function), std::move(children),
                                                                       std::move(data));
    return Cast(input.context, std::move(quotient), type);
  }
  if (a && b && !spark) {
    LogicalType type = LogicalType::MaxLogicalType(input.context, children[0]->return_type, children[1]->return_type);
    for (auto& child : children) child = Cast(input.context, std::move(child), LogicalType::BIGINT);
    duckdb::ScalarFunction function("divide", {LogicalType::BIGINT, LogicalType::BIGINT}, LogicalType::BIGINT,
                                    DivideWhole);
    return Cast(input.context, Call(std::move(function), std::move(children)), type);
  }
  for (auto& child : children) child = Cast(input.context, std::move(child), LogicalType::DOUBLE);
  duckdb::ScalarFunction function("divide", {LogicalType::DOUBLE, LogicalType::DOUBLE}, LogicalType::DOUBLE,
                                  spark ? DivideDoubles<true> : DivideDoubles<false>);
  return Call(std::move(function), std::move(children));
}

ExpressionPtr SparkDivide(duckdb::FunctionBindExpressionInput& input) {
  return Divide(input, true);
}
ExpressionPtr FlinkDivide(duckdb::FunctionBindExpressionInput& input) {
  return Divide(input, false);
}

// ---- round ----

// Of the shortest decimal that is this double, so that 1.005 rounds to 1.01.
double RoundDouble(double value, int32_t digits) {
  constexpr int kDoubleDigits = 17;
  if (!std::isfinite(value) || value == 0) return value;
  int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  if (digits > kDoubleDigits - magnitude) return value;
  if (magnitude + digits + 1 < 0) return 0;
  // Through decimals where the digits fit, and by scaling beyond.
  if (magnitude < kMaxDecimalPrecision - kDoubleDigits && digits >= 0 && digits <= kDoubleDigits) {
    auto exact = DecimalFromString(DoubleToString(value), kMaxDecimalPrecision, digits);
    if (exact) return std::stod(DecimalToString(*exact, digits));
  }
  double scale = std::pow(10.0, digits);
  return std::round(value * scale) / scale;
}

void Round(DataChunk& arguments, ExpressionState&, Vector& result) {
  duckdb::BinaryExecutor::Execute<double, int32_t, double>(arguments.data[0], arguments.data[1], result,
                                                           arguments.size(), RoundDouble);
}

ExpressionPtr BindRound(duckdb::FunctionBindExpressionInput& input) {
  auto& children = input.children;
  if (children.empty() || children.size() > 2)
    throw duckdb::BinderException("round needs a number and, at most, digits");
  bool floating = children[0]->return_type.IsFloating();
  if (!floating) return CallSystem(input.context, "round", std::move(children));
  LogicalType type = children[0]->return_type;
  if (children.size() == 1)
    children.push_back(duckdb::make_uniq<duckdb::BoundConstantExpression>(duckdb::Value::INTEGER(0)));
  children[0] = Cast(input.context, std::move(children[0]), LogicalType::DOUBLE);
  children[1] = Cast(input.context, std::move(children[1]), LogicalType::INTEGER);
  duckdb::ScalarFunction function("round", {LogicalType::DOUBLE, LogicalType::INTEGER}, LogicalType::DOUBLE, Round);
  return Cast(input.context, Call(std::move(function), std::move(children)), type);
}

// ---- ceil and floor ----

// The number divided by a power of ten, up or down to a whole one, and multiplied again where whole digits go.
struct CutData : public duckdb::FunctionData {
  int divided = 0, multiplied = 0;  // by these powers
  bool up = false;

  duckdb::unique_ptr<FunctionData> Copy() const override { return duckdb::make_uniq<CutData>(*this); }
  bool Equals(const FunctionData& other) const override {
    const auto& o = other.Cast<CutData>();
    return divided == o.divided && multiplied == o.multiplied && up == o.up;
  }
};

void CutDigits(DataChunk& arguments, ExpressionState& state, Vector& result) {
  const auto& data = state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<CutData>();
  const hugeint_t divisor = duckdb::Hugeint::POWERS_OF_TEN[data.divided];
  const hugeint_t factor = duckdb::Hugeint::POWERS_OF_TEN[data.multiplied];
  duckdb::UnaryExecutor::Execute<hugeint_t, hugeint_t>(arguments.data[0], result, arguments.size(),
                                                       [&](hugeint_t value) {
                                                         hugeint_t quotient = value / divisor;
                                                         const hugeint_t rest = value % divisor;
                                                         if (data.up && rest > hugeint_t(0)) quotient += hugeint_t(1);
                                                         if (!data.up && rest < hugeint_t(0)) quotient -= hugeint_t(1);
                                                         return quotient * factor;
                                                       });
}

// Where digits are given Spark makes decimals of all numbers, and without them of decimals.
ExpressionPtr BindCut(duckdb::FunctionBindExpressionInput& input, bool up) {
  auto& children = input.children;
  const char* name = up ? "ceil" : "floor";
  if (children.size() > 2) throw duckdb::BinderException("%s needs a number and, at most, digits", std::string(name));
  const bool decimal = children[0]->return_type.id() == LogicalTypeId::DECIMAL;
  if (children.size() == 1 && !decimal) {
    return Cast(input.context, CallSystem(input.context, name, std::move(children)), LogicalType::BIGINT);
  }
  int digits = 0;
  if (children.size() == 2) {
    if (!children[1]->IsFoldable())
      throw duckdb::BinderException("The digits of %s have to be a constant", std::string(name));
    const auto given = duckdb::ExpressionExecutor::EvaluateScalar(input.context, *children[1]);
    if (given.IsNull()) return duckdb::make_uniq<duckdb::BoundConstantExpression>(duckdb::Value(LogicalType::DOUBLE));
    digits = given.GetValue<int32_t>();
    children.pop_back();
  }
  constexpr int kLongDigits = 20, kDoubleDigits = 30, kDoubleScale = 15;
  auto [width, scale] = DecimalShape(*children[0], false).value_or(std::pair(kDoubleDigits, kDoubleScale));
  if (children[0]->return_type.id() == LogicalTypeId::BIGINT) width = kLongDigits;
  if (digits > scale) digits = scale;
  const int divided = scale - digits, multiplied = std::max(0, -digits);
  if (divided >= kMaxDecimalPrecision || multiplied >= kMaxDecimalPrecision) {
    throw duckdb::BinderException("%s cuts %d digits at most", std::string(name), kMaxDecimalPrecision - 1 - scale);
  }
  auto data = duckdb::make_uniq<CutData>();
  data->divided = divided;
  data->multiplied = multiplied;
  data->up = up;
  const int result_scale = std::max(0, digits);
  const int whole = std::max(width - scale + 1, multiplied + 1);
  const LogicalType wide = LogicalType::DECIMAL(kMaxDecimalPrecision, static_cast<uint8_t>(scale));
  const LogicalType type = LogicalType::DECIMAL(kMaxDecimalPrecision, static_cast<uint8_t>(result_scale));
  // Through a decimal, so that what does not fit it is NULL or an error as in a cast.
  children[0] = Cast(input.context, std::move(children[0]),
                     LogicalType::DECIMAL(static_cast<uint8_t>(width), static_cast<uint8_t>(scale)));
  children[0] = Cast(input.context, std::move(children[0]), wide);
  duckdb::ScalarFunction function(name, {wide}, type, CutDigits);
  auto cut = duckdb::make_uniq<duckdb::BoundFunctionExpression>(type, std::move(function), std::move(children),
                                                                std::move(data));
  const int precision = std::min(whole + result_scale, static_cast<int>(kMaxDecimalPrecision));
  return Cast(input.context, std::move(cut),
              LogicalType::DECIMAL(static_cast<uint8_t>(precision), static_cast<uint8_t>(result_scale)));
}

ExpressionPtr Ceil(duckdb::FunctionBindExpressionInput& input) {
  return BindCut(input, true);
}
ExpressionPtr Floor(duckdb::FunctionBindExpressionInput& input) {
  return BindCut(input, false);
}

// ---- what CAST(x AS INT) casts ----

void TruncateText(DataChunk& arguments, ExpressionState&, Vector& result) {
  duckdb::UnaryExecutor::Execute<string_t, string_t>(arguments.data[0], result, arguments.size(), [&](string_t text) {
    std::string_view view(text.GetData(), text.GetSize());
    // A whole number before a point and digits; other texts are for the cast to judge.
    size_t point = view.find('.');
    bool digits =
        point != std::string_view::npos && view.find_first_not_of("0123456789 ", point + 1) == std::string_view::npos;
    if (!digits || view.find_first_of("0123456789") > point) return duckdb::StringVector::AddString(result, text);
    return duckdb::StringVector::AddString(result, view.data(), point);
  });
}

ExpressionPtr Truncate(duckdb::FunctionBindExpressionInput& input, bool spark) {
  auto& child = input.children[0];
  switch (child->return_type.id()) {
    // The cast cuts too (cast_rules.h), but the optimizer takes its bounds to be rounded.
    case LogicalTypeId::FLOAT:
    case LogicalTypeId::DOUBLE:
    case LogicalTypeId::DECIMAL:
      return CallSystem(input.context, "trunc", std::move(input.children));
    case LogicalTypeId::VARCHAR: {
      duckdb::ScalarFunction function("mica_truncate", {LogicalType::VARCHAR}, LogicalType::VARCHAR, TruncateText);
      return Call(std::move(function), std::move(input.children));
    }
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ: {
      if (!spark) return std::move(child);
      // Seconds since 1970.
      child = Cast(input.context, std::move(child), LogicalType::TIMESTAMP_TZ);
      Children seconds;
      seconds.push_back(CallSystem(input.context, "epoch", std::move(input.children)));
      return CallSystem(input.context, "floor", std::move(seconds));
    }
    default:
      return std::move(child);
  }
}

ExpressionPtr SparkTruncate(duckdb::FunctionBindExpressionInput& input) {
  return Truncate(input, true);
}
ExpressionPtr FlinkTruncate(duckdb::FunctionBindExpressionInput& input) {
  return Truncate(input, false);
}

// Before a cast to an instant: numbers are seconds since 1970.
ExpressionPtr Moment(duckdb::FunctionBindExpressionInput& input) {
  auto& child = input.children[0];
  if (!child->return_type.IsNumeric()) return std::move(child);
  child = Cast(input.context, std::move(child), LogicalType::DOUBLE);
  return CallSystem(input.context, "to_timestamp", std::move(input.children));
}

// ---- a + b, a - b ----

bool IsDays(ClientContext& context, const Expression& value) {
  if (value.return_type.id() != LogicalTypeId::INTERVAL || !value.IsFoldable()) return false;
  const duckdb::Value interval = duckdb::ExpressionExecutor::EvaluateScalar(context, value);
  return !interval.IsNull() && interval.GetValue<duckdb::interval_t>().micros == 0;
}

// A date stays one where whole days or months are added. Between dates lie days, which Spark has as an interval.
ExpressionPtr AddOrSubtract(duckdb::FunctionBindExpressionInput& input, const char* name, bool spark) {
  auto& children = input.children;
  if (children.size() != 2) return CallSystem(input.context, name, std::move(children), true);
  auto is_date = [&](size_t i) { return children[i]->return_type.id() == LogicalTypeId::DATE; };
  const bool date =
      (is_date(0) && IsDays(input.context, *children[1])) || (is_date(1) && IsDays(input.context, *children[0]));
  const bool between = spark && *name == '-' && is_date(0) && is_date(1);
  auto result = CallSystem(input.context, name, std::move(children), true);
  if (date) return Cast(input.context, std::move(result), LogicalType::DATE);
  if (!between) return result;
  Children days;
  days.push_back(Cast(input.context, std::move(result), LogicalType::INTEGER));
  return CallSystem(input.context, "to_days", std::move(days));
}

ExpressionPtr SparkAdd(duckdb::FunctionBindExpressionInput& input) {
  return AddOrSubtract(input, "+", true);
}
ExpressionPtr SparkSubtract(duckdb::FunctionBindExpressionInput& input) {
  return AddOrSubtract(input, "-", true);
}
ExpressionPtr FlinkAdd(duckdb::FunctionBindExpressionInput& input) {
  return AddOrSubtract(input, "+", false);
}
ExpressionPtr FlinkSubtract(duckdb::FunctionBindExpressionInput& input) {
  return AddOrSubtract(input, "-", false);
}

}  // namespace

duckdb::ScalarFunctionSet NumberFunctions(const std::string& name, dialect::Dialect dialect) {
  bool spark = dialect == dialect::Dialect::kSpark;
  if (name == "/") return BoundFunction(spark ? SparkDivide : FlinkDivide, 2);
  if (name == "+") return BoundFunction(spark ? SparkAdd : FlinkAdd, 1, /*more=*/true);
  if (name == "-") return BoundFunction(spark ? SparkSubtract : FlinkSubtract, 1, /*more=*/true);
  if (name == "ceil" || name == "ceiling") return BoundFunction(Ceil, 1, /*more=*/true);
  if (name == "floor") return BoundFunction(Floor, 1, /*more=*/true);
  if (name == "round") return BoundFunction(BindRound, 1, /*more=*/true);
  if (name == "mica_moment") return BoundFunction(Moment, 1);
  if (name == "mica_truncate") return BoundFunction(spark ? SparkTruncate : FlinkTruncate, 1);
  return duckdb::ScalarFunctionSet();
}

}  // namespace mica::sql
