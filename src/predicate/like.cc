#include "predicate/like.h"

#include <vector>

namespace mica {

namespace {

// The texts between wildcards; those at the ends are empty where a wildcard stands there.
struct LikeParts {
  std::vector<std::string> texts = {""};
  bool any_character = false;  // an underscore is among the wildcards
};

std::optional<LikeParts> PartsOf(std::string_view pattern, std::optional<char> escape) {
  LikeParts parts;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (escape && pattern[i] == *escape) {
      if (++i == pattern.size()) return std::nullopt;
      parts.texts.back() += pattern[i];
    } else if (pattern[i] == '%' || pattern[i] == '_') {
      parts.any_character = parts.any_character || pattern[i] == '_';
      parts.texts.emplace_back();
    } else {
      parts.texts.back() += pattern[i];
    }
  }
  return parts;
}

}  // namespace

LikePredicate PredicateOfLike(const std::string& column, const DataType& type, std::string_view pattern,
                              std::optional<char> escape) {
  auto parts = PartsOf(pattern, escape);
  if (!parts) return {};
  const std::vector<std::string>& texts = parts->texts;
  if (texts.size() == 1) return {Predicate::Compare(PredicateOp::kEqual, column, type, Value(texts[0])), true};
  std::vector<PredicatePtr> said;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].empty()) continue;
    PredicateOp op = i == 0 ? PredicateOp::kStartsWith
                            : i + 1 == texts.size() ? PredicateOp::kEndsWith : PredicateOp::kContains;
    said.push_back(Predicate::Compare(op, column, type, Value(texts[i])));
  }
  if (said.empty()) return {Predicate::IsNotNull(column, type), !parts->any_character};
  bool exact = said.size() == 1 && !parts->any_character;
  return {Predicate::And(std::move(said)), exact};
}

}  // namespace mica
