#include "procedures/call.h"
#include "procedures/entries.h"
#include "procedures/shared_arguments.h"
#include "table/restore.h"

namespace mica {

Procedure CompactManifestProcedure() {
  return {
      .name = "compact_manifest",
      .description = "Merges small manifests and those that hold removals. Nothing is committed when there is nothing to merge.",
      .arguments = {TableArgument(), OptionsArgument()},
      .spark_result = SuccessAsBoolean(),
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) -> std::vector<ProcedureRow> {
        CompactManifests(call.Table()->WithOptions(call.OptionList()), call.NewCommitSettings());
        if (call.shape() == Engine::kSpark) return call.Success();
        return {{std::string("success")}};
      },
  };
}

}  // namespace mica
