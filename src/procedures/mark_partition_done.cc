// mark_partition_done (M-1010).
#include <map>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "catalog/hive_catalog.h"
#include "catalog/hive_table.h"
#include "io/http_post.h"
#include "meta/branch.h"
#include "meta/success_file.h"
#include "procedures/argument_text.h"
#include "procedures/call.h"
#include "procedures/history_entries.h"
#include "procedures/shared_arguments.h"
#include "table/partitions.h"

namespace mica {

namespace {

constexpr std::string_view kSuccessFile = "success-file", kHttpReport = "http-report";
constexpr std::string_view kDonePartition = "done-partition", kMarkEvent = "mark-event";  // of a metastore
constexpr std::string_view kUrl = "partition.mark-done-action.http.url";

// Throws Unsupported for an action that nobody could carry out here.
std::vector<std::string> ActionsOf(const Table& table, const HiveCatalog* hive) {
  std::vector<std::string> actions;
  for (const std::string& text : SplitList(table.options().Text("partition.mark-done-action", std::string(kSuccessFile)), ',')) {
    std::string action = ToLower(text);
    if (action == kHttpReport && Trim(table.options().Text(kUrl, "")).empty()) {
      throw InvalidArgument("Parameter {} must be non-empty when you use `http-report` partition mark done action", kUrl);
    }
    if (action == kDonePartition && hive != nullptr && !HasMetastorePartitions(table.schema())) {
      throw Unsupported("The action 'done-partition' of 'partition.mark-done-action' needs a table with "
                        "'metastore.partitioned-table' = 'true'");
    }
    const bool of_metastore = hive != nullptr && (action == kDonePartition || action == kMarkEvent);
    if (action != kSuccessFile && action != kHttpReport && !of_metastore) {
      throw Unsupported("The action '{}' of 'partition.mark-done-action' is not supported: it needs a metastore, or a class of "
                        "Java. Use success-file or http-report", text);
    }
    actions.push_back(std::move(action));
  }
  return actions;
}

void Report(const Table& table, const std::string& partition) {
  const std::string url = table.options().Text(kUrl, "");
  Json report;
  auto params = table.options().Find("partition.mark-done-action.http.params");
  report["params"] = params ? Json(*params) : Json();
  report["table"] = SplitBranch(table.name().ToString()).table;
  report["path"] = table.root();
  report["partition"] = partition;
  Json answer = ParseJson(PostJson(url, report.dump()), "The answer of '" + url + "'");
  auto result = GetOptional<std::string>(answer, "result");
  if (result && EqualsIgnoreCase(*result, "SUCCESS")) return;
  throw IoError("The http-report action's response attribute `result` should be 'SUCCESS' but is '{}': the partition '{}' of table "
                "'{}' was not taken as done by '{}'", result.value_or("null"), partition, table.name().ToString(), url);
}

std::string WithoutSlash(std::string folder) {
  while (folder.ends_with('/')) folder.pop_back();
  return folder;
}

// The partitions, each once, by their folders below the table's.
std::map<std::string, std::string> PartitionsByFolder(ProcedureCall& call, const Table& table) {
  auto snapshot = table.snapshots().Latest();
  std::map<std::string, std::string> partitions;
  for (const auto& spec : ParsePartitions(table, call.Text("partitions"))) {
    std::vector<PartitionSummary> found;
    if (snapshot) found = ListPartitions(table, *snapshot, spec, call.executor());
    if (found.empty()) {
      throw NotFound("A partition of table '{}' that is to be marked done does not exist: '{}'", table.name().ToString(),
                     call.Text("partitions"));
    }
    for (const PartitionSummary& partition : found) {
      partitions.emplace(WithoutSlash(table.paths().PartitionFolder(partition.partition)), partition.partition);
    }
  }
  return partitions;
}

}  // namespace

Procedure MarkPartitionDoneProcedure() {
  return {
      .name = "mark_partition_done",
      .description = "Says that partitions are complete: writes the file _SUCCESS into their folders, or tells a server "
                     "or the metastore.",
      .arguments = {TableArgument(),
                    {.name = "partitions",
                     .description = "the partitions, as 'dt=2024-07-01;dt=2024-07-02'",
                     .required = true,
                     .aliases = {"partition"},
                     .option = "partition",
                     .joined_by = ';'}},
      .spark_result = SuccessAsBoolean(),
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) {
        TablePtr table = call.Table();
        const auto* hive = dynamic_cast<const HiveCatalog*>(&call.catalog());
        const std::vector<std::string> actions = ActionsOf(*table, hive);
        for (const auto& [folder, partition] : PartitionsByFolder(call, *table)) {
          for (const std::string& action : actions) {
            if (action == kHttpReport) {
              Report(*table, folder);
            } else if (action == kDonePartition) {
              hive->partitions().MarkDone(*table, partition);
            } else if (action == kMarkEvent) {
              hive->partitions().MarkEvent(*table, partition);
            } else {
              const std::string file = JoinPath(JoinPath(table->paths().DataRoot(), folder), "_SUCCESS");
              WriteSuccessFile(table->file_system(), file, call.now_millis());
            }
          }
        }
        return call.Success();
      },
  };
}

}  // namespace mica
