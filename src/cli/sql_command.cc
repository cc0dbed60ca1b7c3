// `mica sql`.
#include <unistd.h>

#include <iostream>

#include "cli/command.h"
#include "cli/shell.h"

namespace mica::cli {

namespace {

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

int Run(const SqlOptions& options) {
  bool shell = options.commands.empty() && !options.file && isatty(STDIN_FILENO) != 0;
  Runner runner(options, shell || (isatty(STDOUT_FILENO) != 0));
  if (!shell) runner.render().max_rows = 0;
  for (const auto& [key, value] : options.settings) {
    int code = runner.RunStatement("SET " + key + " = " + Quoted(value));
    if (code != kDone) return code;
  }
  if (options.init_file) {
    int code = runner.RunFile(*options.init_file);
    if (code != kDone && !options.go_on) return code;
  }
  if (shell) return RunShell(runner);
  int code = kDone;
  for (const std::string& command : options.commands) {
    int result = runner.RunScript(command);
    if (result == kDone) continue;
    if (!options.go_on || result == kInterrupted) return result;
    code = kFailed;
  }
  if (options.file) {
    int result = runner.RunFile(*options.file);
    if (result != kDone) return options.go_on && result != kInterrupted ? kFailed : result;
  } else if (options.commands.empty()) {
    return runner.RunInput(std::cin);
  }
  return code;
}

}  // namespace

int RunSql(const std::vector<std::string>& words) {
  SqlOptions options;
  try {
    options = ParseSqlOptions(words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "Error: %s\n", error.what());
    return kUsage;
  }
  if (options.help) return RunHelp({"sql"});
  try {
    return Run(options);
  } catch (const Error& error) {
    std::fprintf(stderr, "Error: %s\n", MaskSecrets(error.what(), options.session).c_str());
    return error.kind() == ErrorKind::kConflict ? kConflict : kFailed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "Error: %s\n", MaskSecrets(error.what(), options.session).c_str());
    return kFailed;
  }
}

}  // namespace mica::cli
