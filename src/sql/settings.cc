// USE, SET and RESET.
#include "base/text.h"
#include "sql/errors.h"
#include "sql/session.h"

namespace mica::sql {

namespace {

bool IsTimeZone(const std::string& key) {
  return EqualsIgnoreCase(key, "spark.sql.session.timeZone") || EqualsIgnoreCase(key, "table.local-time-zone") ||
         EqualsIgnoreCase(key, "timezone");
}

bool IsMemory(const std::string& key) { return EqualsIgnoreCase(key, "memory_limit") || EqualsIgnoreCase(key, "max_memory"); }

std::optional<std::string> EngineSetting(duckdb::Connection& connection, const std::string& key) {
  auto result = connection.Query("SELECT value FROM duckdb_settings() WHERE lower(name) = lower(" + dialect::QuoteText(key) + ")");
  if (result->HasError() || result->RowCount() == 0) return std::nullopt;
  duckdb::Value value = result->GetValue(0, 0);
  return value.IsNull() ? std::string() : value.ToString();
}

}  // namespace

Session::ResultPtr Session::Execute(const dialect::Use& use) {
  const auto& parts = use.name.parts;
  if (parts.size() == 1 && (use.catalog || (parts[0] == state_->catalog_name))) {
    if (parts[0] != state_->catalog_name) {
      throw NotFound("The catalog '{}' does not exist: this session has '{}'", parts[0], state_->catalog_name);
    }
    return NoResult();
  }
  std::string database = ResolveDatabase(use.name);
  if (!state_->catalog->DatabaseExists(database)) {
    throw NotFound("The database '{}' does not exist{}", database, DidYouMean(database, state_->catalog->ListDatabases()));
  }
  state_->current_database = database;
  ApplySearchPath();
  return NoResult();
}

Session::ResultPtr Session::Execute(const dialect::Set& set) {
  if (!set.key) {
    std::vector<TextRow> rows;
    for (const auto& [key, value] : state_->settings) rows.push_back(TextRow{key, value});
    return Texts({"key", "value"}, rows);
  }
  const std::string& key = *set.key;
  if (!set.value) {
    auto own = state_->settings.find(key);
    if (own != state_->settings.end()) return Texts({"key", "value"}, {TextRow{key, own->second}});
    if (IsMemory(key)) return Texts({"key", "value"}, {TextRow{key, std::to_string(memory_bytes_)}});
    if (auto value = EngineSetting(*connection_, key)) return Texts({"key", "value"}, {TextRow{key, *value}});
    return Texts({"key", "value"}, {TextRow{key, "<undefined>"}});
  }
  const std::string& value = *set.value;
  if (IsMemory(key)) {
    int64_t bytes = ParseMemorySize(value);
    if (bytes < (int64_t{64} << 20)) throw InvalidArgument("'{}' of '{}' is too small: at least 64 MB are needed", key, value);
    ApplyMemory(bytes);
    state_->settings[key] = value;
    return NoResult();
  }
  if (IsTimeZone(key)) {
    RunText("SET TimeZone = " + dialect::QuoteText(value), false);
    state_->settings[key] = value;
    return NoResult();
  }
  if (key == "spark.sql.sources.partitionOverwriteMode" && !EqualsIgnoreCase(value, "static") &&
      !EqualsIgnoreCase(value, "dynamic")) {
    throw InvalidArgument("'{}' must be static or dynamic, not '{}'", key, value);
  }
  if (key == "dialect") {
    std::string dialect = ToLower(value);
    if (dialect != "spark" && dialect != "flink") throw InvalidArgument("'dialect' must be spark or flink, not '{}'", value);
    state_->dialect = dialect;
    return NoResult();
  }
  // Names with a dot belong to Spark, Flink and tables; any of them may be set before it means something.
  if (key.find('.') != std::string::npos) {
    state_->settings[key] = value;
    return NoResult();
  }
  if (!EngineSetting(*connection_, key)) {
    std::vector<std::string> known = {"memory_limit", "dialect"};
    auto names = connection_->Query("SELECT name FROM duckdb_settings()");
    if (!names->HasError()) {
      for (duckdb::idx_t i = 0; i < names->RowCount(); ++i) known.push_back(names->GetValue(0, i).ToString());
    }
    throw InvalidArgument("The setting '{}' does not exist{}", key, DidYouMean(key, known));
  }
  RunText("SET " + dialect::QuoteName(key) + " = " + dialect::QuoteText(value), false);
  state_->settings[key] = value;
  return NoResult();
}

Session::ResultPtr Session::Execute(const dialect::Reset& reset) {
  std::vector<std::string> keys;
  if (reset.key) {
    keys.push_back(*reset.key);
  } else {
    for (const auto& [key, value] : state_->settings) keys.push_back(key);
  }
  for (const std::string& key : keys) {
    state_->settings.erase(key);
    if (IsMemory(key)) {
      ApplyMemory(static_cast<int64_t>(memory_bytes_));
    } else if (IsTimeZone(key)) {
      RunText("RESET TimeZone", false);
    } else if (key.find('.') == std::string::npos && key != "dialect") {
      RunText("RESET " + dialect::QuoteName(key), false);
    }
  }
  return NoResult();
}

}  // namespace mica::sql
