// The entries of the registry about branches, retention and files; see entries.h.
#pragma once

#include "procedures/registry.h"

namespace mica {

Procedure CreateBranchProcedure();
Procedure DeleteBranchProcedure();
Procedure ExpireChangelogsProcedure();
Procedure ExpirePartitionsProcedure();
Procedure FastForwardProcedure();
Procedure MarkPartitionDoneProcedure();
Procedure MergeBranchProcedure();
Procedure PurgeFilesProcedure();
Procedure RemoveOrphanFilesProcedure();
Procedure RemoveUnexistingFilesProcedure();
Procedure RenameBranchProcedure();
Procedure TriggerTagAutomaticCreationProcedure();

}  // namespace mica
