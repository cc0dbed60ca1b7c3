#include "procedures/call.h"
#include "procedures/entries.h"
#include "procedures/shared_arguments.h"

namespace mica {

Procedure RenameTagProcedure() {
  ProcedureArgument tag = NewTagArgument();
  tag.description = "the tag";
  tag.aliases = {"tagName", "tag_name"};
  return {
      .name = "rename_tag",
      .description = "Gives a tag another name. Its snapshot and its retention stay.",
      .arguments = {TableArgument(), tag,
                    {.name = "target_tag",
                     .description = "the new name",
                     .required = true,
                     .aliases = {"targetTagName"},
                     .option = "target_tag_name"}},
      .spark_result = SuccessAsBoolean(),
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) -> std::vector<ProcedureRow> {
        const std::string& from = call.Text("tag");
        const std::string& to = call.Text("target_tag");
        RenameTag(*call.Table(), from, to);
        if (call.shape() == Engine::kSpark) return call.Success();
        return {{fmt::format("Rename [{}] to [{}] successfully.", from, to)}};
      },
  };
}

}  // namespace mica
