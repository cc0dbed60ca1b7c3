// Arguments that several procedures share.
#pragma once

#include "history/tags.h"
#include "procedures/call.h"

namespace mica {

ProcedureArgument TableArgument();     // table
ProcedureArgument NewTagArgument();    // tag
ProcedureArgument SnapshotArgument();  // snapshot, snapshot_id
ProcedureArgument RetainedArgument();  // time_retained
ProcedureArgument OptionsArgument();   // options: of the table, for this call

// `with_snapshot` false: the procedure finds the snapshot by itself.
TagRequest TagRequestOf(const ProcedureCall& call, bool with_snapshot = true);

}  // namespace mica
