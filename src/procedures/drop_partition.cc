#include "procedures/argument_text.h"
#include "procedures/call.h"
#include "procedures/entries.h"
#include "procedures/shared_arguments.h"

namespace mica {

Procedure DropPartitionProcedure() {
  return {
      .name = "drop_partition",
      .description = "Removes the rows of partitions. A specification may leave out columns, and then means all that match.",
      .arguments = {TableArgument(),
                    {.name = "partition",
                     .description = "a partition, as 'dt=2024-07-01,hh=10'",
                     .required = true,
                     .aliases = {"partitions"},
                     .joined_by = ';'}},
      .spark_result = {},
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) {
        TablePtr table = call.Table();
        TableCommit(table, call.NewCommitSettings()).DropPartitions(ParsePartitions(*table, call.Text("partition")));
        return call.Success();
      },
  };
}

}  // namespace mica
