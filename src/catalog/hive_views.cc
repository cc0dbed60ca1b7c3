// The views of a Hive catalog: Hive's own, and `t$hive`, which shows a table whose tags are partitions.
#include <algorithm>

#include "base/escape.h"
#include "base/text.h"
#include "catalog/hive_catalog.h"
#include "catalog/hive_table.h"
#include "catalog/table_folder.h"
#include "history/tag_preview.h"

namespace mica {

namespace {

constexpr std::string_view kHiveSuffix = "$hive";

std::string SqlText(std::string_view text) {
  std::string quoted = "'";
  for (char c : text) {
    quoted += c;
    if (c == '\'' || c == '\\') quoted += c;
  }
  return quoted + "'";
}

}  // namespace

std::vector<std::string> HiveCatalog::ListViews(const std::string& database) {
  RequireDatabase(database);
  std::vector<std::string> names = metastore_->TableNames(database, std::string(kVirtualView));
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<View> HiveCatalog::FindView(const TableName& name) {
  if (name.table.ends_with(kHiveSuffix)) return TagPartitionsView(name);
  if (name.table.find('$') != std::string::npos) return std::nullopt;
  auto found = Find(name);
  return found && IsView(*found) ? std::optional(ViewOf(*found)) : std::nullopt;
}

std::optional<View> HiveCatalog::TagPartitionsView(const TableName& name) {
  const TableName base{name.database, name.table.substr(0, name.table.size() - kHiveSuffix.size())};
  if (base.table.find('$') != std::string::npos || !TableExists(base)) return std::nullopt;
  const TablePtr table = GetTable(base);
  const std::string field = TagPartitionField(table->schema());
  if (field.empty()) return std::nullopt;
  const TagPreview preview(table->options());
  const std::string from = BackQuoted(base.database) + "." + BackQuoted(base.table);
  std::vector<std::string> parts;
  metastore_->ForEachPartition(base.database, base.table, [&](const std::vector<HivePartition>& partitions) {
    for (const HivePartition& partition : partitions) {
      const std::string& period = partition.values.at(0);
      TagPreview::View shown{period, 0};
      if (preview.enabled()) shown = preview.Resolve(*table, period);
      const std::string version = shown.tag ? SqlText(*shown.tag) : std::to_string(shown.snapshot_id);
      parts.push_back(fmt::format("SELECT *, {} AS {} FROM {} VERSION AS OF {}", SqlText(period), BackQuoted(field),
                                  from, version));
    }
  });
  if (parts.empty())
    parts.push_back(fmt::format("SELECT *, CAST(NULL AS STRING) AS {} FROM {} WHERE false", BackQuoted(field), from));
  View view;
  view.query = Join(parts, " UNION ALL BY NAME ");
  view.comment = "As Hive shows it: a partition for each tag";
  return view;
}

void HiveCatalog::CreateView(const TableName& name, const View& view, bool ignore_if_exists, bool replace) {
  CheckNewName("view", name);
  CheckCase("view", name.table);
  RequireDatabase(name.database);
  const HiveTable made = NewHiveView({.name = name, .owner = metastore_->user(), .now_millis = clock_()}, view);
  auto found = Find(name);
  if (found && !IsView(*found)) throw AlreadyExists("A table '{}' exists already", name.ToString());
  if (found && replace) return metastore_->AlterTable(name.database, name.table, made, /*cascade=*/false);
  if (found && ignore_if_exists) return;
  if (found)
    throw AlreadyExists("The view '{}' exists already. Use CREATE OR REPLACE VIEW to replace it", name.ToString());
  metastore_->CreateTable(made);
}

void HiveCatalog::DropView(const TableName& name, bool ignore_if_missing) {
  auto found = Find(name);
  if (found && IsView(*found)) return metastore_->DropTable(name.database, name.table, false);
  if (ignore_if_missing) return;
  RequireDatabase(name.database);
  if (found) throw NotFound("'{}' is a table, not a view", name.ToString());
  throw NotFound("The view '{}' does not exist{}", name.ToString(), DidYouMean(name.table, ListViews(name.database)));
}

}  // namespace mica
