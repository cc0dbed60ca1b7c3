// create_tag_from_timestamp and create_tag_from_watermark: the same but for what they look at (M-0626, M-0627).
#include <algorithm>

#include "procedures/call.h"
#include "procedures/entries.h"
#include "procedures/shared_arguments.h"

namespace mica {

namespace {

std::vector<DataField> TagRow() {
  return {ResultColumn("tagName", DataType::String()), ResultColumn("snapshot", DataType::BigInt()),
          ResultColumn("commit_time", DataType::BigInt()), ResultColumn("watermark", DataType::String())};
}

// The first snapshot, or tagged snapshot, that is late enough.
template <typename LateEnough>
std::optional<Snapshot> FirstSnapshot(const Table& table, const LateEnough& late_enough) {
  std::optional<Snapshot> first;
  auto offer = [&](const Snapshot& snapshot) {
    if (late_enough(snapshot) && (!first || snapshot.id < first->id)) first = snapshot;
  };
  for (const std::string& name : table.snapshots().TagNames()) {
    if (auto tag = table.snapshots().FindTag(name)) offer(tag->snapshot);
  }
  for (int64_t id : table.snapshots().Ids()) {
    if (first && first->id <= id) break;
    offer(table.snapshots().Get(id));
  }
  return first;
}

std::vector<ProcedureRow> CreateFrom(ProcedureCall& call, const Table& table, const Snapshot& snapshot) {
  TagRequest request = TagRequestOf(call, /*with_snapshot=*/false);
  request.snapshot_id = snapshot.id;
  CreateTag(table, request, TagExists::kFail, call.setting().clock, call.executor());
  return {{request.name, snapshot.id, snapshot.time_millis, std::to_string(snapshot.watermark.value_or(INT64_MIN))}};
}

ProcedureArgument TagNamed() {
  ProcedureArgument tag = NewTagArgument();
  tag.option = "tag";
  return tag;
}

}  // namespace

Procedure CreateTagFromTimestampProcedure() {
  return {
      .name = "create_tag_from_timestamp",
      .description = "Names the first snapshot that was committed at or after a time.",
      .arguments = {TableArgument(), TagNamed(),
                    {.name = "timestamp",
                     .type = ArgumentType::kLong,
                     .description = "the time, in milliseconds since 1970",
                     .required = true},
                    RetainedArgument()},
      .spark_result = TagRow(),
      .flink_result = TagRow(),
      .run = [](ProcedureCall& call) {
        TablePtr table = call.Table();
        int64_t time = call.Integer("timestamp");
        auto snapshot = FirstSnapshot(*table, [&](const Snapshot& item) { return item.time_millis >= time; });
        if (!snapshot) throw NotFound("Could not find any snapshot whose commit-time later than {}", time);
        return CreateFrom(call, *table, *snapshot);
      },
  };
}

Procedure CreateTagFromWatermarkProcedure() {
  return {
      .name = "create_tag_from_watermark",
      .description = "Names the first snapshot whose watermark is at or after a time.",
      .arguments = {TableArgument(), TagNamed(),
                    {.name = "watermark",
                     .type = ArgumentType::kLong,
                     .description = "the watermark, in milliseconds since 1970",
                     .required = true},
                    RetainedArgument()},
      .spark_result = {},
      .flink_result = TagRow(),
      .run = [](ProcedureCall& call) {
        TablePtr table = call.Table();
        int64_t watermark = call.Integer("watermark");
        // The smallest number means that there is none.
        auto snapshot = FirstSnapshot(*table, [&](const Snapshot& item) {
          return item.watermark && *item.watermark != INT64_MIN && *item.watermark >= watermark;
        });
        if (!snapshot) throw NotFound("Could not find any snapshot whose watermark later than {}", watermark);
        return CreateFrom(call, *table, *snapshot);
      },
  };
}

}  // namespace mica
