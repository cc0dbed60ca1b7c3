// Calls in a query: which of them have words or lambdas of their own inside, and what becomes of the function's name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dialect/table_clause.h"

namespace mica::dialect {

// What stands inside of the brackets besides expressions and commas.
enum class CallForm {
  kPlain,
  kCast,           // x AS type
  kWordsAsCommas,  // SUBSTRING(a FROM 2 FOR 3)
  kToUnit,         // FLOOR(t TO DAY)
  kJsonSchema,     // from_json(s, 'a INT, b STRING')
  kCsvSchema,      // from_csv(s, 'a INT, b STRING')
  kLambda,         // exists(a, x -> ...)
  kIndexedLambda,  // transform(a, (x, i) -> ...): Spark counts i from 0, the engine from 1
};

inline bool TakesLambdas(CallForm form) {
  return form == CallForm::kLambda || form == CallForm::kIndexedLambda;
}

// The form of the call whose bracket is at i.
CallForm CallFormAt(const TokenSlice& tokens, size_t i);

// The tokens [begin, end) of an argument.
struct Argument {
  size_t begin = 0;
  size_t end = 0;
};

// The arguments in the bracket at i; `after` becomes the position behind it. One without tokens where there are none.
std::vector<Argument> ArgumentsOf(const TokenSlice& tokens, size_t i, size_t* after);

// How many arguments the call has whose first one begins at i, or values the row; 0 where its end is too far.
size_t ArgumentCount(const TokenSlice& tokens, size_t i);

// A change of the text before a bracket, and what comes after the call with all that belongs to it.
struct CallEdit {
  SourceRange range;
  std::string text;
  std::string suffix;
  std::optional<std::pair<SourceRange, std::string>> inside;  // a word within the call, and what stands for it
};

// The engine's type for a schema as from_json and from_csv have it: 'a INT, b STRING', or one type; json_transform
// takes it as a JSON text. Throws InvalidArgument naming the schema.
std::string SchemaText(const std::string& schema, CallForm form, Dialect dialect);

// The change that the call with its name at i needs, if any: another function's name, a unit of time as text.
std::optional<CallEdit> EditCall(const TokenSlice& tokens, size_t i);

}  // namespace mica::dialect
