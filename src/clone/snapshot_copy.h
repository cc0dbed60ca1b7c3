// Copies the latest snapshot of a table as it is, with its id and all its metadata: what the deprecated copy_files does
// (M-0916). No commit is made in the target: it becomes the source as of that snapshot.
#pragma once

#include <string>

#include "clone/table_copy.h"

namespace mica {

// Into the folder `root`, where nothing lies yet or what earlier calls copied from the same table: files that are there with
// the right size are not copied again, snapshots of earlier calls go. The snapshot comes last, so that the target reads as
// before until all is there. Throws Unsupported for files that lie outside of the source's folder, InvalidArgument when the
// target has schemas or snapshots of its own.
CopyResult CopySnapshot(const Table& source, const FileSystemPtr& target, const std::string& root, const CopyRequest& request);

}  // namespace mica
