// expire_partitions, expire_changelogs and trigger_tag_automatic_creation (M-1014, M-1023, M-0627).
#include "base/error.h"
#include "base/text.h"
#include "procedures/argument_text.h"
#include "procedures/call.h"
#include "procedures/history_entries.h"
#include "procedures/shared_arguments.h"
#include "history/changelog_expiry.h"
#include "history/partition_expiry.h"
#include "history/tag_creation.h"

namespace mica {

Procedure ExpirePartitionsProcedure() {
  std::vector<DataField> rows = {ResultColumn("expired_partitions", DataType::String())};
  return {
      .name = "expire_partitions",
      .description = "Drops partitions that are older than the expiration time.",
      .arguments = {TableArgument(),
                    {.name = "expiration_time",
                     .description = "how long a partition lives, such as '7 d'",
                     .fallback = "the option 'partition.expiration-time'"},
                    {.name = "timestamp_formatter",
                     .description = "how the time is written, such as 'yyyyMMdd'",
                     .fallback = "the option 'partition.timestamp-formatter'"},
                    {.name = "timestamp_pattern",
                     .description = "the time of a partition, made of its columns, such as '$dt $hour'",
                     .fallback = "the option 'partition.timestamp-pattern', or the first partition column"},
                    {.name = "expire_strategy",
                     .description = "values-time: by the values of the partition; update-time: by its newest file",
                     .fallback = "the option 'partition.expiration-strategy'"},
                    {.name = "max_expires",
                     .type = ArgumentType::kInt,
                     .description = "how many partitions go at most",
                     .fallback = "the option 'partition.expiration-max-num'"},
                    OptionsArgument()},
      .spark_result = rows,
      .flink_result = rows,
      .run = [](ProcedureCall& call) {
        PartitionExpiryRequest request;
        request.expiration_time = call.OptionalText("expiration_time");
        request.formatter = call.OptionalText("timestamp_formatter");
        request.pattern = call.OptionalText("timestamp_pattern");
        request.strategy = call.OptionalText("expire_strategy");
        request.max_expires = call.OptionalInteger("max_expires");
        TablePtr table = call.Table()->WithOptions(call.OptionList());
        std::vector<ProcedureRow> result;
        for (std::string& name : ExpirePartitions(table, request, call.NewCommitSettings(), call.now_millis(), call.executor())) {
          result.push_back({std::move(name)});
        }
        if (result.empty()) result.push_back({std::string("No expired partitions.")});
        return result;
      },
  };
}

Procedure ExpireChangelogsProcedure() {
  return {
      .name = "expire_changelogs",
      .description = "Ends the life of changelogs that outlived their snapshots. Consumers keep theirs.",
      .arguments = {TableArgument(),
                    {.name = "retain_max",
                     .type = ArgumentType::kInt,
                     .description = "how many changelogs may stay, snapshots included",
                     .fallback = "the option 'changelog.num-retained.max'"},
                    {.name = "retain_min",
                     .type = ArgumentType::kInt,
                     .description = "how many stay in any case",
                     .fallback = "the option 'changelog.num-retained.min'"},
                    {.name = "older_than",
                     .description = "changelogs committed before this time may go",
                     .fallback = "now less the option 'changelog.time-retained'"},
                    {.name = "max_deletes",
                     .type = ArgumentType::kInt,
                     .description = "how many go at most",
                     .fallback = "the option 'snapshot.expire.limit'"},
                    {.name = "delete_all",
                     .type = ArgumentType::kBoolean,
                     .description = "whether all of them go",
                     .fallback = "false"}},
      .spark_result = {},
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) -> std::vector<ProcedureRow> {
        ChangelogExpiryRequest request;
        request.retain_max = call.OptionalInteger("retain_max");
        request.retain_min = call.OptionalInteger("retain_min");
        request.max_deletes = call.OptionalInteger("max_deletes");
        request.all = call.BooleanOr("delete_all", false);
        if (auto text = call.OptionalText("older_than")) request.older_than_millis = ParseLocalTime(*text, "older_than");
        int64_t count = ExpireChangelogs(*call.Table(), request, call.now_millis(), call.executor());
        if (request.all) return {{std::string("Delete all separated changelogs success.")}};
        return {{std::to_string(count)}};
      },
  };
}

Procedure TriggerTagAutomaticCreationProcedure() {
  return {
      .name = "trigger_tag_automatic_creation",
      .description = "Makes the tags that the table makes by itself after a commit, and expires tags.",
      .arguments = {TableArgument()},
      .spark_result = SuccessAsBoolean(),
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) {
        TablePtr table = call.Table();
        CreateTagsByTime(*table, call.setting().clock, call.executor());
        ExpireTags(*table, std::nullopt, call.now_millis(), call.executor());
        return call.Success();
      },
  };
}

}  // namespace mica
