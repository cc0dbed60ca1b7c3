// mark_partition_done (M-1010).
#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
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
constexpr std::string_view kUrl = "partition.mark-done-action.http.url";

// Throws Unsupported for an action that nobody could carry out here.
std::vector<std::string> ActionsOf(const Table& table) {
  std::vector<std::string> actions;
  for (const std::string& text : SplitList(table.options().Text("partition.mark-done-action", std::string(kSuccessFile)), ',')) {
    std::string action = ToLower(text);
    if (action == kHttpReport && Trim(table.options().Text(kUrl, "")).empty()) {
      throw InvalidArgument("Parameter {} must be non-empty when you use `http-report` partition mark done action", kUrl);
    }
    if (action != kSuccessFile && action != kHttpReport) {
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

// Folders of the partitions, each once, below the table's folder.
std::vector<std::string> PartitionFoldersOf(ProcedureCall& call, const Table& table) {
  auto snapshot = table.snapshots().Latest();
  std::vector<std::string> folders;
  for (const auto& spec : ParsePartitions(table, call.Text("partitions"))) {
    std::vector<PartitionSummary> found;
    if (snapshot) found = ListPartitions(table, *snapshot, spec, call.executor());
    if (found.empty()) {
      throw NotFound("A partition of table '{}' that is to be marked done does not exist: '{}'", table.name().ToString(),
                     call.Text("partitions"));
    }
    for (const PartitionSummary& partition : found) {
      folders.push_back(WithoutSlash(table.paths().PartitionFolder(partition.partition)));
    }
  }
  std::sort(folders.begin(), folders.end());
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  return folders;
}

}  // namespace

Procedure MarkPartitionDoneProcedure() {
  return {
      .name = "mark_partition_done",
      .description = "Says that partitions are complete: writes the file _SUCCESS into their folders, or tells a server.",
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
        const std::vector<std::string> actions = ActionsOf(*table);
        for (const std::string& folder : PartitionFoldersOf(call, *table)) {
          for (const std::string& action : actions) {
            if (action == kHttpReport) {
              Report(*table, folder);
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
