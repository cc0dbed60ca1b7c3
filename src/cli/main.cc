// The program `mica`.
#include <csignal>
#include <cstdio>

#include "base/text.h"
#include "cli/command.h"

int main(int count, char** arguments) {
  using namespace mica::cli;
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
  std::vector<std::string> known = {"sql", "version", "help"};
  std::fprintf(stderr, "Error: The command '%s' is not known%s. 'mica help' lists the commands.\n", command.c_str(),
               mica::DidYouMean(command, known).c_str());
  return kUsage;
}
