// rollback_to of Flink and rollback of Spark (M-0628, M-0629).
#include "base/error.h"
#include "base/text.h"
#include "procedures/entries.h"
#include "procedures/rollback_target.h"
#include "procedures/shared_arguments.h"

namespace mica {

namespace {

// Exactly one of the arguments that name a state.
void RequireOne(const ProcedureCall& call, const std::vector<std::string>& names) {
  size_t given = 0;
  for (const std::string& name : names) given += call.Has(name) ? 1 : 0;
  if (given != 1) {
    throw InvalidArgument("The procedure '{}' needs exactly one of '{}', but {} are given", call.procedure().name,
                          Join(names, "', '"), given);
  }
}

// A version is a tag, or digits that are a snapshot.
Snapshot TargetOfVersion(const Table& table, const std::string& version) {
  auto id = ParseInteger(version);
  if (id && !table.snapshots().FindTag(version)) return TargetOfSnapshot(table, *id);
  return TargetOfTag(table, version);
}

Snapshot TargetOf(const ProcedureCall& call, const Table& table) {
  if (call.Has("version")) return TargetOfVersion(table, call.Text("version"));
  if (call.Has("tag")) return TargetOfTag(table, call.Text("tag"));
  return TargetOfSnapshot(table, call.Integer("snapshot_id"));
}

ProcedureArgument TargetTag() {
  return {.name = "tag", .description = "the tag to go back to", .option = "tag_name"};
}

ProcedureArgument SnapshotId() {
  return {.name = "snapshot_id",
          .type = ArgumentType::kLong,
          .description = "the snapshot to go back to, which may be one that only a tag holds",
          .aliases = {"snapshot"},
          .option = "snapshot"};
}

ProcedureArgument Version() {
  return {.name = "version", .description = "a tag or the number of a snapshot, as older scripts give it"};
}

std::vector<ProcedureRow> Run(ProcedureCall& call) {
  RequireOne(call, {"tag", "snapshot_id", "version"});
  TablePtr table = call.Table();
  return RowOf(Rollback(call, table, TargetOf(call, *table)));
}

constexpr const char* kDescription =
    "Brings a table back to an older state. Commits a new snapshot with the content of a snapshot or tag; nothing is deleted, "
    "so it can be taken back.";

}  // namespace

Procedure RollbackToProcedure() {
  return {
      .name = "rollback_to",
      .description = kDescription,
      .arguments = {TableArgument(), TargetTag(), SnapshotId(), DeleteLaterArgument(), Version()},
      .spark_result = {},
      .flink_result = RollbackRow(),
      .run = Run,
  };
}

Procedure RollbackProcedure() {
  return {
      .name = "rollback",
      .description = kDescription,
      .arguments = {TableArgument(), Version(), SnapshotId(), TargetTag(), DeleteLaterArgument()},
      .spark_result = RollbackRow(),
      .flink_result = {},
      .run = Run,
  };
}

Procedure RollbackToAsLatestProcedure() {
  std::vector<DataField> row = {ResultColumn("previous_snapshot_id", DataType::BigInt()),
                                ResultColumn("rolled_back_snapshot_id", DataType::BigInt()),
                                ResultColumn("current_snapshot_id", DataType::BigInt())};
  return {
      .name = "rollback_to_as_latest",
      .description = "Commits a new snapshot with the content of an older snapshot or tag.",
      .arguments = {TableArgument(), TargetTag(), SnapshotId()},
      .spark_result = {},
      .flink_result = row,
      .run = [](ProcedureCall& call) -> std::vector<ProcedureRow> {
        RequireOne(call, {"tag", "snapshot_id"});
        TablePtr table = call.Table();
        Snapshot target = call.Has("tag") ? TargetOfTag(*table, call.Text("tag"))
                                                : TargetOfSnapshot(*table, call.Integer("snapshot_id"));
        RollbackResult result = RollbackAsLatest(table, target, call.NewCommitSettings());
        return {{result.previous_id, result.target_id, result.current_id}};
      },
  };
}

}  // namespace mica
