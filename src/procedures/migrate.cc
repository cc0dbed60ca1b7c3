// migrate_table and migrate_database (M-0801 to M-0804, M-0815).
#include "base/text.h"
#include "catalog/hive_database_migration.h"
#include "catalog/hive_migration.h"
#include "procedures/call.h"
#include "procedures/hive_call.h"
#include "procedures/hive_entries.h"
#include "procedures/shared_arguments.h"

namespace mica {

namespace {

ProcedureArgument ConnectorArgument() {
  return {.name = "source_type",
          .description = "where the tables come from: 'hive'",
          .required = true,
          .aliases = {"connector"}};
}

ProcedureArgument ParallelismArgument() {
  return {.name = "parallelism",
          .type = ArgumentType::kInt,
          .description = "how many files at once",
          .fallback = "the number of cores"};
}

ProcedureArgument OptionsMapArgument() {
  return {
      .name = "options_map", .type = ArgumentType::kMap, .description = "the same as a map; it wins over 'options'"};
}

Options OptionsOf(const ProcedureCall& call) {
  Options options = call.OptionList();
  for (auto& [key, value] : call.MapOr("options_map")) options[key] = value;
  return options;
}

void CheckConnector(const ProcedureCall& call) {
  if (EqualsIgnoreCase(call.Text("source_type"), "hive")) return;
  throw Unsupported("Tables can be migrated from 'hive' only, not from '{}'", call.Text("source_type"));
}

size_t ParallelismOf(const ProcedureCall& call) {
  const int64_t threads =
      call.OptionalInteger("parallelism").value_or(static_cast<int64_t>(call.executor().parallelism()));
  if (threads < 1 || threads > 1024)
    throw InvalidArgument("The argument 'parallelism' must be from 1 to 1024, not {}", threads);
  return static_cast<size_t>(threads);
}

std::vector<ProcedureRow> MigrateTable(ProcedureCall& call) {
  CheckConnector(call);
  HiveCatalog& catalog = HiveCatalogOf(call, "migrate_table");
  MigrationRequest request;
  request.source = call.Name();
  request.delete_origin = call.BooleanOr("delete_origin", true);
  request.options = OptionsOf(call);
  // The third text of a call by position is one of two arguments.
  const std::optional<std::string> target = call.OptionalText("target_table");
  if (target && target->find('=') != std::string::npos) {
    for (auto& [key, value] : ParseOptionList(*target, ',', "options")) request.options.emplace(key, value);
  } else if (target) {
    request.target = call.Name("target_table");
  }
  ThreadExecutor executor(ParallelismOf(call));
  CommitSettings settings = call.NewCommitSettings();
  settings.executor = &executor;
  try {
    MigrateHiveTable(catalog, request, std::move(settings));
  } catch (Error& error) {
    error.Add("call of migrate_table");
    throw;
  }
  return call.Success();
}

std::vector<ProcedureRow> MigrateDatabase(ProcedureCall& call) {
  CheckConnector(call);
  HiveCatalog& catalog = HiveCatalogOf(call, "migrate_database");
  ThreadExecutor executor(ParallelismOf(call));
  CommitSettings settings = call.NewCommitSettings();
  settings.executor = &executor;
  const MigratedTables tables = MigrateHiveDatabase(catalog, call.Text("database"), OptionsOf(call), settings);
  return {{fmt::format("migrate database is finished, success cnt: {} , failed cnt: {}", tables.done, tables.failed)}};
}

}  // namespace

Procedure MigrateTableProcedure() {
  return {
      .name = "migrate_table",
      .description = "Turns a table of Hive into an append table. Its files are moved, not copied.",
      .arguments =
          {ConnectorArgument(),
           {.name = "table", .description = "the table of Hive", .required = true, .aliases = {"source_table"}},
           OptionsArgument(),
           {.name = "delete_origin",
            .type = ArgumentType::kBoolean,
            .description = "whether the table of Hive is dropped; its files are gone from there in any case",
            .fallback = "true"},
           {.name = "target_table",
            .description = "the table that gets the files, made when it does not exist",
            .fallback = "the table itself, which is replaced"},
           OptionsMapArgument(),
           ParallelismArgument()},
      .flink_order = {"source_type", "table", "target_table", "options", "parallelism", "delete_origin", "options_map"},
      .spark_result = SuccessAsBoolean(),
      .flink_result = SuccessAsText(),
      .run = MigrateTable,
  };
}

Procedure MigrateDatabaseProcedure() {
  return {
      .name = "migrate_database",
      .description = "Turns every table of Hive in a database into an append table, each by itself.",
      .arguments =
          {ConnectorArgument(),
           {.name = "database", .description = "the database", .required = true, .aliases = {"source_database"}},
           OptionsArgument(),
           OptionsMapArgument(),
           ParallelismArgument()},
      .flink_order = {"source_type", "database", "options", "parallelism", "options_map"},
      .spark_result = SuccessAsText(),
      .flink_result = SuccessAsText(),
      .run = MigrateDatabase,
  };
}

}  // namespace mica
