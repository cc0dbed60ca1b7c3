#include "types/column_default.h"

#include <arrow/api.h>

#include "base/arrow.h"
#include "base/error.h"
#include "base/text.h"
#include "types/arrow_types.h"
#include "types/nested_text.h"

namespace mica {

namespace {

std::string_view WithoutQuotes(std::string_view text) {
  if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'') return text.substr(1, text.size() - 2);
  return text;
}

}  // namespace

Value DefaultValue(std::string_view text, const DataType& type) {
  text = WithoutQuotes(text);
  if (EqualsIgnoreCase(text, "null") && !type.IsString()) return Value{};
  return ValueFromString(text, type);
}

std::shared_ptr<arrow::Array> DefaultArray(std::string_view text, const DataType& type) {
  auto builder = Take(arrow::MakeBuilder(ToArrowType(type)));
  text = WithoutQuotes(text);
  if (EqualsIgnoreCase(text, "null") && !type.IsString()) {
    Check(builder->AppendNull());
  } else {
    AppendFromText(text, type, builder.get());
  }
  return Take(builder->Finish());
}

void CheckDefault(std::string_view column, std::string_view text, const DataType& type) {
  try {
    if (type.IsPrimitive()) {
      DefaultValue(text, type);
    } else {
      DefaultArray(text, type);
    }
  } catch (const Error& error) {
    throw InvalidArgument("The default '{}' of the column '{}' is no value of the type '{}': {}", text, column,
                          type.ToString(), error.message());
  }
}

}  // namespace mica
