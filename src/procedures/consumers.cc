// reset_consumer and clear_consumers (M-0642).
#include "meta/consumer.h"

#include <regex>

#include "base/error.h"
#include "history/lines.h"
#include "procedures/call.h"
#include "procedures/entries.h"
#include "procedures/shared_arguments.h"

namespace mica {

namespace {

std::regex Pattern(const ProcedureCall& call, const std::string& name, const char* otherwise) {
  std::string text = call.OptionalText(name).value_or(otherwise);
  try {
    return std::regex(text, std::regex::ECMAScript);
  } catch (const std::regex_error&) {
    throw InvalidArgument("The argument '{}' is not a regular expression: '{}'", name, text);
  }
}

}  // namespace

Procedure ResetConsumerProcedure() {
  return {
      .name = "reset_consumer",
      .description = "Sets the snapshot that a consumer reads next, or deletes the consumer.",
      .arguments = {TableArgument(),
                    {.name = "consumer_id", .description = "the consumer", .required = true, .aliases = {"consumerId"}},
                    {.name = "next_snapshot_id",
                     .type = ArgumentType::kLong,
                     .description = "the snapshot that it reads next",
                     .fallback = "the consumer is deleted",
                     .aliases = {"nextSnapshotId"},
                     .option = "next_snapshot"}},
      .spark_result = SuccessAsBoolean(),
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) {
        TablePtr table = call.Table();
        ConsumerStore consumers(table->file_system_ptr(), MetadataRoot(*table));
        if (auto next = call.OptionalInteger("next_snapshot_id")) {
          table->snapshots().Get(*next);
          consumers.Reset(call.Text("consumer_id"), *next);
        } else {
          consumers.Delete(call.Text("consumer_id"));
        }
        return call.Success();
      },
  };
}

Procedure ClearConsumersProcedure() {
  return {
      .name = "clear_consumers",
      .description = "Deletes consumers whose names match.",
      .arguments = {TableArgument(),
                    {.name = "including_consumers",
                     .description = "a regular expression of the whole name",
                     .fallback = "all",
                     .aliases = {"includingConsumers"}},
                    {.name = "excluding_consumers",
                     .description = "a regular expression of names that stay in any case",
                     .fallback = "none",
                     .aliases = {"excludingConsumers"}}},
      .spark_result = SuccessAsBoolean(),
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) {
        TablePtr table = call.Table();
        ConsumerStore consumers(table->file_system_ptr(), MetadataRoot(*table));
        std::regex including = Pattern(call, "including_consumers", ".*");
        std::optional<std::regex> excluding;
        if (call.Has("excluding_consumers")) excluding = Pattern(call, "excluding_consumers", "");
        for (const std::string& id : consumers.Ids()) {
          if (!std::regex_match(id, including) || (excluding && std::regex_match(id, *excluding))) continue;
          consumers.Delete(id);
        }
        return call.Success();
      },
  };
}

}  // namespace mica
