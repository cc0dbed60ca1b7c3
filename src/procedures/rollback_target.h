// What the procedures that roll back share: finding the target, the argument delete_later, the rows.
#pragma once

#include "history/rollback.h"
#include "procedures/call.h"

namespace mica {

ProcedureArgument DeleteLaterArgument();

// Throws NotFound.
Snapshot TargetOfTag(const Table& table, const std::string& tag);
Snapshot TargetOfSnapshot(const Table& table, int64_t id);

// Rolls back as delete_later says.
RollbackResult Rollback(ProcedureCall& call, const TablePtr& table, const Snapshot& target);

// previous_snapshot_id, current_snapshot_id
std::vector<DataField> RollbackRow();
std::vector<ProcedureRow> RowOf(const RollbackResult& result);

}  // namespace mica
