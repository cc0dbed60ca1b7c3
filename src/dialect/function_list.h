// The functions of Spark SQL and Flink SQL: one list from which names are resolved, errors suggest, and
// docs/reference/functions.md is written. Where the engine below has a function of the same name and meaning nothing
// is mapped; where its meaning differs, the list says what is called instead. Immutable after start, so thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/statement.h"

namespace mica::dialect {

enum class FunctionScope { kBoth, kSpark, kFlink };

enum class FunctionKind {
  kEngine,     // the engine's own function of this name
  kAlias,      // the engine's function named in `body`
  kMacro,      // overloads in `body`: "(a, b) AS expression, (a) AS ..."; $f stands for the engine's own f
  kNative,     // written in C++ beside the engine
  kGenerator,  // gives rows: `body` is what gives an array of them, with an open bracket for each that the call closes
  kRewritten,  // the text of the call is rewritten: "name|suffix" after the call, with everything that belongs to it
};

struct SqlFunction {
  std::string_view name;  // lower case
  FunctionScope scope = FunctionScope::kBoth;
  std::string_view usage;  // "nvl2(a, b, c)"; empty for parts of other functions, which are not documented
  std::string_view meaning;
  FunctionKind kind = FunctionKind::kEngine;
  std::string_view body;
};

struct FunctionGroup {
  std::string_view title;
  std::span<const SqlFunction> functions;
};

std::span<const SqlFunction> TextFunctions();
std::span<const SqlFunction> TimeFunctions();
std::span<const SqlFunction> NumberFunctions();
std::span<const SqlFunction> CollectionFunctions();
std::span<const SqlFunction> ConditionFunctions();
std::span<const SqlFunction> AggregateFunctions();
std::vector<FunctionGroup> FunctionGroups();

// The function of this name in the dialect; nullptr when the list has none. Names are compared without case.
const SqlFunction* FindFunction(std::string_view name, Dialect dialect);

// The documented name nearest to an unknown one, if any is near.
std::optional<std::string> NearestFunction(std::string_view name, Dialect dialect);

// For a function of Spark or Flink that is not here: what to use in its place, empty where there is nothing. No value for
// a name that they do not have either.
std::optional<std::string_view> Substitute(std::string_view name);

// CREATE MACRO statement of a kMacro function, $f written out.
std::string MacroDefinition(const SqlFunction& function);

// The page docs/reference/functions.md.
std::string FunctionReference();

}  // namespace mica::dialect
