#include "dialect/interval_literal.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <vector>

#include "dialect/keywords.h"

namespace mica::dialect {
namespace {

constexpr std::array<std::string_view, 4> kDayUnits = {"DAY", "HOUR", "MINUTE", "SECOND"};

std::optional<std::string> UnitOf(const Token& token) {
  static constexpr std::array<std::string_view, 9> kUnits = {"YEAR", "QUARTER", "MONTH",       "WEEK",       "DAY",
                                                             "HOUR", "MINUTE",  "MILLISECOND", "MICROSECOND"};
  if (token.kind != TokenKind::kWord) return std::nullopt;
  std::string name = ToUpper(token.text);
  if (name.ends_with('S')) name.pop_back();
  for (std::string_view unit : kUnits) {
    if (name == unit) return name;
  }
  return name == "SECOND" ? std::optional(name) : std::nullopt;
}

bool IsValue(const Token& token) {
  return token.kind == TokenKind::kNumber || token.kind == TokenKind::kString;
}

std::string ValueText(const TokenSlice& tokens, const Token& token) {
  return token.kind == TokenKind::kNumber ? std::string(token.text) : TextOf(token, tokens.cursor().dialect());
}

// The numbers of 1-2, or of 1 02:03:04.5, without the sign.
std::vector<std::string> Numbers(std::string_view text) {
  std::vector<std::string> numbers;
  bool open = false;
  for (char c : text) {
    bool digit = std::isdigit(static_cast<unsigned char>(c)) || c == '.';
    if (digit && !open) numbers.emplace_back();
    if (digit) numbers.back() += c;
    open = digit;
  }
  return numbers;
}

std::optional<size_t> DayUnit(std::string_view unit) {
  for (size_t k = 0; k < kDayUnits.size(); ++k) {
    if (kDayUnits[k] == unit) return k;
  }
  return std::nullopt;
}

IntervalLiteral Range(const TokenSlice& tokens, size_t i, const std::string& from, const std::string& to) {
  std::string text = ValueText(tokens, tokens.At(i + 1));
  size_t start = text.find_first_not_of(" +");
  bool negative = start != std::string::npos && text[start] == '-';
  std::vector<std::string> numbers = Numbers(text);
  std::string_view sign = negative ? "-" : "";
  auto misfit = [&] { return tokens.Expected(i + 1, fmt::format("an interval from {} to {}", from, to)); };
  if (from == "YEAR" && to == "MONTH") {
    if (numbers.size() != 2) throw misfit();
    return {fmt::format("INTERVAL '{}{} years {}{} months'", sign, numbers[0], sign, numbers[1]), i + 5};
  }
  auto first = DayUnit(from), last = DayUnit(to);
  if (!first || !last || *first >= *last || numbers.size() != *last - *first + 1) throw misfit();
  std::string out;
  for (size_t k = 0; k < numbers.size(); ++k) {
    out += fmt::format("{}{}{} {}s", k == 0 ? "" : " ", sign, numbers[k], kDayUnits[*first + k]);
  }
  return {fmt::format("INTERVAL '{}'", out), i + 5};
}

}  // namespace

std::optional<IntervalLiteral> ParseIntervalLiteral(const TokenSlice& tokens, size_t i) {
  if (!IsValue(tokens.At(i + 1))) return std::nullopt;
  auto unit = UnitOf(tokens.At(i + 2));
  if (!unit) return std::nullopt;
  if (tokens.At(i + 3).IsWord("TO")) {
    auto to = UnitOf(tokens.At(i + 4));
    if (to) return Range(tokens, i, *unit, *to);
  }
  IntervalLiteral literal{"", i + 1};
  int parts = 0;
  while (IsValue(tokens.At(literal.end)) && UnitOf(tokens.At(literal.end + 1))) {
    literal.text += fmt::format("{}INTERVAL '{}' {}", parts == 0 ? "" : " + ",
                                ValueText(tokens, tokens.At(literal.end)), *UnitOf(tokens.At(literal.end + 1)));
    literal.end += 2;
    ++parts;
  }
  if (parts < 2) return std::nullopt;
  literal.text = fmt::format("({})", literal.text);
  return literal;
}

}  // namespace mica::dialect
