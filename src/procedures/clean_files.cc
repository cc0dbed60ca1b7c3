// remove_orphan_files, remove_unexisting_files and purge_files (M-1015 to M-1017).
#include <limits>

#include "base/error.h"
#include "base/log.h"
#include "history/branches.h"
#include "history/changelog_expiry.h"
#include "history/expire_snapshots.h"
#include "history/lines.h"
#include "history/orphan_files.h"
#include "history/tags.h"
#include "meta/branch.h"
#include "meta/consumer.h"
#include "procedures/argument_text.h"
#include "procedures/call.h"
#include "procedures/history_entries.h"
#include "procedures/shared_arguments.h"

namespace mica {

namespace {

constexpr int64_t kDay = 86'400'000;

ProcedureArgument DryRun(std::string description) {
  return {.name = "dry_run",
          .type = ArgumentType::kBoolean,
          .description = std::move(description),
          .fallback = "false"};
}

// The table, or all tables of `database.*`.
std::vector<TablePtr> TablesOf(ProcedureCall& call) {
  TableName name = call.Name();
  if (name.table != "*") return {call.Table()};
  std::vector<TablePtr> tables;
  for (const std::string& table : call.catalog().ListTables(name.database)) {
    tables.push_back(call.catalog().GetTable({name.database, table}));
  }
  return tables;
}

}  // namespace

Procedure RemoveOrphanFilesProcedure() {
  return {
      .name = "remove_orphan_files",
      .description = "Deletes files that no snapshot, tag or changelog of main or of a branch refers to.",
      .arguments = {{.name = "table", .description = "the table, as 'database.table', or 'database.*' for all", .required = true},
                    {.name = "older_than",
                     .description = "files written after this time stay: a writer may be about to commit them",
                     .fallback = "one day ago"},
                    DryRun("whether files are only counted"),
                    {.name = "parallelism", .type = ArgumentType::kInt, .description = "accepted; the threads of the process work"},
                    {.name = "mode", .description = "accepted: local or distributed"}},
      .spark_result = {ResultColumn("deletedFileCount", DataType::BigInt()),
                       ResultColumn("deletedFileTotalLenInBytes", DataType::BigInt())},
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) -> std::vector<ProcedureRow> {
        int64_t now = call.now_millis(), older_than = now - kDay;
        if (auto text = call.OptionalText("older_than")) older_than = ParseLocalTime(*text, "older_than");
        if (older_than >= now) {
          throw InvalidArgument("The arg olderThan must be less than now, because dataFiles that are currently being written and "
                                "not referenced by snapshots will be mistakenly cleaned up.");
        }
        int64_t count = 0, bytes = 0;
        for (const TablePtr& table : TablesOf(call)) {
          for (const OrphanFile& file : RemoveOrphanFiles(*table, older_than, call.BooleanOr("dry_run", false), call.executor())) {
            ++count;
            bytes += file.bytes;
          }
        }
        if (call.shape() == Engine::kSpark) return {{count, bytes}};
        return {{std::to_string(count)}, {std::to_string(bytes)}};
      },
  };
}

Procedure RemoveUnexistingFilesProcedure() {
  return {
      .name = "remove_unexisting_files",
      .description = "Removes data files that are gone from the table, so that the rest can be read. Their rows are lost.",
      .arguments = {TableArgument(), DryRun("whether files are only listed"),
                    {.name = "parallelism", .type = ArgumentType::kInt, .description = "accepted; the threads of the process work"}},
      .spark_result = {ResultColumn("fileName", DataType::String())},
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) {
        std::vector<ProcedureRow> rows;
        for (std::string& path :
             RemoveMissingFiles(call.Table(), call.BooleanOr("dry_run", false), call.NewCommitSettings(), call.executor())) {
          rows.push_back({std::move(path)});
        }
        return rows;
      },
  };
}

Procedure PurgeFilesProcedure() {
  return {
      .name = "purge_files",
      .description = "Empties a table for good: its rows, branches, tags, consumers, older snapshots and all their files go.",
      .arguments = {TableArgument()},
      .spark_result = SuccessAsText(),
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) -> std::vector<ProcedureRow> {
        TablePtr table = call.Table();
        if (BranchOf(*table) != kMainBranch) {
          throw InvalidArgument("A branch cannot be purged: '{}'. Delete it, or purge the table", table->name().ToString());
        }
        std::vector<std::string> branches;
        for (const BranchFolder& folder : BranchFolders(table->file_system(), table->root())) branches.push_back(folder.name);
        DeleteBranches(*table, branches, call.executor());
        DeleteTags(*table, table->snapshots().TagNames(), TagMissing::kIgnore, call.executor());
        ConsumerStore consumers(table->file_system_ptr(), MetadataRoot(*table));
        for (const std::string& id : consumers.Ids()) consumers.Delete(id);
        TableCommit(table, call.NewCommitSettings()).Truncate();
        constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
        ExpireSnapshots(*table, {.retain_max = 1, .retain_min = 1, .older_than_millis = kAll, .max_deletes = kAll / 2},
                        call.now_millis(), call.executor());
        ExpireChangelogs(*table, {.all = true}, call.now_millis(), call.executor());
        RemoveOrphanFiles(*table, kAll, /*dry_run=*/false, call.executor());
        return {{std::string("Success")}};
      },
  };
}

}  // namespace mica
