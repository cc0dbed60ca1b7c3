// Calls in a query: which of them have words or lambdas of their own inside, and what becomes of the function's name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "dialect/table_clause.h"

namespace mica::dialect {

// What stands inside of the brackets besides expressions and commas.
enum class CallForm {
  kPlain,
  kCast,           // x AS type
  kWordsAsCommas,  // SUBSTRING(a FROM 2 FOR 3)
  kToUnit,         // FLOOR(t TO DAY)
  kLambda,         // exists(a, x -> ...)
  kIndexedLambda,  // transform(a, (x, i) -> ...): Spark counts i from 0, the engine from 1
};

inline bool TakesLambdas(CallForm form) { return form == CallForm::kLambda || form == CallForm::kIndexedLambda; }

// The form of the call whose bracket is at i.
CallForm CallFormAt(const TokenSlice& tokens, size_t i);

// A change of the text before a bracket, and what comes after the call with all that belongs to it.
struct CallEdit {
  SourceRange range;
  std::string text;
  std::string suffix;
};

// The change that the call with its name at i needs, if any: another function's name, a unit of time as text.
std::optional<CallEdit> EditCall(const TokenSlice& tokens, size_t i);

}  // namespace mica::dialect
