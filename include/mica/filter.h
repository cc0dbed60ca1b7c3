// Which rows are wanted: comparisons of columns with literals, joined by And, Or and Not. SQL's rules hold, a comparison
// with NULL is no match. An immutable value.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace mica::api {

// NULL, a boolean, a number or a text. A text also stands for what has no C++ type here: it is read as SQL reads it for
// the column's type ("12.50", "2024-02-29", "2024-02-29 12:00:00"); for a binary column it is the bytes.
using Literal = std::variant<std::monostate, bool, int64_t, double, std::string>;

class Filter {
 public:
  static Filter Equal(std::string column, Literal literal);
  static Filter NotEqual(std::string column, Literal literal);
  static Filter Less(std::string column, Literal literal);
  static Filter LessOrEqual(std::string column, Literal literal);
  static Filter Greater(std::string column, Literal literal);
  static Filter GreaterOrEqual(std::string column, Literal literal);
  static Filter In(std::string column, std::vector<Literal> literals);
  static Filter IsNull(std::string column);
  static Filter IsNotNull(std::string column);
  static Filter StartsWith(std::string column, std::string prefix);
  static Filter And(std::vector<Filter> filters);  // none: every row
  static Filter Or(std::vector<Filter> filters);   // none: no row
  static Filter Not(Filter filter);

  struct Node;  // of the implementation
  const Node& node() const { return *node_; }

 private:
  explicit Filter(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

}  // namespace mica::api
