#include "procedures/argument_text.h"
#include "procedures/call.h"
#include "procedures/entries.h"
#include "procedures/shared_arguments.h"
#include "table/file_import.h"

namespace mica {

namespace {

constexpr std::string_view kHiveNull = "__HIVE_DEFAULT_PARTITION__";

// Taken as it stands it would be a text, where Hive means NULL.
void CheckNullName(const Table& table, const std::string& partition) {
  const std::string own = table.options().partition_naming().default_name;
  if (partition.find(kHiveNull) == std::string::npos || own == kHiveNull) return;
  throw InvalidArgument("The partition '{}' has Hive's name of NULL, which in table '{}' is '{}'. Use that one", partition,
                        table.name().ToString(), own);
}

std::vector<ProcedureRow> Import(ProcedureCall& call) {
  TablePtr table = call.Table();
  std::map<std::string, Value> partition;
  if (auto text = call.OptionalText("partition")) {
    CheckNullName(*table, *text);
    auto partitions = ParsePartitions(*table, *text);
    if (partitions.size() > 1) throw InvalidArgument("Files are imported into one partition, not into all of '{}'", *text);
    partition = std::move(partitions.front());
  }
  CommitSettings settings = call.NewCommitSettings();
  settings.executor = &call.executor();
  return {{ImportFiles(table, call.Text("location"), partition, std::move(settings))}};
}

}  // namespace

Procedure ImportFilesProcedure() {
  const std::vector<DataField> result = {ResultColumn("imported_files", DataType(TypeRoot::kBigInt))};
  return {
      .name = "import_files",
      .description = "Takes the files of a folder into an append table where they lie. They are the table's from then on: they are "
                     "deleted when a compaction or an expiry lets them go.",
      .arguments = {TableArgument(),
                    {.name = "location", .description = "the folder, as an absolute path", .required = true},
                    {.name = "partition",
                     .description = "the partition that all rows belong to, as 'dt=2024-07-01,hh=10'",
                     .fallback = "the table has no partitions"}},
      .spark_result = result,
      .flink_result = result,
      .run = Import,
  };
}

}  // namespace mica
