// CheckOptionValue of option_list.h.
#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "meta/option_list.h"

namespace mica {

namespace {

bool IsNumber(std::string_view text) {
  text = Trim(text);
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

template <typename Parse>
bool Parses(const Parse& parse, std::string_view value) {
  try {
    parse(value);
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool IsWordOf(std::string_view words, std::string_view value) {
  const std::vector<std::string> known = SplitList(words, ',');
  return std::any_of(known.begin(), known.end(), [&](const std::string& word) { return EqualsIgnoreCase(word, value); });
}

bool IsOfKind(const OptionInfo& option, std::string_view value) {
  switch (option.kind) {
    case OptionKind::kText:
      return true;
    case OptionKind::kBool:
      return IsWordOf("true, false", value);
    case OptionKind::kInteger: {
      auto number = ParseInteger(value);
      return number && *number >= INT32_MIN && *number <= INT32_MAX;
    }
    case OptionKind::kLong:
      return ParseInteger(value).has_value();
    case OptionKind::kNumber:
      return IsNumber(value);
    case OptionKind::kBytes:
      return Parses(ParseMemorySize, value);
    case OptionKind::kDuration:
      return Parses(ParseDuration, value);
    case OptionKind::kWord:
      return IsWordOf(option.words, value);
  }
  return true;
}

std::string Wanted(const OptionInfo& option) {
  switch (option.kind) {
    case OptionKind::kBool:
      return "true or false";
    case OptionKind::kInteger:
      return "a whole number of at most 32 bits";
    case OptionKind::kLong:
      return "a whole number";
    case OptionKind::kNumber:
      return "a number";
    case OptionKind::kBytes:
      return "a size such as 64 kb or 128 mb";
    case OptionKind::kDuration:
      return "a duration such as 500 ms, 10 min or 1 d";
    default:
      return fmt::format("one of: [{}]", option.words);
  }
}

}  // namespace

void CheckOptionValue(std::string_view key, std::string_view value) {
  if (Trim(key).empty()) throw InvalidArgument("An option has no name: '{}' = '{}'", key, value);
  const std::string_view current = CurrentKey(key);
  for (const OptionInfo& option : KnownOptions()) {
    if (option.key != current) continue;
    if (IsOfKind(option, value)) return;
    throw InvalidArgument("Could not parse value '{}' for key '{}'. Expected {}", value, key, Wanted(option));
  }
}

}  // namespace mica
