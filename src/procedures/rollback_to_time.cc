// rollback_to_timestamp and rollback_to_watermark (M-0630, M-0631).
#include <algorithm>

#include "base/error.h"
#include "procedures/entries.h"
#include "procedures/rollback_target.h"
#include "procedures/shared_arguments.h"

namespace mica {

namespace {

// The latest snapshot with a watermark at or below the given one.
Snapshot TargetOfWatermark(const Table& table, int64_t watermark) {
  std::optional<Snapshot> found;
  std::optional<int64_t> smallest, largest;
  for (int64_t id : table.snapshots().Ids()) {
    Snapshot snapshot = table.snapshots().Get(id);
    // The smallest number means that there is none.
    if (!snapshot.watermark || *snapshot.watermark == INT64_MIN) continue;
    smallest = std::min(smallest.value_or(*snapshot.watermark), *snapshot.watermark);
    largest = std::max(largest.value_or(*snapshot.watermark), *snapshot.watermark);
    if (*snapshot.watermark <= watermark) found = std::move(snapshot);
  }
  if (found) return *std::move(found);
  if (!smallest) throw NotFound("No snapshot of table '{}' has a watermark", table.name().ToString());
  throw NotFound("No snapshot of table '{}' has a watermark at or below {}: they go from {} to {}", table.name().ToString(),
                 watermark, *smallest, *largest);
}

}  // namespace

Procedure RollbackToTimestampProcedure() {
  return {
      .name = "rollback_to_timestamp",
      .description = "Brings a table back to its state at a time. Commits a new snapshot with the content of the latest one "
                     "committed at or before it.",
      .arguments = {TableArgument(),
                    {.name = "timestamp",
                     .type = ArgumentType::kLong,
                     .description = "the time, in milliseconds since 1970",
                     .required = true},
                    DeleteLaterArgument()},
      .spark_result = RollbackRow(),
      .flink_result = RollbackRow(),
      .run = [](ProcedureCall& call) {
        TablePtr table = call.Table();
        Snapshot target = table->snapshots().AtTime(call.Integer("timestamp"));
        return RowOf(Rollback(call, table, target));
      },
  };
}

Procedure RollbackToWatermarkProcedure() {
  return {
      .name = "rollback_to_watermark",
      .description = "Brings a table back to its state at a watermark. Commits a new snapshot with the content of the latest "
                     "one whose watermark is at or below it.",
      .arguments = {TableArgument(),
                    {.name = "watermark",
                     .type = ArgumentType::kLong,
                     .description = "the watermark, in milliseconds since 1970",
                     .required = true},
                    DeleteLaterArgument()},
      .spark_result = RollbackRow(),
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) -> std::vector<ProcedureRow> {
        TablePtr table = call.Table();
        RollbackResult result = Rollback(call, table, TargetOfWatermark(*table, call.Integer("watermark")));
        if (call.shape() == Engine::kSpark) return RowOf(result);
        return {{fmt::format("Success roll back to snapshot: {} .", result.target_id)}};
      },
  };
}

}  // namespace mica
