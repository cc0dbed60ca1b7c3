#include "table/table_statistics.h"

#include "base/error.h"
#include "base/uuid.h"
#include "table/restore.h"

namespace mica {

std::optional<TableStatistics> ReadStatistics(const Table& table, const Snapshot& snapshot) {
  if (!snapshot.statistics) return std::nullopt;
  std::string path = table.paths().StatisticsPath(*snapshot.statistics);
  try {
    return TableStatistics::FromJson(table.file_system().ReadFile(path), path);
  } catch (const Error& error) {
    // They only help to plan: a table without its file can be read all the same.
    if (error.kind() == ErrorKind::kNotFound) return std::nullopt;
    throw;
  }
}

void PublishStatistics(TablePtr table, const TableStatistics& statistics, const CommitSettings& settings) {
  std::string name = fmt::format("stat-{}-0", RandomUuid());
  std::string path = table->paths().StatisticsPath(name);
  table->file_system().ReplaceAtomically(path, statistics.ToJson());
  try {
    UpdateStatistics(table, settings, name);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kOutcomeUnknown) table->file_system().DeleteFile(path);
    throw;
  }
}

}  // namespace mica
