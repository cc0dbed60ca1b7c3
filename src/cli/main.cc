// The program `mica`.
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/allocator.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/ingest_command.h"
#include "cli/tail_command.h"
#include "procedures/registry.h"

namespace {

// What is opened later must not get the number of a standard stream that the caller closed: rows would go into a file of a
// table. In its place stands a file that refuses every use.
void HoldStandardStreams() {
  constexpr int kRefusing[] = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int stream = 0; stream < 3; ++stream) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    if (open("/dev/null", kRefusing[stream]) != stream) std::_Exit(mica::cli::kFailed);
  }
}

void TellWarnings() {
  mica::SetLogSink([](mica::LogLevel level, const std::string& text) {
    if (level == mica::LogLevel::kWarning) std::fprintf(stderr, "Warning: %s\n", text.c_str());
  });
}

int Run(std::vector<std::string> words) {
  using namespace mica::cli;
  if (words.empty()) {
    RunHelp({});
    return kUsage;
  }
  std::string command = words.front();
  words.erase(words.begin());
  if (command == "sql") return RunSql(words);
  if (command == "tail") return RunTail(words);
  if (command == "ingest") return RunIngest(words);
  if (command == "version" || command == "--version" || command == "-V") return RunVersion();
  if (command == "help" || command == "--help" || command == "-h") return RunHelp(words);
  if (command == "completion") return RunCompletion(words);
  // "compact-database" is how older documents write an action.
  std::string action = mica::ToLower(command);
  std::replace(action.begin(), action.end(), '-', '_');
  std::vector<std::string> known = {"sql", "tail", "ingest", "version", "help", "completion"};
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

}  // namespace

int main(int count, char** arguments) {
  HoldStandardStreams();
  mica::PreferFrugalAllocator();
  TellWarnings();
  // A reader that went away ends the output, not with a signal.
  std::signal(SIGPIPE, SIG_IGN);
  const int code = Run(std::vector<std::string>(arguments + 1, arguments + count));
  if (code != mica::cli::kDone || (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)) return code;
  if (errno != EPIPE) {
    std::fprintf(stderr, "Error: The output cannot be written: %s\n", std::strerror(errno == 0 ? EIO : errno));
  }
  return mica::cli::kFailed;
}
