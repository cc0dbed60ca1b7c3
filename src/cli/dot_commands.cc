#include "base/text.h"
#include "cli/command.h"
#include "cli/shell.h"

namespace mica::cli {

namespace {

std::string QuoteText(const std::string& text) {
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

bool OnOrOff(const std::string& text) {
  if (EqualsIgnoreCase(text, "on") || text == "1") return true;
  if (EqualsIgnoreCase(text, "off") || text == "0") return false;
  throw InvalidArgument("'on' or 'off' is expected, not '{}'", text);
}

}  // namespace

bool RunDotCommand(Runner& runner, const std::string& line) {
  size_t space = line.find_first_of(" \t");
  std::string name = line.substr(0, space);
  std::string argument = space == std::string::npos ? "" : std::string(Trim(line.substr(space)));
  while (!argument.empty() && argument.back() == ';') argument.pop_back();
  try {
    if (name == ".quit" || name == ".exit" || name == ".q") return true;
    if (name == ".help" || name == ".h") {
      RunHelp({"shell"});
    } else if (name == ".tables") {
      runner.RunStatement(argument.empty() ? "SHOW TABLES" : "SHOW TABLES LIKE " + QuoteText(argument));
    } else if (name == ".databases") {
      runner.RunStatement("SHOW DATABASES");
    } else if (name == ".schema") {
      if (!argument.empty()) {
        runner.RunStatement("SHOW CREATE TABLE " + argument);
      } else {
        SqlSession& session = runner.session();
        for (const std::string& table : session.catalog().ListTables(session.current_database())) {
          runner.RunStatement("SHOW CREATE TABLE `" + table + "`");
        }
      }
    } else if (name == ".mode") {
      runner.render().format = ParseRenderFormat(argument);
    } else if (name == ".timer") {
      runner.set_timer(OnOrOff(argument));
    } else if (name == ".maxrows") {
      auto rows = ParseInteger(argument);
      if (!rows || *rows < 0) throw InvalidArgument(".maxrows needs a number, not '{}'", argument);
      runner.render().max_rows = *rows;
    } else if (name == ".read") {
      runner.RunFile(argument);
    } else if (name == ".output") {
      runner.SetOutput(argument);
    } else {
      std::vector<std::string> known = {".help", ".tables", ".databases", ".schema", ".mode", ".timer", ".maxrows", ".read",
                                        ".output", ".quit"};
      throw InvalidArgument("The command '{}' is not known{}. '.help' lists the commands", name, DidYouMean(name, known));
    }
  } catch (const std::exception& error) {
    runner.PrintError(error.what());
  }
  return false;
}

}  // namespace mica::cli
