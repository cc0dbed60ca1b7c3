#include "base/text.h"
#include "history/tags.h"
#include "procedures/call.h"
#include "procedures/entries.h"
#include "procedures/shared_arguments.h"

namespace mica {

Procedure CreateTagProcedure() {
  return {
      .name = "create_tag",
      .description = "Names a snapshot, so that it stays readable after it has expired.",
      .arguments = {TableArgument(), NewTagArgument(), SnapshotArgument(), RetainedArgument()},
      .spark_result = SuccessAsBoolean(),
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) {
        CreateTag(*call.Table(), TagRequestOf(call), TagExists::kFail, call.setting().clock, call.executor());
        return call.Success();
      },
  };
}

}  // namespace mica
