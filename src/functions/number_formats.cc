// Numbers as texts in a format, and back: format_number, to_char and to_number.
#include <duckdb/execution/expression_executor.hpp>
#include <duckdb/planner/expression/bound_cast_expression.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>

#include "engine/guard.h"
#include "functions/function_entries.h"
#include "types/digit_format.h"
#include "types/number_pattern.h"

namespace mica::sql {

namespace {

using duckdb::DataChunk;
using duckdb::Expression;
using duckdb::ExpressionState;
using duckdb::hugeint_t;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::string_t;
using duckdb::StringVector;
using duckdb::ValidityMask;
using duckdb::Value;
using duckdb::Vector;
using ExpressionPtr = duckdb::unique_ptr<Expression>;
using Children = duckdb::vector<ExpressionPtr>;

ExpressionPtr Cast(duckdb::FunctionBindExpressionInput& input, ExpressionPtr value, const LogicalType& type) {
  return duckdb::BoundCastExpression::AddCastToType(input.context, std::move(value), type);
}

ExpressionPtr Call(duckdb::ScalarFunction function, Children children, duckdb::unique_ptr<duckdb::FunctionData> data) {
  const LogicalType type = function.return_type;
  return duckdb::make_uniq<duckdb::BoundFunctionExpression>(type, std::move(function), std::move(children),
                                                            std::move(data));
}

std::string_view ViewOf(const string_t& text) {
  return {text.GetData(), text.GetSize()};
}

// ---- format_number(x, digits), format_number(x, pattern) ----

// NULL below 0.
std::optional<NumberPattern> PatternOf(int32_t digits) {
  return digits < 0 ? std::nullopt : std::optional(NumberPattern::Decimals(digits));
}
std::optional<NumberPattern> PatternOf(const string_t& pattern) {
  return NumberPattern(ViewOf(pattern));
}

// The pattern of the row before, which most rows have too.
template <typename Given>
class LastPattern {
 public:
  const std::optional<NumberPattern>& Of(const Given& given) {
    const std::string key = Key(given);
    if (!known_ || key != key_) {
      pattern_ = Guard([&] { return PatternOf(given); });
      key_ = key;
      known_ = true;
    }
    return pattern_;
  }

 private:
  static std::string Key(int32_t digits) { return std::to_string(digits); }
  static std::string Key(const string_t& pattern) { return pattern.GetString(); }

  std::optional<NumberPattern> pattern_;
  std::string key_;
  bool known_ = false;
};

// Exact numbers come as texts.
template <typename Number, typename Given>
void FormatNumber(DataChunk& arguments, ExpressionState&, Vector& result) {
  LastPattern<Given> last;
  duckdb::BinaryExecutor::ExecuteWithNulls<Number, Given, string_t>(
      arguments.data[0], arguments.data[1], result, arguments.size(),
      [&](Number number, Given given, ValidityMask& mask, idx_t row) {
        const auto& pattern = last.Of(given);
        if (!pattern) {
          mask.SetInvalid(row);
          return string_t();
        }
        if constexpr (std::is_same_v<Number, double>)
          return StringVector::AddString(result, pattern->Format(number));
        else
          return StringVector::AddString(result, pattern->FormatDecimal(ViewOf(number)));
      });
}

ExpressionPtr BindFormatNumber(duckdb::FunctionBindExpressionInput& input) {
  auto& children = input.children;
  const LogicalType& type = children[0]->return_type;
  const bool exact = type.IsIntegral() || type.id() == LogicalTypeId::DECIMAL;
  const bool pattern = children[1]->return_type.id() == LogicalTypeId::VARCHAR;
  const LogicalType number = exact ? LogicalType::VARCHAR : LogicalType::DOUBLE;
  const LogicalType given = pattern ? LogicalType::VARCHAR : LogicalType::INTEGER;
  children[0] = Cast(input, std::move(children[0]), number);
  children[1] = Cast(input, std::move(children[1]), given);
  const duckdb::scalar_function_t format =
      exact ? (pattern ? FormatNumber<string_t, string_t> : FormatNumber<string_t, int32_t>)
            : (pattern ? FormatNumber<double, string_t> : FormatNumber<double, int32_t>);
  return Call({"mica_format_number", {number, given}, LogicalType::VARCHAR, format}, std::move(children), nullptr);
}

// ---- to_char(number, format), to_number(text, format) ----

struct FormatData : public duckdb::FunctionData {
  std::string text;
  std::shared_ptr<const DigitFormat> format;
  bool fails = false;  // where a text is not of the format; NULL otherwise

  duckdb::unique_ptr<FunctionData> Copy() const override { return duckdb::make_uniq<FormatData>(*this); }
  bool Equals(const FunctionData& other) const override {
    const auto& o = other.Cast<FormatData>();
    return text == o.text && fails == o.fails;
  }
};

// Takes the format, which has to be a constant, off the children; nothing for NULL.
duckdb::unique_ptr<FormatData> TakeFormat(duckdb::FunctionBindExpressionInput& input, const char* function) {
  auto& children = input.children;
  if (!children[1]->IsFoldable()) {
    throw duckdb::BinderException("The format of %s has to be a constant", std::string(function));
  }
  const Value given = duckdb::ExpressionExecutor::EvaluateScalar(input.context, *children[1]);
  children.pop_back();
  if (given.IsNull()) return nullptr;
  auto data = duckdb::make_uniq<FormatData>();
  data->text = given.ToString();
  data->format = Guard([&] { return std::make_shared<const DigitFormat>(data->text); });
  return data;
}

const FormatData& DataOf(ExpressionState& state) {
  return state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<FormatData>();
}

void WriteDigits(DataChunk& arguments, ExpressionState& state, Vector& result) {
  const DigitFormat& format = *DataOf(state).format;
  duckdb::UnaryExecutor::Execute<string_t, string_t>(arguments.data[0], result, arguments.size(), [&](string_t number) {
    return StringVector::AddString(result, format.Write(ViewOf(number)));
  });
}

ExpressionPtr BindToChar(duckdb::FunctionBindExpressionInput& input) {
  auto data = TakeFormat(input, "to_char");
  auto& number = input.children[0];
  const bool fits = number->return_type.IsNumeric() || number->return_type.id() == LogicalTypeId::SQLNULL ||
                    number->return_type.id() == LogicalTypeId::VARCHAR;
  if (!fits)
    throw duckdb::BinderException("to_char is for numbers; date_format writes times, and hex and base64 bytes");
  // Of these digits of a floating-point number Spark makes a decimal.
  if (number->return_type.id() == LogicalTypeId::FLOAT)
    number = Cast(input, std::move(number), LogicalType::DECIMAL(14, 7));
  const bool exact = number->return_type.IsIntegral() || number->return_type.id() == LogicalTypeId::DECIMAL;
  if (!exact) number = Cast(input, std::move(number), LogicalType::DECIMAL(30, 15));
  if (!data) return duckdb::make_uniq<duckdb::BoundConstantExpression>(Value(LogicalType::VARCHAR));
  number = Cast(input, std::move(number), LogicalType::VARCHAR);
  return Call({"mica_write_digits", {LogicalType::VARCHAR}, LogicalType::VARCHAR, WriteDigits},
              std::move(input.children), std::move(data));
}

void ReadDigits(DataChunk& arguments, ExpressionState& state, Vector& result) {
  const FormatData& data = DataOf(state);
  duckdb::UnaryExecutor::ExecuteWithNulls<string_t, hugeint_t>(
      arguments.data[0], result, arguments.size(), [&](string_t text, ValidityMask& mask, idx_t row) {
        const auto value = data.format->Parse(ViewOf(text));
        if (!value && data.fails) {
          throw duckdb::InvalidInputException("The text '%s' is not of the format '%s'. try_to_number gives NULL then",
                                              text.GetString(), data.text);
        }
        hugeint_t number(0);
        if (!value) {
          mask.SetInvalid(row);
        } else {
          number.lower = static_cast<uint64_t>(*value);
          number.upper = static_cast<int64_t>(*value >> 64);
        }
        return number;
      });
}

template <bool kFails>
ExpressionPtr BindToNumber(duckdb::FunctionBindExpressionInput& input) {
  auto data = TakeFormat(input, kFails ? "to_number" : "try_to_number");
  if (!data) return duckdb::make_uniq<duckdb::BoundConstantExpression>(Value(LogicalType::DECIMAL(38, 0)));
  data->fails = kFails;
  const auto precision = static_cast<uint8_t>(data->format->precision()),
             scale = static_cast<uint8_t>(data->format->scale());
  input.children[0] = Cast(input, std::move(input.children[0]), LogicalType::VARCHAR);
  // Computed in 128 bits, whatever the precision.
  auto number = Call({"mica_read_digits", {LogicalType::VARCHAR}, LogicalType::DECIMAL(38, scale), ReadDigits},
                     std::move(input.children), std::move(data));
  return Cast(input, std::move(number), LogicalType::DECIMAL(precision, scale));
}

}  // namespace

duckdb::ScalarFunctionSet NumberFormats(const std::string& name, dialect::Dialect) {
  if (name == "format_number") return BoundFunction(BindFormatNumber, 2);
  if (name == "to_char" || name == "to_varchar") return BoundFunction(BindToChar, 2);
  if (name == "to_number") return BoundFunction(BindToNumber<true>, 2);
  if (name == "try_to_number") return BoundFunction(BindToNumber<false>, 2);
  return duckdb::ScalarFunctionSet();
}

}  // namespace mica::sql
