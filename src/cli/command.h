// The commands of the program. Each takes the words after its name and gives the exit code: 0 done, 1 failed, 2 usage,
// 3 conflict, 130 interrupted.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace mica {
struct Procedure;
}

namespace mica::cli {

inline constexpr int kDone = 0, kFailed = 1, kUsage = 2, kConflict = 3, kInterrupted = 130;

inline int ExitCodeOf(ErrorKind kind) {
  if (kind == ErrorKind::kConflict) return kConflict;
  return kind == ErrorKind::kCancelled ? kInterrupted : kFailed;
}

int RunSql(const std::vector<std::string>& words);
int RunAction(const Procedure& procedure, const std::vector<std::string>& words);
// The script that makes a shell complete the words after `mica`: "bash".
int RunCompletion(const std::vector<std::string>& words);
int RunHelp(const std::vector<std::string>& words);
int RunVersion();

}  // namespace mica::cli
