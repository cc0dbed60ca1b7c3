// Functions over single values that DuckDB has no counterpart for: patterns of dates and numbers, checksums, numbers
// of any base, and texts as Java writes them.
#include <array>
#include <cmath>

#include <zlib.h>

#include <duckdb/execution/expression_executor.hpp>
#include <duckdb/planner/expression/bound_cast_expression.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>

#include "base/sha2.h"
#include "base/text.h"
#include "engine/guard.h"
#include "functions/function_entries.h"
#include "types/number_text.h"
#include "types/time_pattern.h"

namespace mica::sql {

namespace {

using duckdb::DataChunk;
using duckdb::Expression;
using duckdb::ExpressionState;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::string_t;
using duckdb::StringVector;
using duckdb::Vector;

// The pattern where it is a constant of the statement.
struct PatternData : public duckdb::FunctionData {
  std::string text;
  std::shared_ptr<const TimePattern> pattern;

  duckdb::unique_ptr<FunctionData> Copy() const override { return duckdb::make_uniq<PatternData>(*this); }
  bool Equals(const FunctionData& other) const override { return text == other.Cast<PatternData>().text; }
};

duckdb::unique_ptr<duckdb::FunctionData> BindPattern(duckdb::ClientContext& context, duckdb::ScalarFunction&,
                                                     duckdb::vector<duckdb::unique_ptr<Expression>>& arguments) {
  return Guard([&]() -> duckdb::unique_ptr<duckdb::FunctionData> {
    auto data = duckdb::make_uniq<PatternData>();
    if (arguments[1]->IsFoldable()) {
      duckdb::Value value = duckdb::ExpressionExecutor::EvaluateScalar(context, *arguments[1]);
      if (!value.IsNull()) {
        data->text = value.ToString();
        data->pattern = std::make_shared<TimePattern>(data->text);
      }
    }
    return data;
  });
}

// Keeps the pattern of the row before when patterns come from rows.
class PatternOf {
 public:
  explicit PatternOf(ExpressionState& state)
      : fixed_(state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<PatternData>().pattern) {}

  const TimePattern& operator()(string_t text) {
    if (fixed_) return *fixed_;
    std::string_view view(text.GetData(), text.GetSize());
    if (!last_ || view != last_text_) {
      last_.emplace(view);
      last_text_ = view;
    }
    return *last_;
  }

 private:
  std::shared_ptr<const TimePattern> fixed_;
  std::optional<TimePattern> last_;
  std::string last_text_;
};

void FormatTime(DataChunk& arguments, ExpressionState& state, Vector& result) {
  Guard([&] {
    PatternOf pattern(state);
    std::string text;
    duckdb::BinaryExecutor::ExecuteWithNulls<duckdb::timestamp_t, string_t, string_t>(
        arguments.data[0], arguments.data[1], result, arguments.size(),
        [&](duckdb::timestamp_t time, string_t format, duckdb::ValidityMask& mask, duckdb::idx_t row) {
          if (!duckdb::Timestamp::IsFinite(time)) {
            mask.SetInvalid(row);
            return string_t();
          }
          text.clear();
          pattern(format).Append(time.value, &text);
          return StringVector::AddString(result, text);
        });
  });
}

void ParseTime(DataChunk& arguments, ExpressionState& state, Vector& result) {
  Guard([&] {
    PatternOf pattern(state);
    duckdb::BinaryExecutor::ExecuteWithNulls<string_t, string_t, duckdb::timestamp_t>(
        arguments.data[0], arguments.data[1], result, arguments.size(),
        [&](string_t text, string_t format, duckdb::ValidityMask& mask, duckdb::idx_t row) {
          auto micros = pattern(format).Parse({text.GetData(), text.GetSize()});
          if (!micros) mask.SetInvalid(row);
          return duckdb::timestamp_t(micros.value_or(0));
        });
  });
}

void Crc32(DataChunk& arguments, ExpressionState&, Vector& result) {
  duckdb::UnaryExecutor::Execute<string_t, int64_t>(arguments.data[0], result, arguments.size(), [](string_t bytes) {
    const auto* data = reinterpret_cast<const Bytef*>(bytes.GetData());
    return static_cast<int64_t>(crc32(0, data, static_cast<uInt>(bytes.GetSize())));
  });
}

void CheckSum(DataChunk& arguments, ExpressionState&, Vector& result) {
  duckdb::BinaryExecutor::ExecuteWithNulls<string_t, int32_t, string_t>(
      arguments.data[0], arguments.data[1], result, arguments.size(),
      [&](string_t bytes, int32_t bits, duckdb::ValidityMask& mask, duckdb::idx_t row) {
        const std::string digits = Sha2({bytes.GetData(), bytes.GetSize()}, bits);
        if (digits.empty()) mask.SetInvalid(row);
        return StringVector::AddString(result, digits);
      });
}

// Java's Long.parseUnsignedLong and toString with a radix; a negative target base gives a signed number.
std::optional<std::string> Convert(std::string_view text, int from, int to) {
  int base = std::abs(to);
  if (from < 2 || from > 36 || base < 2 || base > 36) return std::nullopt;
  size_t at = text.find_first_not_of(' ');
  if (at == std::string_view::npos) return std::nullopt;
  bool negative = text[at] == '-';
  if (negative) ++at;
  uint64_t value = 0;
  bool overflow = false;
  for (; at < text.size(); ++at) {
    char c = text[at];
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'z' ? c - 'a' + 10
                : c >= 'A' && c <= 'Z' ? c - 'A' + 10
                                       : 99;
    if (digit >= from) break;
    overflow = overflow || value > (UINT64_MAX - static_cast<uint64_t>(digit)) / static_cast<uint64_t>(from);
    value = value * static_cast<uint64_t>(from) + static_cast<uint64_t>(digit);
  }
  if (overflow) value = UINT64_MAX;
  if (negative && !overflow) value = ~value + 1;
  bool minus = to < 0 && static_cast<int64_t>(value) < 0;
  if (minus) value = ~value + 1;
  std::string digits;
  do {
    uint64_t digit = value % static_cast<uint64_t>(base);
    digits.insert(digits.begin(), static_cast<char>(digit < 10 ? '0' + digit : 'A' + digit - 10));
    value /= static_cast<uint64_t>(base);
  } while (value != 0);
  return minus ? "-" + digits : digits;
}

void Conv(DataChunk& arguments, ExpressionState&, Vector& result) {
  duckdb::TernaryExecutor::ExecuteWithNulls<string_t, int32_t, int32_t, string_t>(
      arguments.data[0], arguments.data[1], arguments.data[2], result, arguments.size(),
      [&](string_t text, int32_t from, int32_t to, duckdb::ValidityMask& mask, duckdb::idx_t row) {
        auto converted = Convert({text.GetData(), text.GetSize()}, from, to);
        if (converted) return StringVector::AddString(result, *converted);
        mask.SetInvalid(row);
        return string_t();
      });
}

// A text that does not begin with a letter stays as it is.
std::string SoundexOf(std::string_view text) {
  //                                       ABCDEFGHIJKLMNOPQRSTUVWXYZ; 7: H and W part nothing
  static constexpr std::string_view kCodes = "01230127022455012623017202";
  auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  if (text.empty() || !letter(text[0])) return std::string(text);
  std::string out(1, static_cast<char>(text[0] & ~0x20));
  char last = kCodes[static_cast<size_t>(out[0] - 'A')];
  for (size_t i = 1; i < text.size() && out.size() < 4; ++i) {
    if (!letter(text[i])) {
      last = '0';
      continue;
    }
    char code = kCodes[static_cast<size_t>((text[i] & ~0x20) - 'A')];
    if (code == '7') continue;
    if (code != '0' && code != last) out += code;
    last = code;
  }
  out.resize(4, '0');
  return out;
}

void Soundex(DataChunk& arguments, ExpressionState&, Vector& result) {
  duckdb::UnaryExecutor::Execute<string_t, string_t>(arguments.data[0], result, arguments.size(), [&](string_t text) {
    return StringVector::AddString(result, SoundexOf({text.GetData(), text.GetSize()}));
  });
}

void DoubleText(DataChunk& arguments, ExpressionState&, Vector& result) {
  duckdb::UnaryExecutor::Execute<double, string_t>(arguments.data[0], result, arguments.size(), [&](double value) {
    return StringVector::AddString(result, DoubleToString(value));
  });
}

void FloatText(DataChunk& arguments, ExpressionState&, Vector& result) {
  duckdb::UnaryExecutor::Execute<float, string_t>(arguments.data[0], result, arguments.size(), [&](float value) {
    return StringVector::AddString(result, FloatToString(value));
  });
}

// Flink writes booleans in upper case.
void UpperBoolean(DataChunk& arguments, ExpressionState&, Vector& result) {
  duckdb::UnaryExecutor::Execute<bool, string_t>(arguments.data[0], result, arguments.size(), [](bool value) {
    return value ? string_t("TRUE", 4) : string_t("FALSE", 5);
  });
}

duckdb::unique_ptr<Expression> TextOf(duckdb::FunctionBindExpressionInput& input, bool upper_boolean) {
  auto& child = input.children[0];
  duckdb::scalar_function_t write;
  switch (child->return_type.id()) {
    case LogicalTypeId::DOUBLE:
      write = DoubleText;
      break;
    case LogicalTypeId::FLOAT:
      write = FloatText;
      break;
    case LogicalTypeId::BOOLEAN:
      if (!upper_boolean) return std::move(child);
      write = UpperBoolean;
      break;
    default:
      return std::move(child);
  }
  duckdb::ScalarFunction function("mica_text", {child->return_type}, LogicalType::VARCHAR, write);
  duckdb::vector<duckdb::unique_ptr<Expression>> children;
  children.push_back(std::move(child));
  return duckdb::make_uniq<duckdb::BoundFunctionExpression>(LogicalType::VARCHAR, std::move(function),
                                                            std::move(children), nullptr);
}

duckdb::unique_ptr<Expression> JavaText(duckdb::FunctionBindExpressionInput& input) {
  return TextOf(input, false);
}
duckdb::unique_ptr<Expression> FlinkText(duckdb::FunctionBindExpressionInput& input) {
  return TextOf(input, true);
}

duckdb::ScalarFunctionSet One(duckdb::ScalarFunction function) {
  duckdb::ScalarFunctionSet set;
  set.AddFunction(std::move(function));
  return set;
}

}  // namespace

duckdb::ScalarFunctionSet ValueFunctions(const std::string& name, dialect::Dialect dialect) {
  const LogicalType text = LogicalType::VARCHAR, integer = LogicalType::INTEGER;
  if (name == "mica_format_time") return One({{LogicalType::TIMESTAMP, text}, text, FormatTime, BindPattern});
  if (name == "mica_parse_time") return One({{text, text}, LogicalType::TIMESTAMP, ParseTime, BindPattern});
  if (name == "mica_conv") return One({{text, integer, integer}, text, Conv});
  if (name == "mica_sha2") return One({{LogicalType::BLOB, integer}, text, CheckSum});
  if (name == "soundex") return One({{text}, text, Soundex});
  if (name == "crc32") {
    duckdb::ScalarFunctionSet set = One({{text}, LogicalType::BIGINT, Crc32});
    set.AddFunction({{LogicalType::BLOB}, LogicalType::BIGINT, Crc32});
    return set;
  }
  if (name == "mica_text") {
    duckdb::ScalarFunction function({LogicalType::ANY}, LogicalType::ANY, nullptr);
    function.SetBindExpressionCallback(dialect == dialect::Dialect::kFlink ? FlinkText : JavaText);
    return One(std::move(function));
  }
  return duckdb::ScalarFunctionSet();
}

}  // namespace mica::sql
