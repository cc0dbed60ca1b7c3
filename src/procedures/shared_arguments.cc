#include "procedures/shared_arguments.h"

#include "base/text.h"

namespace mica {

ProcedureArgument TableArgument() {
  return {.name = "table", .description = "the table, as 'database.table'", .required = true};
}

ProcedureArgument NewTagArgument() {
  return {.name = "tag", .description = "the name of the tag", .required = true, .option = "tag_name"};
}

ProcedureArgument SnapshotArgument() {
  return {.name = "snapshot_id",
          .type = ArgumentType::kLong,
          .description = "the snapshot, which may be one that only a tag holds",
          .fallback = "the latest",
          .aliases = {"snapshot"},
          .option = "snapshot"};
}

ProcedureArgument RetainedArgument() {
  return {.name = "time_retained",
          .description = "how long the tag stays, such as '7 d'",
          .fallback = "the option 'tag.default-time-retained', or for ever"};
}

ProcedureArgument OptionsArgument() {
  return {.name = "options",
          .description = "options of the table for this call, as 'key=value,key=value'",
          .aliases = {"table_conf"},
          .joined_by = ','};
}

TagRequest TagRequestOf(const ProcedureCall& call, bool with_snapshot) {
  TagRequest request;
  request.name = call.Text("tag");
  if (with_snapshot) request.snapshot_id = call.OptionalInteger("snapshot_id");
  if (auto retained = call.OptionalText("time_retained")) request.time_retained = ParseDuration(*retained);
  return request;
}

}  // namespace mica
