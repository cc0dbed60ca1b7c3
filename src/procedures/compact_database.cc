#include <regex>

#include "base/log.h"
#include "base/text.h"
#include "procedures/call.h"
#include "procedures/compact_table.h"
#include "procedures/entries.h"

namespace mica {

namespace {

std::regex Pattern(const ProcedureCall& call, const char* name, const char* fallback) {
  std::string text = call.OptionalText(name).value_or(fallback);
  try {
    return std::regex(text);
  } catch (const std::regex_error&) {
    throw InvalidArgument("The argument '{}' is not a regular expression: '{}'", name, text);
  }
}

std::string CompactTables(ProcedureCall& call) {
  std::string mode = ToLower(call.OptionalText("mode").value_or("divided"));
  if (mode != "divided" && mode != "combined") {
    throw InvalidArgument("The argument 'mode' must be 'divided' or 'combined', not '{}'", mode);
  }
  std::regex databases = Pattern(call, "including_databases", ".*"), tables = Pattern(call, "including_tables", ".*"),
             excluded = Pattern(call, "excluding_tables", "");
  bool excludes = call.Has("excluding_tables");
  int64_t done = 0, failed = 0;
  for (const std::string& database : call.catalog().ListDatabases()) {
    if (!std::regex_match(database, databases)) continue;
    for (const std::string& name : call.catalog().ListTables(database)) {
      TableName full{database, name};
      if (!std::regex_match(full.ToString(), tables) || (excludes && std::regex_match(full.ToString(), excluded))) continue;
      try {
        CompactByCall(call, call.catalog().GetTable(full));
        ++done;
      } catch (const Error& error) {
        // One table's trouble is no reason to leave the others.
        if (error.kind() == ErrorKind::kInvalidArgument || error.kind() == ErrorKind::kCancelled) throw;
        Log(LogLevel::kWarning, fmt::format("Table '{}' is not compacted: {}", full.ToString(), error.what()));
        ++failed;
      }
    }
  }
  return fmt::format("Compact database finished. Success: {}, Failed: {}", done, failed);
}

}  // namespace

Procedure CompactDatabaseProcedure() {
  return {
      .name = "compact_database",
      .description = "Compacts all tables whose names match.",
      .arguments =
          {
              {.name = "including_databases", .description = "databases, as a regular expression", .fallback = ".*"},
              {.name = "including_tables",
               .description = "tables, as a regular expression over 'database.table'",
               .fallback = ".*"},
              {.name = "excluding_tables", .description = "tables to leave out, as a regular expression"},
              {.name = "options",
               .description = "table options for this call, as 'k=v,k2=v2'",
               .aliases = {"table_options", "table_conf"},
               .joined_by = ','},
              {.name = "mode", .description = "'divided' or 'combined'; both do the same here", .fallback = "divided"},
              {.name = "partition_idle_time",
               .description = "only partitions without a new file for so long, as '1 d'"},
              {.name = "compact_strategy", .description = "'full' or 'minor'", .fallback = "full"},
          },
      .flink_order = {"including_databases", "mode", "including_tables", "excluding_tables", "options",
                      "partition_idle_time", "compact_strategy"},
      .spark_result = SuccessAsText(),
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) -> std::vector<ProcedureRow> { return {{CompactTables(call)}}; },
  };
}

}  // namespace mica
