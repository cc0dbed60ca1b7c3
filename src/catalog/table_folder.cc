#include "catalog/table_folder.h"

#include <algorithm>

#include "base/text.h"
#include "catalog/schema_change.h"
#include "meta/branch.h"

namespace mica {

namespace {
constexpr std::string_view kTableDefault = "table-default.";
constexpr int kSchemaAttempts = 10;
}  // namespace

void CheckObjectName(std::string_view what, const std::string& name) {
  bool blank = Trim(name).empty();
  bool path = name.find_first_of("/\\") != std::string::npos || name == "." || name == "..";
  bool control = std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; });
  if (blank || path || control) throw InvalidArgument("'{}' cannot be the name of a {}", name, what);
}

void CheckNewName(std::string_view what, const TableName& name) {
  CheckObjectName(what, name.table);
  if (name.table.find('$') == std::string::npos) return;
  throw InvalidArgument("'{}' cannot be the name of a {}: what follows '$' names system tables and branches",
                        name.table, what);
}

void RefuseBranch(const TableName& name, std::string_view change) {
  if (SplitBranch(name.table).branch.empty()) return;
  throw InvalidArgument(
      "Cannot {} '{}': it is a branch. The procedures create_branch, rename_branch and delete_branch change "
      "branches",
      change, name.ToString());
}

void CheckBranches(const TableSchema& schema, const FileSystemPtr& fs, const std::string& root) {
  for (const char* key : {"scan.fallback-branch", "scan.primary-branch"}) {
    auto option = schema.options.find(key);
    if (option == schema.options.end() || Trim(option->second).empty()) continue;
    if (BranchExists(*fs, root, option->second)) continue;
    throw InvalidArgument("Cannot set '{}' = '{}' because the branch '{}' does not exist.", key, option->second,
                          option->second);
  }
}

TableDefinition WithTableDefaults(const TableDefinition& definition, const Options& catalog) {
  TableDefinition result = definition;
  for (const auto& [key, value] : catalog) {
    if (key.starts_with(kTableDefault)) result.options.emplace(key.substr(kTableDefault.size()), value);
  }
  return result;
}

TablePtr ChangeSchema(TablePtr table, const std::vector<SchemaChange>& changes, const Clock& clock) {
  for (int attempt = 0; attempt < kSchemaAttempts; ++attempt) {
    if (attempt > 0) table = table->Reload();
    bool has_snapshots = table->snapshots().LatestId().has_value();
    TableSchema next = ApplyChanges(table->schema(), changes, has_snapshots);
    if (next.id == table->schema().id) return table;
    next.time_millis = clock();
    CheckBranches(next, table->file_system_ptr(), table->root());
    if (table->schemas().Publish(next)) return table->WithSchema(std::make_shared<const TableSchema>(std::move(next)));
  }
  throw Conflict("Cannot change the table '{}': others changed its schema {} times meanwhile. Try again",
                 table->name().ToString(), kSchemaAttempts);
}

TablePtr ReplacementOf(const Table& table, const TableDefinition& definition, const Clock& clock) {
  TableSchema next = NextDefinition(table.schema(), definition);
  next.time_millis = clock();
  return table.WithSchema(std::make_shared<const TableSchema>(std::move(next)));
}

void PublishReplacementSchema(const Table& replacement) {
  if (replacement.schemas().Publish(replacement.schema())) return;
  throw Conflict("Cannot replace the table '{}': others changed its schema meanwhile. Try again",
                 replacement.name().ToString());
}

}  // namespace mica
