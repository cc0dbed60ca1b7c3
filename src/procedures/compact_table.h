// What the procedures `compact` and `compact_database` share.
#pragma once

#include "procedures/call.h"

namespace mica {

// Compacts one table as the arguments of `call` say (those that its entry has). Throws InvalidArgument naming the argument.
void CompactByCall(ProcedureCall& call, TablePtr table);

}  // namespace mica
