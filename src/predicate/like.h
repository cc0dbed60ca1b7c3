// LIKE as a predicate: 'abc%' begins with abc, '%abc' ends with it, '%abc%' contains it, 'abc' is equal to it. Any other
// pattern says less: its parts between wildcards have to be in the text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "predicate/predicate.h"

namespace mica {

struct LikePredicate {
  PredicatePtr predicate;  // nullptr: nothing can be said
  bool exact = false;      // says all that the pattern does, so it may stand under NOT
};

// `escape` takes the meaning from the wildcard (or itself) that follows it. Nothing is said of a pattern that ends with it.
LikePredicate PredicateOfLike(const std::string& column, const DataType& type, std::string_view pattern,
                              std::optional<char> escape);

}  // namespace mica
