// The interactive shell: lines from libedit with history and completion, statements over several lines, dot commands.
#pragma once

#include "cli/runner.h"

namespace mica::cli {

int RunShell(Runner& runner);

// Runs ".name arguments"; true when the shell is to end.
bool RunDotCommand(Runner& runner, const std::string& line);

}  // namespace mica::cli
