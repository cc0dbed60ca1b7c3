// The entries of the registry, one file each; registry.cc lists them.
#pragma once

#include "procedures/registry.h"

namespace mica {

Procedure AlterColumnDefaultValueProcedure();
Procedure ClearConsumersProcedure();
Procedure CloneProcedure();
Procedure CompactProcedure();
Procedure CompactDatabaseProcedure();
Procedure CompactManifestProcedure();
Procedure CopyProcedure();
Procedure CopyFilesProcedure();
Procedure CreateTagProcedure();
Procedure CreateTagFromTimestampProcedure();
Procedure CreateTagFromWatermarkProcedure();
Procedure DeleteTagProcedure();
Procedure DropPartitionProcedure();
Procedure ExpireSnapshotsProcedure();
Procedure ExpireTagsProcedure();
Procedure ImportFilesProcedure();
Procedure MergeIntoProcedure();
Procedure RenameTagProcedure();
Procedure ReplaceTagProcedure();
Procedure ResetConsumerProcedure();
Procedure RewriteFileIndexProcedure();
Procedure RollbackProcedure();
Procedure RollbackToProcedure();
Procedure RollbackToAsLatestProcedure();
Procedure RollbackToTimestampProcedure();
Procedure RollbackToWatermarkProcedure();

}  // namespace mica
