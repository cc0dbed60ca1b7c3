#include "procedures/rollback_target.h"

#include "base/error.h"
#include "base/text.h"
#include "history/tags.h"

namespace mica {

ProcedureArgument DeleteLaterArgument() {
  return {.name = "delete_later",
          .type = ArgumentType::kBoolean,
          .description = "true: delete the snapshots and tags that are later than the target; false: commit a new snapshot "
                         "with its content",
          .fallback = "false"};
}

Snapshot TargetOfTag(const Table& table, const std::string& tag) {
  if (auto found = table.snapshots().FindTag(tag)) return found->snapshot;
  auto id = ParseInteger(tag);
  bool is_snapshot = id && table.snapshots().Exists(*id);
  throw NotFound("Tag '{}' doesn't exist{}", tag,
                 is_snapshot ? fmt::format(". For the snapshot: snapshot_id => {}", *id)
                             : DidYouMean(tag, table.snapshots().TagNames()));
}

Snapshot TargetOfSnapshot(const Table& table, int64_t id) {
  if (!table.snapshots().LatestId()) {
    throw NotFound("Latest snapshot is null, can not rollback: the table '{}' is empty", table.name().ToString());
  }
  try {
    return FindSnapshotOrTagged(table, id);
  } catch (Error& error) {
    if (error.kind() != ErrorKind::kNotFound) throw;
    throw NotFound("Rollback snapshot '{}' doesn't exist. {}", id, error.message());
  }
}

RollbackResult Rollback(ProcedureCall& call, const TablePtr& table, const Snapshot& target) {
  if (call.BooleanOr("delete_later", false)) return RollbackDeletingLater(*table, target);
  return RollbackAsLatest(table, target, call.NewCommitSettings());
}

std::vector<DataField> RollbackRow() {
  return {ResultColumn("previous_snapshot_id", DataType::BigInt()), ResultColumn("current_snapshot_id", DataType::BigInt())};
}

std::vector<ProcedureRow> RowOf(const RollbackResult& result) { return {{result.previous_id, result.current_id}}; }

}  // namespace mica
