#include "base/text.h"
#include "procedures/call.h"
#include "procedures/entries.h"
#include "procedures/shared_arguments.h"

namespace mica {

Procedure AlterColumnDefaultValueProcedure() {
  return {
      .name = "alter_column_default_value",
      .description = "Sets the value that a column gets where INSERT gives none.",
      .arguments = {TableArgument(),
                    {.name = "column", .description = "the column; 'a.b' is a field of a nested one", .required = true},
                    {.name = "default_value", .description = "the value, as text", .required = true}},
      .spark_result = {},
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) {
        std::vector<std::string> path = SplitList(call.Text("column"), '.');
        call.catalog().AlterTable(call.Name(), {UpdateColumnDefault{path, call.Text("default_value")}});
        return call.Success();
      },
  };
}

}  // namespace mica
