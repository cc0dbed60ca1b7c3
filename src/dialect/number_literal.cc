#include "dialect/number_literal.h"

#include <fmt/format.h>

namespace mica::dialect {

namespace {

std::string_view TypeOf(char letter) {
  switch (letter & ~0x20) {
    case 'L':
      return "BIGINT";
    case 'S':
      return "SMALLINT";
    case 'Y':
      return "TINYINT";
    case 'F':
      return "FLOAT";
    case 'D':
      return "DOUBLE";
    default:
      return {};  // BD: a decimal already
  }
}

}  // namespace

std::string EngineNumber(std::string_view literal) {
  size_t letter = literal.find_first_of("LSYDFBlsydfb");
  if (letter == std::string_view::npos) return std::string(literal);
  std::string_view digits = literal.substr(0, letter);
  std::string_view type = TypeOf(literal[letter]);
  return type.empty() ? std::string(digits) : fmt::format("CAST({} AS {})", digits, type);
}

}  // namespace mica::dialect
