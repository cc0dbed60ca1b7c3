// A view: the text of a query by dialect, and no data (M-0312). Its JSON is that of Paimon's REST catalog.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meta/table_schema.h"

namespace mica {

struct View {
  std::vector<DataField> fields;  // as far as they were known when the view was made
  std::string query;              // for a dialect that has no text of its own
  std::map<std::string, std::string> dialects;
  std::optional<std::string> comment;
  Options options;

  // The text to run in a session of this dialect, and the dialect that it is written in.
  const std::string& QueryFor(const std::string& dialect) const;
  std::string DialectOf(const std::string& dialect) const;

  std::string ToJson() const;
  // Throws Corrupt naming `what`.
  static View FromJson(std::string_view text, std::string_view what);
};

}  // namespace mica
