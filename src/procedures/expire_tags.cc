#include "procedures/argument_text.h"
#include "procedures/call.h"
#include "procedures/entries.h"
#include "procedures/shared_arguments.h"

namespace mica {

Procedure ExpireTagsProcedure() {
  std::vector<DataField> rows = {ResultColumn("expired_tags", DataType::String())};
  return {
      .name = "expire_tags",
      .description = "Deletes the tags whose retention has passed.",
      .arguments = {TableArgument(),
                    {.name = "older_than", .description = "tags made before this time go too, whatever their retention"}},
      .spark_result = rows,
      .flink_result = rows,
      .run = [](ProcedureCall& call) {
        std::optional<int64_t> older_than;
        if (auto text = call.OptionalText("older_than")) older_than = ParseLocalTime(*text, "older_than");
        std::vector<ProcedureRow> rows;
        for (std::string& name : ExpireTags(*call.Table(), older_than, call.now_millis(), call.executor())) {
          rows.push_back({std::move(name)});
        }
        if (rows.empty()) rows.push_back({std::string("No expired tags.")});
        return rows;
      },
  };
}

}  // namespace mica
