#include "base/text.h"
#include "clone/clone_job.h"
#include "procedures/call.h"
#include "procedures/clone_arguments.h"
#include "procedures/entries.h"
#include "procedures/partition_selection.h"

namespace mica {

namespace {

std::optional<std::vector<std::string>> NamesOf(const ProcedureCall& call, const char* argument) {
  const auto text = call.OptionalText(argument);
  return text ? std::optional(SplitList(*text, ',')) : std::nullopt;
}

CloneFrom CloneFromOf(const ProcedureCall& call, Catalog& source) {
  const auto text = call.OptionalText("clone_from");
  if (!text) return CloneFrom::kAny;
  if (EqualsIgnoreCase(*text, "paimon")) return CloneFrom::kPaimon;
  if (!EqualsIgnoreCase(*text, "hive")) {
    throw InvalidArgument("The argument 'clone_from' must be 'hive' or 'paimon', not '{}'", *text);
  }
  if (call.Has("target_table_conf")) {
    throw InvalidArgument("Parameter 'target_table_conf' is only supported when clone_from is paimon: a table cloned from Hive "
                          "takes its options from there. Leave it out, and use ALTER TABLE afterwards");
  }
  if (dynamic_cast<HiveCatalog*>(&source) == nullptr) {
    throw InvalidArgument("With 'clone_from' = 'hive' the source must be a Hive catalog: give catalog_conf 'metastore=hive' and "
                          "'uri', or 'clone_from' = 'paimon'");
  }
  return CloneFrom::kHive;
}

std::optional<std::string> FormatOf(const ProcedureCall& call) {
  const auto text = call.OptionalText("prefer_file_format");
  if (!text) return std::nullopt;
  const std::string format = ToLower(*text);
  if (format != "parquet" && format != "orc" && format != "avro") {
    throw InvalidArgument("Unsupported file format: '{}'. The argument 'prefer_file_format' must be parquet, orc or avro", *text);
  }
  return format;
}

std::vector<ProcedureRow> Run(ProcedureCall& call) {
  CloneRequest request;
  request.source = CatalogOf(call, "catalog_conf", std::nullopt);
  request.from = CloneFromOf(call, *request.source);
  request.database = call.OptionalText("database");
  request.table = call.OptionalText("table");
  request.target_database = call.OptionalText("target_database");
  request.target_table = call.OptionalText("target_table");
  request.included = NamesOf(call, "included_tables");
  request.excluded = NamesOf(call, "excluded_tables");
  if (auto text = call.OptionalText("target_table_conf")) {
    request.wishes.options = ParseOptionList(*text, ';', "target_table_conf");
  }
  request.wishes.file_format = FormatOf(call);
  request.meta_only = call.BooleanOr("meta_only", false);
  request.clone_if_exists = call.BooleanOr("clone_if_exists", true);
  if (auto where = call.OptionalText("where")) {
    request.partitions = ChoiceWhere(call, *where);
  }
  request.clock = call.setting().clock;
  OwnExecutor executor(call);
  request.executor = &executor.get();
  request.note = call.setting().note;
  request.progress = call.setting().progress;
  request.target = CatalogOf(call, "target_catalog_conf", call.OptionalText("target_warehouse"));
  CloneTables(request);
  return call.Success();
}

}  // namespace

Procedure CloneProcedure() {
  return {
      .name = "clone",
      .description = "Copies a table, the tables of a database or those of a catalog, as they are at their latest snapshot. "
                     "The partitions that are copied replace those of the target; the source is not changed.",
      .arguments =
          {
              {.name = "database", .description = "the database of the source", .fallback = "all databases"},
              {.name = "table", .description = "the table of the source", .fallback = "all tables of the database"},
              {.name = "catalog_conf",
               .description = "options of the source catalog, as 'k=v;k2=v2'",
               .fallback = "this catalog",
               .joined_by = ';'},
              {.name = "target_database",
               .description = "the database that the clones come into; made if it is missing",
               .fallback = "that of the source"},
              {.name = "target_table", .description = "the name of the clone", .fallback = "that of the source"},
              {.name = "target_catalog_conf",
               .description = "options of the target catalog, as 'k=v;k2=v2'",
               .fallback = "this catalog",
               .joined_by = ';'},
              {.name = "parallelism",
               .type = ArgumentType::kInt,
               .description = "how many files are copied at once",
               .fallback = "the number of cores"},
              {.name = "where",
               .description = "a condition on partition columns: only these partitions are copied",
               .fallback = "all partitions"},
              {.name = "included_tables",
               .description = "tables of the source, as 'db.t,db.t2', of a database or a catalog",
               .fallback = "all tables"},
              {.name = "excluded_tables",
               .description = "tables of the source to leave out, as 'db.t,db.t2'; wins over included_tables"},
              {.name = "prefer_file_format",
               .description = "'parquet', 'orc' or 'avro': rows are written anew where files have another format",
               .fallback = "that of the source"},
              {.name = "clone_from",
               .description = "'paimon' or 'hive': what the source tables are",
               .fallback = "what each table is"},
              {.name = "meta_only",
               .type = ArgumentType::kBoolean,
               .description = "makes the tables, but copies no rows",
               .fallback = "false"},
              {.name = "clone_if_exists",
               .type = ArgumentType::kBoolean,
               .description = "'false' leaves tables alone that are there already",
               .fallback = "true"},
              {.name = "target_table_conf",
               .description = "options of the tables that are made, as 'k=v;k2=v2', over those of the source",
               .joined_by = ';'},
              {.name = "target_warehouse",
               .description = "the warehouse of the target catalog, where target_catalog_conf has none"},
          },
      .flink_result = SuccessAsText(),
      .run = Run,
  };
}

}  // namespace mica
