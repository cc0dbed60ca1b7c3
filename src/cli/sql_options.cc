#include "cli/sql_options.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <fstream>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "catalog/empty_catalog.h"
#include "meta/option_list.h"

extern char** environ;

namespace mica::cli {

namespace {

// Options of the launchers of Spark and Flink that mean nothing here; all take a value.
bool IsLauncherOption(std::string_view option) {
  for (std::string_view known : {"--master", "--jars", "--packages", "--repositories", "--deploy-mode", "--driver-memory",
                                 "--driver-cores", "--executor-memory", "--executor-cores", "--num-executors", "--name", "--queue",
                                 "--files", "--py-files", "--archives", "--conf-dir", "--class", "--driver-class-path", "--driver-java-options",
                                 "--driver-library-path", "--principal", "--keytab", "--proxy-user", "--total-executor-cores",
                                 "--hiveconf", "--hivevar"}) {
    if (option == known) return true;
  }
  return false;
}

// A key in the spelling of variables: '__' is a dot and '_' a hyphen, but the prefixes of stores end with a dot anyway.
std::string KeyOfVariable(std::string_view name) {
  std::string key = ToLower(name);
  std::string out;
  for (std::string_view prefix : {"fs_oss_", "fs_s3a_", "fs_s3n_", "fs_s3_", "s3a_", "s3n_", "s3_", "oss_"}) {
    if (!key.starts_with(prefix) || key.compare(prefix.size(), 1, "_") == 0) continue;
    for (char c : prefix) out += c == '_' ? '.' : c;
    break;
  }
  for (size_t i = out.size(); i < key.size(); ++i) {
    const bool dot = key.compare(i, 2, "__") == 0;
    out += dot ? '.' : key[i] == '_' ? '-' : key[i];
    i += dot ? 1 : 0;
  }
  return out;
}

}  // namespace

std::pair<std::string, std::string> KeyAndValue(const std::string& option, const std::string& text) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) throw InvalidArgument("{} needs KEY=VALUE, not '{}'", option, text);
  return {std::string(Trim(std::string_view(text).substr(0, equals))), std::string(Trim(std::string_view(text).substr(equals + 1)))};
}

Options CatalogOptionsFromEnvironment(const std::string& catalog) {
  Options options;
  std::string prefix = "MICA_CATALOG__";
  for (char c : catalog) prefix += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  prefix += "__";
  for (char** item = environ; *item != nullptr; ++item) {
    std::string_view text = *item;
    size_t equals = text.find('=');
    if (equals == std::string_view::npos || !text.starts_with(prefix)) continue;
    options[KeyOfVariable(text.substr(prefix.size(), equals - prefix.size()))] = text.substr(equals + 1);
  }
  return options;
}

namespace {

constexpr const char* kSparkOwnCatalog = "spark_catalog";

// Catalogs that Spark's configuration registers: spark.sql.catalog.<name> = class, and its options below the name.
struct SparkCatalogs {
  std::map<std::string, Options> options;
  std::vector<std::string> names;  // in the order given
  std::string start;               // spark.sql.defaultCatalog
};

// Whatever is no catalog is a setting of the session.
void TakeConf(const std::string& key, const std::string& value, SparkCatalogs* catalogs,
              std::vector<std::pair<std::string, std::string>>* settings) {
  static constexpr std::string_view kPrefix = "spark.sql.catalog.";
  if (key == "spark.sql.defaultCatalog") catalogs->start = value;
  if (!key.starts_with(kPrefix)) {
    settings->emplace_back(key, value);
    return;
  }
  std::string rest = key.substr(kPrefix.size());
  size_t dot = rest.find('.');
  if (dot != std::string::npos) {
    catalogs->options[rest.substr(0, dot)][rest.substr(dot + 1)] = value;
  } else if (value.starts_with("org.apache.paimon.spark.")) {
    catalogs->names.push_back(rest);
  } else {
    Log(LogLevel::kWarning, fmt::format("The catalog '{}' of class '{}' is left out: it is not one of Paimon", rest, value));
  }
}

// A file of Spark's properties: key and value apart by blanks, '=' or ':'; # begins a comment.
void TakePropertiesFile(const std::string& path, SparkCatalogs* catalogs,
                        std::vector<std::pair<std::string, std::string>>* settings) {
  std::ifstream file(path);
  if (!file) throw InvalidArgument("Cannot read the properties file '{}'", path);
  for (std::string line; std::getline(file, line);) {
    std::string_view text = Trim(line);
    if (text.empty() || text.front() == '#' || text.front() == '!') continue;
    size_t end = text.find_first_of(" \t=:");
    if (end == std::string_view::npos || end == 0) {
      throw InvalidArgument("The line '{}' of '{}' has no value", std::string(text), path);
    }
    std::string_view value = Trim(text.substr(end));
    if (!value.empty() && (value.front() == '=' || value.front() == ':')) value = Trim(value.substr(1));
    TakeConf(std::string(text.substr(0, end)), std::string(value), catalogs, settings);
  }
}

}  // namespace

SqlOptions ParseSqlOptions(const std::vector<std::string>& words) {
  SqlOptions options;
  Options direct;
  std::optional<std::string> catalog;
  SparkCatalogs spark;
  std::vector<std::string> known = {"--warehouse", "--catalog_conf", "--catalog", "--database", "--dialect", "-c", "-e", "-f",
                                    "--init", "--format", "--continue", "--conf", "--properties-file", "--memory", "--threads", "--help"};
  for (size_t i = 0; i < words.size(); ++i) {
    std::string option = words[i];
    std::optional<std::string> attached;
    size_t equals = option.find('=');
    if (option.starts_with("--") && equals != std::string::npos) {
      attached = option.substr(equals + 1);
      option = option.substr(0, equals);
    }
    auto value = [&]() -> std::string {
      if (attached) return *attached;
      if (i + 1 >= words.size()) throw InvalidArgument("The option {} needs a value", option);
      return words[++i];
    };
    if (option == "--warehouse" || option == "-w") {
      direct["warehouse"] = value();
    } else if (option == "--catalog_conf" || option == "--catalog-conf") {
      auto [key, text] = KeyAndValue(option, value());
      direct[key] = text;
    } else if (option == "--catalog") {
      catalog = value();
    } else if (option == "--database") {
      options.session.database = value();
    } else if (option == "--dialect") {
      options.session.dialect = value();
    } else if (option == "-c" || option == "-e" || option == "--execute") {
      options.commands.push_back(value());
    } else if (option == "-f" || option == "--file") {
      options.file = value();
    } else if (option == "-i" || option == "--init") {
      options.init_file = value();
    } else if (option == "--format") {
      options.format = ParseRenderFormat(value());
    } else if (option == "--continue") {
      options.go_on = true;
    } else if (option == "--memory") {
      options.session.memory_bytes = ParseMemorySize(value());
    } else if (option == "--threads") {
      std::string text = value();
      auto threads = ParseInteger(text);
      if (!threads || *threads < 1 || *threads > 4096) throw InvalidArgument("--threads needs a number from 1, not '{}'", text);
      options.session.threads = static_cast<int32_t>(*threads);
    } else if (option == "--help" || option == "-h") {
      options.help = true;
    } else if (option == "--conf") {
      auto [key, text] = KeyAndValue(option, value());
      TakeConf(key, text, &spark, &options.settings);
    } else if (option == "--properties-file") {
      TakePropertiesFile(value(), &spark, &options.settings);
    } else if (IsLauncherOption(option)) {
      value();
    } else if (option.starts_with("-")) {
      throw InvalidArgument("The option '{}' is not known{}. See 'mica help sql'", option, DidYouMean(option, known));
    } else {
      throw InvalidArgument("'{}' is not expected here: give SQL with -c. See 'mica help sql'", option);
    }
  }
  // Options without the line that names the class are enough.
  for (const auto& [name, given] : spark.options) {
    if (std::find(spark.names.begin(), spark.names.end(), name) == spark.names.end() && given.contains("warehouse")) {
      spark.names.push_back(name);
    }
  }
  std::string start = catalog.value_or(spark.start);
  if (start.empty() && direct.empty() && spark.names.size() == 1) start = spark.names.front();
  if (start.empty() && direct.empty() && spark.names.size() > 1) {
    // Spark begins in its own catalog until another one is chosen.
    start = kSparkOwnCatalog;
    if (std::find(spark.names.begin(), spark.names.end(), start) == spark.names.end()) {
      options.session.catalog = std::make_shared<EmptyCatalog>(
          start, fmt::format("USE one of '{}' first, or start with --catalog", Join(spark.names, "', '")));
    }
  }
  options.session.catalog_name = start.empty() ? "paimon" : start;
  options.session.catalog_options = CatalogOptionsFromEnvironment(options.session.catalog_name);
  for (const auto& [key, text] : spark.options[options.session.catalog_name]) options.session.catalog_options[key] = text;
  for (const auto& [key, text] : direct) options.session.catalog_options[key] = text;
  for (const std::string& name : spark.names) {
    if (name == options.session.catalog_name) continue;
    Options& more = options.session.more_catalogs[name];
    more = CatalogOptionsFromEnvironment(name);
    for (const auto& [key, text] : spark.options[name]) more[key] = text;
  }
  if (!options.help && !options.session.catalog && !options.session.catalog_options.contains("warehouse") &&
      !options.session.catalog_options.contains("metastore")) {
    throw InvalidArgument("No warehouse is given: use --warehouse DIR or --catalog_conf warehouse=DIR");
  }
  return options;
}

namespace {

// Values behind an '=' whose key is that of a secret, as they stand in SQL and in options of the command line.
void MaskAssignments(std::string* text) {
  constexpr std::string_view kBetween = " '\"`";
  for (size_t equals = text->find('='); equals != std::string::npos; equals = text->find('=', equals + 1)) {
    const size_t last = text->find_last_not_of(kBetween, equals - 1);
    if (equals == 0 || last == std::string::npos) continue;
    size_t first = last + 1;
    while (first > 0 && (std::isalnum(static_cast<unsigned char>((*text)[first - 1])) ||
                         std::string_view("._-").find((*text)[first - 1]) != std::string_view::npos)) {
      --first;
    }
    if (!IsSecretOption(std::string_view(*text).substr(first, last + 1 - first))) continue;
    const size_t value = text->find_first_not_of(kBetween, equals + 1);
    if (value == std::string::npos || (*text)[value] == '>') continue;
    const size_t end = std::min(text->find_first_of(" ;,'\"`)\n", value), text->size());
    text->replace(value, end - value, "******");
  }
}

}  // namespace

std::string MaskSecrets(std::string text, const Options& options) {
  for (const auto& [key, value] : options) {
    if (!IsSecretOption(key) || value.size() < 4) continue;
    for (size_t at; (at = text.find(value)) != std::string::npos;) text.replace(at, value.size(), "******");
  }
  MaskAssignments(&text);
  return text;
}

std::string MaskSecrets(std::string text, const SessionSettings& session) {
  text = MaskSecrets(std::move(text), session.catalog_options);
  for (const auto& [name, options] : session.more_catalogs) text = MaskSecrets(std::move(text), options);
  return text;
}

}  // namespace mica::cli
