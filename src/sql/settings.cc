// SET and RESET.
#include "base/log.h"
#include "base/text.h"
#include "dialect/setting_list.h"
#include "sql/errors.h"
#include "sql/session.h"
#include "sql/session_clock.h"

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

constexpr std::string_view kCatalogPrefix = "spark.sql.catalog.";

// The engine has names only; Spark also takes +08:00, UTC+8 and GMT+8. Names count hours from the other side: Etc/GMT-8.
std::string TimeZoneName(const std::string& zone) {
  std::string_view offset = zone;
  for (std::string_view prefix : {"UTC", "GMT"}) {
    if (offset.size() > 3 && EqualsIgnoreCase(offset.substr(0, 3), prefix)) offset.remove_prefix(3);
  }
  if (offset.size() < 2 || (offset[0] != '+' && offset[0] != '-')) return zone;
  size_t colon = offset.find(':');
  auto hours = ParseInteger(offset.substr(1, colon == std::string_view::npos ? offset.size() : colon - 1));
  auto minutes = colon == std::string_view::npos ? std::optional<int64_t>(0) : ParseInteger(offset.substr(colon + 1));
  if (!hours || !minutes || *minutes != 0 || *hours > 12) {
    throw InvalidArgument("The zone '{}' is not supported: an offset is whole hours up to 12. Use a name, such as Asia/Kolkata", zone);
  }
  if (*hours == 0) return "UTC";
  return fmt::format("Etc/GMT{}{}", offset[0] == '+' ? '-' : '+', *hours);
}

// The part of a table's name that a setting is for.
bool IsTableSetting(std::string_view key) { return key.starts_with("spark.paimon.") || key.starts_with("paimon."); }

}  // namespace

Session::ResultPtr Session::AllSettings() {
  std::map<std::string, TextRow> rows;
  for (const dialect::KnownSetting& setting : dialect::KnownSettings()) {
    std::string name(setting.name);
    rows[name] = TextRow{name, std::string(setting.default_value), std::string(setting.meaning)};
  }
  rows["dialect"][1] = state_->dialect;
  rows["memory_limit"] = TextRow{"memory_limit", std::to_string(memory_bytes_), "Bytes that the session may use"};
  for (const auto& [key, value] : state_->settings) {
    std::optional<std::string> meaning;
    if (rows.contains(key)) meaning = rows[key][2];
    if (IsTableSetting(key)) meaning = "Option of tables, in this session";
    rows[key] = TextRow{key, Masked(key, value), meaning.value_or("")};
  }
  std::vector<TextRow> list;
  for (auto& [key, row] : rows) list.push_back(std::move(row));
  return Texts({"key", "value", "meaning"}, list);
}

Session::ResultPtr Session::OneSetting(const std::string& key) {
  auto row = [&](const std::string& value) { return Texts({"key", "value"}, {TextRow{key, Masked(key, value)}}); };
  auto own = state_->settings.find(key);
  if (own != state_->settings.end()) return row(own->second);
  if (key == "dialect") return row(state_->dialect);
  if (IsMemory(key)) return row(std::to_string(memory_bytes_));
  if (auto value = EngineSetting(*connection_, IsTimeZone(key) ? "TimeZone" : key)) return row(*value);
  if (const dialect::KnownSetting* setting = dialect::FindSetting(key)) return row(std::string(setting->default_value));
  return row("<undefined>");
}

// spark.sql.catalog.<name> = class registers a catalog, spark.sql.catalog.<name>.<key> = value is one of its options.
void Session::SetCatalogOption(const std::string& key, const std::string& value) {
  std::string rest = key.substr(kCatalogPrefix.size());
  size_t dot = rest.find('.');
  std::string name = rest.substr(0, dot);
  if (dot != std::string::npos) {
    state_->catalogs.SetOption(name, rest.substr(dot + 1), value);
    return;
  }
  if (state_->catalogs.Contains(name)) return;
  if (!value.starts_with("org.apache.paimon.spark.")) {
    Log(LogLevel::kWarning, fmt::format("The catalog '{}' of class '{}' is left out: it is not one of Paimon", name, value));
    return;
  }
  RefuseInTransaction("Registering a catalog");
  Options options;
  for (const auto& [known, text] : state_->settings) {
    if (known.starts_with(key + ".")) options[known.substr(key.size() + 1)] = text;
  }
  state_->catalogs.Add(name, options);
  Attach(name);
}

void Session::ApplySetting(const std::string& key, const std::string& value) {
  dialect::CheckSetting(key, value);
  if (key == "spark.paimon.legacy-timestamp-mapping.enabled" && !EqualsIgnoreCase(value, "false")) {
    throw Unsupported("The setting '{}' is not supported: TIMESTAMP without a zone keeps its own type", key);
  }
  if (key == "dialect") {
    state_->dialect = ToLower(value);
    return;
  }
  if (IsMemory(key)) {
    int64_t bytes = ParseMemorySize(value);
    if (bytes < (int64_t{64} << 20)) throw InvalidArgument("'{}' of '{}' is too small: at least 64 MB are needed", key, value);
    ApplyMemory(bytes);
  } else if (IsTimeZone(key)) {
    RunText("SET TimeZone = " + dialect::QuoteText(TimeZoneName(value)), false);
  } else if (key.starts_with(kCatalogPrefix)) {
    SetCatalogOption(key, value);
  } else if (key.find('.') != std::string::npos) {
    // Names with a dot belong to Spark, Flink and tables; any of them may be set before it means something.
    if (key == kClockSetting) ClockAt(value);
    std::string hint = dialect::SettingHint(key);
    if (!hint.empty()) Log(LogLevel::kWarning, fmt::format("The setting '{}' is not known{}", key, hint));
  } else {
    if (!EngineSetting(*connection_, key)) {
      std::vector<std::string> known = {"memory_limit", "dialect"};
      auto names = connection_->Query("SELECT name FROM duckdb_settings()");
      if (!names->HasError()) {
        for (duckdb::idx_t i = 0; i < names->RowCount(); ++i) known.push_back(names->GetValue(0, i).ToString());
      }
      throw InvalidArgument("The setting '{}' does not exist{}", key, DidYouMean(key, known));
    }
    RunText("SET " + dialect::QuoteName(key) + " = " + dialect::QuoteText(value), false);
  }
  state_->settings[key] = value;
}

Session::ResultPtr Session::Execute(const dialect::Set& set) {
  if (!set.key) return AllSettings();
  if (!set.value) return OneSetting(*set.key);
  ApplySetting(*set.key, *set.value);
  return NoResult();
}

// Only what SET changed in this session goes back to how it was.
Session::ResultPtr Session::Execute(const dialect::Reset& reset) {
  std::vector<std::string> keys;
  if (reset.key) {
    keys.push_back(*reset.key);
  } else {
    keys.emplace_back("dialect");
    for (const auto& [key, value] : state_->settings) keys.push_back(key);
  }
  for (const std::string& key : keys) {
    bool was_set = state_->settings.erase(key) > 0;
    if (key == "dialect") {
      state_->dialect = start_.dialect;
    } else if (!was_set) {
      continue;
    } else if (IsMemory(key)) {
      ApplyMemory(start_.memory_bytes);
    } else if (IsTimeZone(key)) {
      RunText("RESET TimeZone", false);
    } else if (key.find('.') == std::string::npos) {
      RunText("RESET " + dialect::QuoteName(key), false);
    }
  }
  return NoResult();
}

}  // namespace mica::sql
