// `mica <action>`: one procedure from the command line, with the long options of Paimon's action jar.
#include <cstdio>

#include "base/text.h"
#include "cli/action_options.h"
#include "cli/command.h"
#include "cli/rows_writer.h"
#include "cli/sql_options.h"
#include "cli/work_report.h"

namespace mica::cli {

namespace {

int Fail(const std::exception& error, const Options& secrets, int code) {
  std::fprintf(stderr, "Error: %s\n", MaskSecrets(error.what(), secrets).c_str());
  return code;
}

// "k=v" among the options, whatever they have under that key.
void AddPair(const std::string& text, Options* options) {
  const size_t equals = text.find('=');
  if (equals != std::string::npos) options->emplace("target." + text.substr(0, equals), text.substr(equals + 1));
}

int Run(const Procedure& procedure, const ActionOptions& options) {
  ProcedureSetting setting;
  setting.catalog = OpenCatalog(options.catalog);
  setting.catalog_name = options.catalog_name;
  setting.database = options.database;
  setting.dialect = options.dialect;
  std::unique_ptr<SqlSession> session;
  setting.sql = [&]() -> SqlSession& {
    if (!session) {
      SessionSettings settings;
      settings.catalog = setting.catalog;
      settings.catalog_name = options.catalog_name;
      settings.database = options.database;
      settings.dialect = options.dialect == Engine::kFlink ? "flink" : "spark";
      session = OpenSqlSession(settings);
    }
    return *session;
  };
  std::optional<WorkReport> report(std::in_place);
  setting.note = [&](const std::string& line) { report->Note(line); };
  setting.progress = [&](const std::string& line) { report->Progress(line); };
  std::optional<ProcedureCall> call;
  try {
    call.emplace(procedure, setting, options.arguments);
  } catch (const Error& error) {
    return Fail(error, options.catalog, kUsage);
  }
  const auto rows = procedure.run(*call);
  report.reset();
  std::string text = FormatRows(procedure.ResultOf(call->shape()), rows, options.format);
  std::fwrite(text.data(), 1, text.size(), stdout);  // `main` tells when it failed
  return kDone;
}

}  // namespace

int RunAction(const Procedure& procedure, const std::vector<std::string>& words) {
  ActionOptions options;
  try {
    options = ParseActionOptions(procedure, words);
  } catch (const std::exception& error) {
    return Fail(error, {}, kUsage);
  }
  if (options.help) return RunHelp({procedure.name});
  // Of the other catalog too.
  Options secrets = options.catalog;
  for (const GivenArgument& argument : options.arguments) {
    if (argument.name.ends_with("catalog_conf")) AddPair(argument.text, &secrets);
  }
  return RunTellingErrors(secrets, [&] { return Run(procedure, options); });
}

}  // namespace mica::cli
