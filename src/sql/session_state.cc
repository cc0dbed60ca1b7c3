#include "sql/session_state.h"

#include "base/text.h"
#include "sql/session_clock.h"
#include "types/timestamp.h"

namespace mica::sql {

SessionState& SessionState::Get(duckdb::ClientContext& context) {
  auto state = context.registered_state->Get<SessionState>(kKey);
  if (!state) throw InvalidArgument("This connection is not a session of Mica");
  return *state;
}

namespace {

// Settings under the prefix that are the session's own, no options of tables.
bool IsSessionOwn(std::string_view option) {
  for (std::string_view own : {"write.hive-style-dynamic-partition.enabled", "requiredSparkConfsCheck.enabled",
                               "legacy-timestamp-mapping.enabled", "write.use-v2-write"}) {
    if (option == own) return true;
  }
  return false;
}

// catalog.database.table.option, where each of the three names may be *. How many names are given; nothing when the setting
// is for another table. Options have dots too, so what names no table is an option for all of them.
struct Scope {
  int names = 0;
  std::string option;
};
std::optional<Scope> ScopeOf(std::string_view rest, const std::string (&address)[3], const Catalogs& catalogs) {
  std::string_view left = rest;
  Scope scope;
  bool fits = true;
  bool is_scoped = true;
  for (int i = 0; i < 3; ++i) {
    const std::string& name = address[i];
    if (left.starts_with("*.")) {
      left.remove_prefix(2);
    } else if (left.size() > name.size() && left.starts_with(name) && left[name.size()] == '.') {
      left.remove_prefix(name.size() + 1);
      ++scope.names;
    } else {
      fits = false;
      // The first part decides what this is: an option, or a name.
      size_t dot = left.find('.');
      is_scoped = i > 0 || (dot != std::string_view::npos && catalogs.Contains(std::string(left.substr(0, dot))));
      break;
    }
  }
  if (fits) {
    scope.option = left;
    return scope;
  }
  if (is_scoped && std::count(rest.begin(), rest.end(), '.') >= 3) return std::nullopt;
  scope = {-1, std::string(rest)};
  return scope;
}

}  // namespace

Options SessionState::DynamicOptions(const std::string& catalog, const TableName& name) const {
  const std::string address[] = {catalog, name.database, name.table};
  Options options;
  std::map<std::string, int> given_by;  // how specific the setting was
  for (const auto& [key, value] : settings) {
    std::string_view rest = key;
    if (rest.starts_with("spark.")) rest.remove_prefix(6);
    if (!rest.starts_with("paimon.")) continue;
    rest.remove_prefix(7);
    auto scope = ScopeOf(rest, address, catalogs);
    if (!scope || IsSessionOwn(scope->option)) continue;
    auto [known, added] = given_by.emplace(scope->option, scope->names);
    if (!added && known->second > scope->names) continue;
    known->second = scope->names;
    options[scope->option] = value;
  }
  return options;
}

Clock ClockAt(const std::string& time) {
  auto value = TimestampFromString(time, 3);
  if (!value) {
    throw InvalidArgument("The setting '{}' must be a time in UTC, as in 2024-05-01 10:00:00, not '{}'", kClockSetting, time);
  }
  return [millis = value->millis] { return millis; };
}

Clock ClockOf(const SessionState& session) {
  auto setting = session.settings.find(kClockSetting);
  return setting == session.settings.end() ? SystemClock() : ClockAt(setting->second);
}

}  // namespace mica::sql
