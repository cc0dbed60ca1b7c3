// The program `mica`.
#include <algorithm>
#include <csignal>
#include <cstdio>

#include "base/allocator.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/command.h"
#include "procedures/registry.h"

int main(int count, char** arguments) {
  using namespace mica::cli;
  mica::PreferFrugalAllocator();
  // A reader that went away ends the output, not with a signal.
  std::signal(SIGPIPE, SIG_IGN);
  std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.empty()) {
    RunHelp({});
    return kUsage;
  }
  std::string command = words.front();
  words.erase(words.begin());
  if (command == "sql") return RunSql(words);
  if (command == "version" || command == "--version" || command == "-V") return RunVersion();
  if (command == "help" || command == "--help" || command == "-h") return RunHelp(words);
  if (command == "completion") return RunCompletion(words);
  // "compact-database" is how older documents write an action.
  std::string action = mica::ToLower(command);
  std::replace(action.begin(), action.end(), '-', '_');
  std::vector<std::string> known = {"sql", "version", "help", "completion"};
  for (const mica::Procedure& procedure : mica::Procedures()) {
    if (procedure.name == action) return RunAction(procedure, words);
    known.push_back(procedure.name);
  }
  try {
    mica::FindProcedure(action);
  } catch (const mica::Error& error) {
    if (error.kind() == mica::ErrorKind::kUnsupported) {
      std::fprintf(stderr, "Error: The action '%s' is not available in this version. 'mica help' lists those that are.\n",
                   action.c_str());
      return kFailed;
    }
  }
  std::fprintf(stderr, "Error: The command '%s' is not known%s. 'mica help' lists the commands.\n", command.c_str(),
               mica::DidYouMean(action, known).c_str());
  return kUsage;
}
