#include "cli/action_options.h"

#include <algorithm>
#include <cstdio>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/sql_options.h"

namespace mica::cli {

namespace {

// <warehouse>/<database>.db/<table>
void TakePath(const std::string& path, ActionOptions* options, std::string* table) {
  std::string_view rest = path;
  while (rest.size() > 1 && rest.ends_with('/')) rest.remove_suffix(1);
  size_t table_slash = rest.rfind('/');
  size_t database_slash = table_slash == std::string_view::npos || table_slash == 0 ? std::string_view::npos
                                                                                    : rest.rfind('/', table_slash - 1);
  std::string_view database;
  if (database_slash != std::string_view::npos) {
    database = rest.substr(database_slash + 1, table_slash - database_slash - 1);
  }
  if (!database.ends_with(".db") || database.size() == 3) {
    throw InvalidArgument("--path must be <warehouse>/<database>.db/<table>, not '{}'", path);
  }
  options->catalog["warehouse"] = std::string(rest.substr(0, database_slash));
  options->database = std::string(database.substr(0, database.size() - 3));
  *table = std::string(rest.substr(table_slash + 1));
}

const ProcedureArgument* FindOption(const Procedure& procedure, std::string_view name) {
  for (const ProcedureArgument& argument : procedure.arguments) {
    if (EqualsIgnoreCase(OptionOf(argument), name)) return &argument;
  }
  return procedure.FindArgument(name);
}

std::vector<std::string> KnownOptions(const Procedure& procedure) {
  std::vector<std::string> known = {"--warehouse", "--catalog_conf", "--catalog", "--database", "--table",
                                    "--path",      "--dialect",      "--format",  "--help"};
  for (const ProcedureArgument& argument : procedure.arguments) known.push_back("--" + OptionOf(argument));
  return known;
}

// The options of one command line, left to right.
class Words {
 public:
  explicit Words(const std::vector<std::string>& words) : words_(words) {}

  bool AtEnd() const { return at_ >= words_.size(); }
  // The next option without its dashes; "--a-b" is "a_b".
  std::string TakeOption() {
    std::string word = words_[at_++];
    if (!word.starts_with("--") || word.size() == 2) throw InvalidArgument("'{}' is not expected here: options begin with --", word);
    size_t equals = word.find('=');
    attached_.reset();
    if (equals != std::string::npos) {
      attached_ = word.substr(equals + 1);
      word.resize(equals);
    }
    word.erase(0, 2);
    std::replace(word.begin(), word.end(), '-', '_');
    name_ = word;
    return word;
  }
  std::string TakeValue() {
    if (attached_) return *attached_;
    if (AtEnd()) throw InvalidArgument("The option --{} needs a value", name_);
    return words_[at_++];
  }
  // Booleans may stand alone.
  std::string TakeFlag() {
    bool alone = !attached_ && (AtEnd() || words_[at_].starts_with("--"));
    return alone ? "true" : TakeValue();
  }

 private:
  const std::vector<std::string>& words_;
  size_t at_ = 0;
  std::string name_;
  std::optional<std::string> attached_;
};

}  // namespace

const std::string& OptionOf(const ProcedureArgument& argument) {
  return argument.option.empty() ? argument.name : argument.option;
}

ActionOptions ParseActionOptions(const Procedure& procedure, const std::vector<std::string>& words) {
  ActionOptions options;
  Options direct;
  std::optional<std::string> database;
  std::string table;
  Words rest(words);
  while (!rest.AtEnd()) {
    std::string option = rest.TakeOption();
    if (option == "warehouse") {
      direct["warehouse"] = rest.TakeValue();
    } else if (option == "catalog_conf") {
      auto [key, value] = KeyAndValue("--catalog_conf", rest.TakeValue());
      direct[key] = value;
    } else if (option == "catalog") {
      options.catalog_name = rest.TakeValue();
    } else if (option == "database") {
      database = rest.TakeValue();
    } else if (option == "table") {
      table = rest.TakeValue();
    } else if (option == "path") {
      TakePath(rest.TakeValue(), &options, &table);
    } else if (option == "dialect") {
      std::string dialect = rest.TakeValue();
      if (dialect != "spark" && dialect != "flink") throw InvalidArgument("--dialect must be spark or flink, not '{}'", dialect);
      options.dialect = dialect == "flink" ? Engine::kFlink : Engine::kSpark;
    } else if (option == "format") {
      options.format = ParseRenderFormat(rest.TakeValue());
    } else if (option == "force_start_flink_job") {
      rest.TakeFlag();
    } else if (option == "help") {
      options.help = true;
      return options;
    } else {
      const ProcedureArgument* argument = FindOption(procedure, option);
      if (argument == nullptr) {
        throw InvalidArgument("The option '--{}' is not known{}. See 'mica help {}'", option,
                              DidYouMean("--" + option, KnownOptions(procedure)), procedure.name);
      }
      GivenArgument given;
      given.name = argument->name;
      given.text = argument->type == ArgumentType::kBoolean ? rest.TakeFlag() : rest.TakeValue();
      options.arguments.push_back(std::move(given));
    }
  }
  // What the environment and --path say comes after what was said here.
  Options from_environment = CatalogOptionsFromEnvironment(options.catalog_name);
  for (const auto& [key, value] : from_environment) options.catalog.emplace(key, value);
  for (const auto& [key, value] : direct) options.catalog[key] = value;
  if (database && procedure.FindArgument("database") != nullptr) {
    options.arguments.push_back({.name = "database", .text = *database});
  }
  if (database) options.database = *database;
  if (!table.empty()) {
    bool qualified = database && procedure.FindArgument("database") == nullptr;
    options.arguments.push_back({.name = "table", .text = qualified ? BackQuoted(*database) + "." + BackQuoted(table) : table});
  }
  if (!options.catalog.contains("warehouse") && !options.catalog.contains("metastore")) {
    throw InvalidArgument("No warehouse is given: use --warehouse DIR or --catalog_conf warehouse=DIR");
  }
  return options;
}

int RunTellingErrors(const Options& catalog, const std::function<int()>& run) {
  int code = kFailed;
  try {
    return run();
  } catch (const std::exception& error) {
    if (const auto* own = dynamic_cast<const Error*>(&error)) code = ExitCodeOf(own->kind());
    std::fprintf(stderr, "Error: %s\n", MaskSecrets(error.what(), catalog).c_str());
  }
  return code;
}

}  // namespace mica::cli
