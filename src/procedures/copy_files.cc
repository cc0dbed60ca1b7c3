#include "base/log.h"
#include "catalog/filesystem_catalog.h"
#include "clone/clone_job.h"
#include "clone/snapshot_copy.h"
#include "procedures/call.h"
#include "procedures/clone_arguments.h"
#include "procedures/entries.h"
#include "procedures/partition_selection.h"

namespace mica {

namespace {

FileSystemCatalog& InFileSystem(Catalog& catalog, std::string_view side) {
  auto* found = dynamic_cast<FileSystemCatalog*>(&catalog);
  if (found == nullptr) {
    throw Unsupported("Files are copied between filesystem catalogs only, and the {} is another kind of catalog. Use clone", side);
  }
  return *found;
}

std::vector<ProcedureRow> CopyFiles(ProcedureCall& call) {
  CloneRequest request;
  request.source = CatalogOf(call, "catalog_conf", call.OptionalText("warehouse"));
  request.target = CatalogOf(call, "target_catalog_conf", call.Text("target_warehouse"));
  request.database = call.OptionalText("database");
  request.table = call.OptionalText("table");
  request.target_database = call.OptionalText("target_database");
  request.target_table = call.OptionalText("target_table");
  FileSystemCatalog& source = InFileSystem(*request.source, "source");
  FileSystemCatalog& target = InFileSystem(*request.target, "target");
  Log(LogLevel::kWarning, "copy_files is deprecated: clone copies tables with a commit of their own");
  OwnExecutor executor(call);
  for (const TablePair& pair : TablesToClone(request)) {
    const TablePtr table = source.GetTable(pair.source);
    CheckLocations(table->root(), target.TablePath(pair.target));
    target.CreateDatabase(pair.target.database, true, {});
    CopyRequest copy;
    copy.commit.executor = &executor.get();
    const CopyResult result = CopySnapshot(*table, target.file_system(), target.TablePath(pair.target), copy);
    if (call.setting().note) {
      call.setting().note(fmt::format("{}: has {} files, metadata among them: {} copied", pair.target.ToString(), result.files,
                                      result.files_copied));
    }
  }
  return call.Success();
}

std::vector<ProcedureRow> Copy(ProcedureCall& call) {
  CloneRequest request;
  request.source = request.target = call.setting().catalog;
  const TableName from = call.Name("source_table"), to = call.Name("target_table");
  request.database = from.database;
  request.table = from.table;
  request.target_database = to.database;
  request.target_table = to.table;
  if (auto where = call.OptionalText("where")) {
    request.partitions = ChoiceWhere(call, *where);
  }
  request.clock = call.setting().clock;
  request.executor = &call.executor();
  request.note = call.setting().note;
  request.progress = call.setting().progress;
  CloneTables(request);
  return call.Success();
}

}  // namespace

Procedure CopyProcedure() {
  return {
      .name = "copy",
      .description = "Copies the files of a table's latest snapshot into another table, which is made if it is missing. The "
                     "partitions that are copied replace those of the target.",
      .arguments = {{.name = "source_table", .description = "the table, as 'database.table'", .required = true},
                    {.name = "target_table", .description = "the copy, as 'database.table'", .required = true},
                    {.name = "where",
                     .description = "a condition on partition columns: only these partitions are copied",
                     .fallback = "all partitions"}},
      .spark_result = SuccessAsBoolean(),
      .run = Copy,
  };
}

Procedure CopyFilesProcedure() {
  return {
      .name = "copy_files",
      .description = "Deprecated, use clone: copies the latest snapshot of tables of a filesystem catalog to another warehouse, with "
                     "all its metadata and without a commit.",
      .arguments =
          {
              {.name = "warehouse", .description = "the warehouse of the source", .fallback = "this catalog"},
              {.name = "database", .description = "the database of the source", .fallback = "all databases"},
              {.name = "table", .description = "the table of the source", .fallback = "all tables of the database"},
              {.name = "catalog_conf",
               .description = "options of the source catalog, as 'k=v;k2=v2'",
               .fallback = "this catalog",
               .joined_by = ';'},
              {.name = "target_warehouse", .description = "the warehouse of the copy", .required = true},
              {.name = "target_database", .description = "the database of the copy; made if it is missing",
               .fallback = "that of the source"},
              {.name = "target_table", .description = "the name of the copy", .fallback = "that of the source"},
              {.name = "target_catalog_conf",
               .description = "options of the target catalog, as 'k=v;k2=v2'",
               .fallback = "only its warehouse",
               .joined_by = ';'},
              {.name = "parallelism",
               .type = ArgumentType::kInt,
               .description = "how many files are copied at once",
               .fallback = "the number of cores"},
          },
      .flink_result = SuccessAsText(),
      .run = CopyFiles,
  };
}

}  // namespace mica
