#include "dialect/function_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "base/text.h"

namespace mica::dialect {
namespace {

using Names = std::unordered_map<std::string_view, const SqlFunction*>;

bool InScope(FunctionScope scope, Dialect dialect) {
  return scope == FunctionScope::kBoth || (scope == FunctionScope::kSpark) == (dialect == Dialect::kSpark);
}

const Names& NamesOf(Dialect dialect) {
  auto build = [](Dialect which) {
    Names names;
    for (const FunctionGroup& group : FunctionGroups()) {
      for (const SqlFunction& function : group.functions) {
        if (InScope(function.scope, which)) names.emplace(function.name, &function);
      }
    }
    return names;
  };
  static const Names spark = build(Dialect::kSpark);
  static const Names flink = build(Dialect::kFlink);
  return dialect == Dialect::kSpark ? spark : flink;
}

struct Absent {
  std::string_view name, substitute;
};
constexpr std::string_view kWindows = "Group by date_trunc(unit, t), or use TUMBLE, HOP or CUMULATE in Flink's dialect";
constexpr std::string_view kFilePath = "Use the hidden column __paimon_file_path";
constexpr std::string_view kQuantiles = "Use approx_count_distinct";
constexpr std::string_view kJson = "Use json_object or json_array over collect_list";
constexpr std::string_view kWindowTables =
    "Group by the window_start and window_end of TABLE(TUMBLE(TABLE t, DESCRIPTOR(time), "
    "size)) in FROM; HOP, SESSION and CUMULATE likewise";
constexpr Absent kAbsent[] = {
    {"tumble", kWindowTables},
    {"tumble_start", kWindowTables},
    {"tumble_end", kWindowTables},
    {"tumble_rowtime", kWindowTables},
    {"hop", kWindowTables},
    {"hop_start", kWindowTables},
    {"hop_end", kWindowTables},
    {"hop_rowtime", kWindowTables},
    {"session", kWindowTables},
    {"session_start", kWindowTables},
    {"session_end", kWindowTables},
    {"session_rowtime", kWindowTables},
    {"aes_decrypt", ""},
    {"aes_encrypt", ""},
    {"bitmap_and_agg", ""},
    {"bitmap_bit_position", ""},
    {"bitmap_bucket_number", ""},
    {"bitmap_construct_agg", kQuantiles},
    {"bitmap_count", ""},
    {"bitmap_or_agg", ""},
    {"count_min_sketch", kQuantiles},
    {"current_watermark", ""},
    {"histogram_numeric", "Use width_bucket and count"},
    {"hll_sketch_agg", kQuantiles},
    {"hll_sketch_estimate", kQuantiles},
    {"hll_union", kQuantiles},
    {"hll_union_agg", kQuantiles},
    {"input_file_block_length", kFilePath},
    {"input_file_block_start", kFilePath},
    {"input_file_name", kFilePath},
    {"java_method", ""},
    {"json_arrayagg", kJson},
    {"json_objectagg", kJson},
    {"reflect", ""},
    {"sentences", "Use split(s, regex)"},
    {"session_window", kWindows},
    {"spark_partition_id", ""},
    {"try_aes_decrypt", ""},
    {"try_reflect", ""},
    {"window", kWindows},
    {"window_time", kWindows},
    {"xpath", ""},
    {"xpath_boolean", ""},
    {"xpath_double", ""},
    {"xpath_float", ""},
    {"xpath_int", ""},
    {"xpath_long", ""},
    {"xpath_number", ""},
    {"xpath_short", ""},
    {"xpath_string", ""},
};

std::string_view ScopeText(FunctionScope scope) {
  switch (scope) {
    case FunctionScope::kSpark:
      return "Spark";
    case FunctionScope::kFlink:
      return "Flink";
    default:
      return "both";
  }
}

}  // namespace

std::vector<FunctionGroup> FunctionGroups() {
  return {{"Text", TextFunctions()},
          {"Dates and times", TimeFunctions()},
          {"Numbers", NumberFunctions()},
          {"Arrays, maps and structs", CollectionFunctions()},
          {"Conditions", ConditionFunctions()},
          {"Aggregates and windows", AggregateFunctions()}};
}

const SqlFunction* FindFunction(std::string_view name, Dialect dialect) {
  const Names& names = NamesOf(dialect);
  auto found = names.find(name);
  if (found == names.end()) found = names.find(ToLower(name));
  return found == names.end() ? nullptr : found->second;
}

std::optional<std::string> NearestFunction(std::string_view name, Dialect dialect) {
  std::vector<std::string> documented;
  for (const auto& [known, function] : NamesOf(dialect)) {
    const bool word = std::isalpha(static_cast<unsigned char>(known.front())) != 0;
    if (word && !function->usage.empty()) documented.emplace_back(known);
  }
  // Among the shortest names each is near to each.
  constexpr size_t kShort = 3;
  const std::string lower = ToLower(name);
  if (lower.size() <= kShort) {
    std::erase_if(documented, [&](const std::string& known) { return known.front() != lower.front(); });
  }
  std::sort(documented.begin(), documented.end());
  return NearestName(lower, documented);
}

std::optional<std::string_view> Substitute(std::string_view name) {
  const std::string lower = ToLower(name);
  for (const Absent& absent : kAbsent) {
    if (absent.name == lower) return absent.substitute;
  }
  return std::nullopt;
}

std::string MacroDefinition(const SqlFunction& function) {
  std::string out = fmt::format("CREATE MACRO \"{}\" ", function.name);
  std::string_view body = function.body;
  for (size_t i = 0; i < body.size(); ++i) {
    bool own = body[i] == '$' && i + 1 < body.size() && std::islower(static_cast<unsigned char>(body[i + 1]));
    if (own) {
      out += "system.main.";
    } else {
      out += body[i];
    }
  }
  return out;
}

std::string FunctionReference() {
  std::string out =
      "# Functions\n\n"
      "The functions of Spark SQL and Flink SQL that Mica knows by their own rules. *Dialect* says where the row "
      "holds; "
      "a name\nthat has two rows means something else in each. Every other function of DuckDB can be called too.\n";
  for (const FunctionGroup& group : FunctionGroups()) {
    out += fmt::format("\n## {}\n\n| function | dialect | gives |\n| --- | --- | --- |\n", group.title);
    std::vector<const SqlFunction*> rows;
    for (const SqlFunction& function : group.functions) {
      if (!function.usage.empty()) rows.push_back(&function);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
    for (const SqlFunction* row : rows) {
      std::string usage(row->usage);
      for (size_t at = 0; (at = usage.find('|', at)) != std::string::npos; at += 2) usage.insert(at, "\\");
      out += fmt::format("| `{}` | {} | {} |\n", usage, ScopeText(row->scope), row->meaning);
    }
  }
  return out;
}

}  // namespace mica::dialect
