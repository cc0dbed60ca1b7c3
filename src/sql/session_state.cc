#include "sql/session_state.h"

#include "base/text.h"

namespace mica::sql {

SessionState& SessionState::Get(duckdb::ClientContext& context) {
  auto state = context.registered_state->Get<SessionState>(kKey);
  if (!state) throw InvalidArgument("This connection is not a session of Mica");
  return *state;
}

namespace {

bool Fits(std::string_view pattern, std::string_view name) { return pattern == "*" || pattern == name; }

}  // namespace

Options SessionState::DynamicOptions(const TableName& name) const {
  static constexpr std::string_view kPrefix = "spark.paimon.";
  Options global, scoped;
  for (const auto& [key, value] : settings) {
    if (!key.starts_with(kPrefix)) {
      // Flink sets table options without a prefix of their own.
      if (key.starts_with("scan.")) global[key] = value;
      continue;
    }
    std::string rest = key.substr(kPrefix.size());
    std::vector<std::string> parts = mica::SplitList(rest, '.');
    bool is_scoped = false;
    if (parts.size() > 3) {
      if (Fits(parts[0], catalog_name) && Fits(parts[1], name.database) && Fits(parts[2], name.table)) {
        is_scoped = true;
        scoped[rest.substr(parts[0].size() + parts[1].size() + parts[2].size() + 3)] = value;
      } else if (parts[0] == "*" || parts[0] == catalog_name) {
        continue;  // meant for another table
      }
    }
    if (!is_scoped) global[rest] = value;
  }
  for (auto& [key, value] : scoped) global[key] = value;
  global.erase("write.hive-style-dynamic-partition.enabled");
  global.erase("requiredSparkConfsCheck.enabled");
  return global;
}

}  // namespace mica::sql
