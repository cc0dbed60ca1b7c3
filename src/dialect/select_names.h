// Names of result columns: where the text of a column changes on its way to the engine, the column is named by what the
// user wrote. nvl(a, 0), which the engine is given as coalesce(a, 0), becomes coalesce(a, 0) AS "nvl(a, 0)". Follows
// the tokens of a query from left to right in linear time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialect/table_clause.h"

namespace mica::dialect {

class SelectNames {
 public:
  explicit SelectNames(const TokenSlice& tokens) : tokens_(tokens), seen_(tokens.begin()) {}

  // Goes on to the token at i, which can be the end of the query. The name for the column that ends there, if it needs
  // one.
  std::optional<std::string> Reach(size_t i);

  // Whether a column begins with the token at i, which is reached.
  bool BeginsColumn(size_t i) const {
    return !lists_.empty() && lists_.back().depth == depth_ && lists_.back().first == i;
  }

  // The column at hand reads differently to the engine, and would be named by that.
  void Change();

 private:
  // A list of columns that is being read.
  struct List {
    int depth = 0;     // of brackets around it
    size_t first = 0;  // token of the column
    bool changed = false;
  };

  // Whether the column ends before the token, and with it the list.
  bool EndsList(size_t i) const;
  std::optional<std::string> NameOf(const List& list, size_t end) const;
  std::optional<std::string> See(size_t i);

  TokenSlice tokens_;
  size_t seen_;
  int depth_ = 0;
  std::vector<List> lists_;
};

}  // namespace mica::dialect
