#include "dialect/setting_list.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace mica::dialect {

namespace {

constexpr std::string_view kNoEffect = "Accepted, without effect";

constexpr std::array kSettings = {
    KnownSetting{"dialect", "spark", "What decides where Spark and Flink differ", "spark|flink"},
    KnownSetting{"execution.runtime-mode", "batch", "Queries read one state and end (batch), or follow their table (streaming)", "batch|streaming"},
    KnownSetting{"execution.checkpointing.interval", "", kNoEffect, ""},
    KnownSetting{"parallelism.default", "", kNoEffect, ""},
    KnownSetting{"pipeline.name", "", kNoEffect, ""},
    KnownSetting{"spark.jars", "", kNoEffect, ""},
    KnownSetting{"spark.shuffle.manager", "sort", kNoEffect, ""},
    KnownSetting{"spark.sql.adaptive.enabled", "true", kNoEffect, ""},
    KnownSetting{"spark.sql.defaultCatalog", "", "The catalog that a session starts in", ""},
    KnownSetting{"spark.sql.extensions", "", kNoEffect, ""},
    KnownSetting{"spark.sql.session.timeZone", "", "The zone of instants and of texts that are read as instants", ""},
    KnownSetting{"spark.sql.shuffle.partitions", "200", "Parallelism of compaction by procedure", ""},
    KnownSetting{"spark.sql.sources.partitionOverwriteMode", "static",
                 "INSERT OVERWRITE replaces the whole table (static) or the partitions of its rows (dynamic)", "static|dynamic"},
    KnownSetting{"spark.sql.storeAssignmentPolicy", "ANSI", "Values that do not fit a column are errors", "ANSI|STRICT"},
    KnownSetting{"spark.sql.timestampType", "TIMESTAMP_LTZ", "What a bare TIMESTAMP means in DDL",
                 "TIMESTAMP_LTZ|TIMESTAMP_NTZ"},
    KnownSetting{"sql-client.execution.result-mode", "table", kNoEffect, ""},
    KnownSetting{"table.dml-sync", "true", "Statements always end before the next one begins", "true|false"},
    KnownSetting{"table.exec.resource.default-parallelism", "", kNoEffect, ""},
    KnownSetting{"table.exec.sink.upsert-materialize", "AUTO", kNoEffect, "AUTO|FORCE|NONE"},
    KnownSetting{"table.local-time-zone", "", "The zone of instants and of texts that are read as instants", ""},
};

}  // namespace

std::span<const KnownSetting> KnownSettings() { return kSettings; }

const KnownSetting* FindSetting(std::string_view name) {
  auto found = std::find_if(kSettings.begin(), kSettings.end(), [&](const KnownSetting& item) { return item.name == name; });
  return found == kSettings.end() ? nullptr : found;
}

void CheckSetting(std::string_view name, std::string_view value) {
  const KnownSetting* setting = FindSetting(name);
  if (setting == nullptr || setting->values.empty()) return;
  std::vector<std::string> values = SplitList(setting->values, '|');
  for (const std::string& known : values) {
    if (EqualsIgnoreCase(known, value)) return;
  }
  throw InvalidArgument("The setting '{}' takes {}, not '{}'{}", name, Join(values, " or "), value, DidYouMean(value, values));
}

std::string SettingHint(std::string_view name) {
  if (FindSetting(name) != nullptr) return {};
  std::vector<std::string> names;
  for (const KnownSetting& setting : kSettings) names.emplace_back(setting.name);
  return DidYouMean(name, names);
}

}  // namespace mica::dialect
