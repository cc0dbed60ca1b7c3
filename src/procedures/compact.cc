#include "base/text.h"
#include "procedures/call.h"
#include "procedures/compact_table.h"
#include "procedures/entries.h"
#include "procedures/shared_arguments.h"

namespace mica {

Procedure CompactProcedure() {
  return {
      .name = "compact",
      .description = "Merges the files of a table, or of some of its partitions, into fewer ones.",
      .arguments =
          {
              TableArgument(),
              {.name = "partitions",
               .description = "only these partitions, as 'dt=2024-01-01,hh=1;dt=2024-01-02'",
               .option = "partition",
               .joined_by = ';'},
              {.name = "compact_strategy",
               .description = "'full' merges everything, 'minor' what the table's options would pick",
               .fallback = "full"},
              {.name = "order_strategy",
               .description = "'order' sorts the rows of an append table by 'order_by'; 'zorder' and 'hilbert' are refused",
               .fallback = "none"},
              {.name = "order_by", .description = "the columns to sort by, separated by commas"},
              {.name = "where", .description = "only the partitions that match this condition on partition columns"},
              OptionsArgument(),
              {.name = "partition_idle_time",
               .description = "only partitions without a new file for so long, as '1 d'"},
              {.name = "buckets", .description = "only these buckets of a table with a fixed number, as '0,2-4'"},
          },
      .flink_order = {"table", "partitions", "order_strategy", "order_by", "options", "where", "partition_idle_time",
                      "compact_strategy", "buckets"},
      .spark_result = SuccessAsBoolean(),
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) {
        CompactByCall(call, call.Table());
        return call.Success();
      },
  };
}

}  // namespace mica
