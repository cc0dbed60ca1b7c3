#include "procedures/call.h"
#include "procedures/entries.h"
#include "procedures/shared_arguments.h"

namespace mica {

Procedure ReplaceTagProcedure() {
  return {
      .name = "replace_tag",
      .description = "Gives an existing tag another snapshot and retention.",
      .arguments = {TableArgument(), NewTagArgument(), SnapshotArgument(), RetainedArgument()},
      .spark_result = SuccessAsBoolean(),
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) {
        ReplaceTag(*call.Table(), TagRequestOf(call), call.setting().clock, call.executor());
        return call.Success();
      },
  };
}

}  // namespace mica
