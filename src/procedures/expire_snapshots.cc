#include "history/expire_snapshots.h"

#include "procedures/argument_text.h"
#include "procedures/call.h"
#include "procedures/entries.h"
#include "procedures/shared_arguments.h"

namespace mica {

Procedure ExpireSnapshotsProcedure() {
  return {
      .name = "expire_snapshots",
      .description = "Ends the life of old snapshots and deletes the files that only they used. Tags, branches and consumers "
                     "keep theirs.",
      .arguments = {TableArgument(),
                    {.name = "retain_max",
                     .type = ArgumentType::kInt,
                     .description = "how many snapshots may stay",
                     .fallback = "the option 'snapshot.num-retained.max'"},
                    {.name = "retain_min",
                     .type = ArgumentType::kInt,
                     .description = "how many snapshots stay in any case",
                     .fallback = "the option 'snapshot.num-retained.min'"},
                    {.name = "older_than",
                     .description = "snapshots may go when the one after them was committed before this time",
                     .fallback = "now less the option 'snapshot.time-retained'"},
                    {.name = "max_deletes",
                     .type = ArgumentType::kInt,
                     .description = "how many snapshots go at most",
                     .fallback = "the option 'snapshot.expire.limit'"},
                    OptionsArgument()},
      .spark_result = {ResultColumn("deleted_snapshots_count", DataType::Int())},
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) -> std::vector<ProcedureRow> {
        TablePtr table = call.Table()->WithOptions(call.OptionList());
        ExpireRequest request;
        request.retain_max = call.OptionalInteger("retain_max");
        request.retain_min = call.OptionalInteger("retain_min");
        request.max_deletes = call.OptionalInteger("max_deletes");
        if (auto text = call.OptionalText("older_than")) request.older_than_millis = ParseLocalTime(*text, "older_than");
        int64_t count = ExpireSnapshots(*table, request, call.now_millis(), call.executor());
        if (call.shape() == Engine::kSpark) return {{count}};
        return {{std::to_string(count)}};
      },
  };
}

}  // namespace mica
