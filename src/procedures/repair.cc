// repair (M-1018): brings a metastore to what lies in the file system.
#include "base/text.h"
#include "procedures/call.h"
#include "procedures/hive_call.h"
#include "procedures/hive_entries.h"

namespace mica {

namespace {

std::vector<ProcedureRow> Repair(ProcedureCall& call) {
  HiveCatalog& catalog = HiveCatalogOf(call, "repair");
  const std::vector<std::string> items = SplitList(call.OptionalText("database_or_table").value_or(""), ',');
  std::vector<std::vector<std::string>> names;
  for (const std::string& item : items) {
    auto parts = NameParts(item);
    if (!parts || parts->size() > 2 || Trim(item).empty()) {
      throw InvalidArgument("'{}' is neither a database nor a table ('db.t')", item);
    }
    names.push_back(*std::move(parts));
  }
  if (names.empty()) catalog.RepairAll(call.executor());
  for (const std::vector<std::string>& name : names) {
    if (name.size() == 1)
      catalog.RepairDatabase(name[0], call.executor());
    else
      catalog.RepairTable({name[0], name[1]}, call.executor());
  }
  return call.Success();
}

}  // namespace

Procedure RepairProcedure() {
  return {
      .name = "repair",
      .description =
          "Makes databases, tables, their columns and partitions known to the metastore as they lie in the file "
          "system.",
      .arguments = {{.name = "database_or_table",
                     .description = "databases and tables, as 'db1,db2.t'",
                     .fallback = "the whole warehouse",
                     .option = "identifier",
                     .joined_by = ','}},
      .spark_result = SuccessAsBoolean(),
      .flink_result = SuccessAsText(),
      .run = Repair,
  };
}

}  // namespace mica
