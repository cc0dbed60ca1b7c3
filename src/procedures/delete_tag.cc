#include "base/text.h"
#include "procedures/call.h"
#include "procedures/entries.h"
#include "procedures/shared_arguments.h"

namespace mica {

Procedure DeleteTagProcedure() {
  ProcedureArgument tags = NewTagArgument();
  tags.description = "the tags, separated by commas; missing ones are left out with a warning";
  return {
      .name = "delete_tag",
      .description = "Deletes tags, and the files that only they held.",
      .arguments = {TableArgument(), tags},
      .spark_result = SuccessAsBoolean(),
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) {
        DeleteTags(*call.Table(), SplitList(call.Text("tag"), ','), TagMissing::kIgnore, call.executor());
        return call.Success();
      },
  };
}

}  // namespace mica
