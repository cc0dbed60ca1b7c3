// The statements that can be said, for the reference page and for completion. Both dialects understand all forms.
#pragma once

#include <span>
#include <string_view>

namespace mica::dialect {

struct StatementInfo {
  std::string_view group;
  std::string_view syntax;   // [x] may be left out, {a | b} is one of them, ... may be repeated
  std::string_view meaning;  // one sentence
  std::string_view example;  // parses as it stands
};

std::span<const StatementInfo> Statements();

}  // namespace mica::dialect
