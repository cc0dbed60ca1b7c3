// `mica help [topic]` and `mica version`.
#include <cstdio>

#include <arrow/util/config.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/action_options.h"
#include "cli/command.h"
#include "cli/ingest_command.h"
#include "cli/reference.h"

namespace mica::cli {

namespace {

struct Topic {
  const char* name;
  const char* title;
  const char* text;
};

constexpr Topic kTopics[] = {
    {"sql", "run SQL, or open the shell",
     "mica sql [--warehouse DIR | --catalog_conf KEY=VALUE ...] [options] [-c SQL | -f FILE]\n"
     "\n"
     "Without -c or -f: a shell on a terminal, otherwise the script on standard input.\n"
     "\n"
     "  --warehouse DIR         where the tables lie\n"
     "  --catalog_conf K=V      an option of the catalog; may be repeated\n"
     "  --catalog NAME          the name of the catalog in SQL (paimon)\n"
     "  --database NAME         the database to start in (default)\n"
     "  --dialect NAME          spark (default) or flink\n"
     "  -c, -e SQL              run these statements; may be repeated\n"
     "  -f FILE                 run the statements of a file\n"
     "  --init FILE             statements to run first\n"
     "  --format NAME           table (default), csv, json, jsonl, markdown, line\n"
     "  --continue              go on after a failed statement; the exit code is 1 at the end\n"
     "  --conf K=V              a setting, as with SET; Spark's catalog settings are understood\n"
     "  --memory SIZE           memory to use (half of the machine's)\n"
     "  --threads N             threads to use (one a core)\n"},
    {"tail", "follow a table",
     "mica tail DATABASE.TABLE --warehouse DIR [options]\n"
     "\n"
     "Prints the rows of the table, then what each commit changes, as lines of JSON with the kind of the row: +I, -U, +U or\n"
     "-D. Ctrl-C ends it.\n"
     "\n"
     "  --options K=V,K=V       options of the table: scan.mode, scan.snapshot-id, scan.bounded.watermark, consumer-id, branch,\n"
     "                          continuous.discovery-interval (how often to look, 10 s), ...\n"
     "  --limit N               end after so many rows\n"
     "  --bounded true          end when there is nothing new\n"},
    {"shell", "keys and dot commands of the shell",
     "A statement ends with ';' and may span lines. Tab completes, the arrow keys recall lines from ~/.mica_history,\n"
     "Ctrl-C stops a running statement, Ctrl-D leaves.\n"
     "\n"
     "  .help            this list            .mode NAME      table, csv, json, jsonl, markdown, line\n"
     "  .tables [LIKE]   tables               .maxrows N      rows shown of a table, 0 for all\n"
     "  .schema [TABLE]  CREATE TABLE text    .timer on|off   show how long a statement took\n"
     "  .read FILE       run a script         .output [FILE]  write results to a file, or back to the terminal\n"
     "  .quit            leave, as quit; and exit; do\n"},
    {"configuration", "where options come from",
     "Options of the catalog, the first that is given counts:\n"
     "  1. --warehouse and --catalog_conf\n"
     "  2. --conf spark.sql.catalog.NAME.KEY=VALUE\n"
     "  3. the environment: MICA_CATALOG__NAME__KEY, with '_' for '-' and '__' for '.'; S3_SECRET_KEY is s3.secret-key\n"},
    {"exit-codes", "what the program returns",
     "  0    done\n  1    failed\n  2    wrong usage\n  3    a conflict: another commit came first\n  130  interrupted\n"},
};

}  // namespace

namespace {

// The first sentence of a long description.
std::string Headline(const std::string& description) {
  size_t end = description.find(". ");
  return end == std::string::npos ? description : description.substr(0, end + 1);
}

void PrintAction(const Procedure& procedure) {
  std::printf("%s\n\nmica %s --warehouse DIR [--database NAME] [options]\n\n", procedure.description.c_str(),
              procedure.name.c_str());
  for (const ProcedureArgument& argument : procedure.arguments) {
    std::string option = "--" + OptionOf(argument) + " " + std::string(ArgumentTypeName(argument.type));
    std::string text = argument.description;
    if (argument.required) text += " (required)";
    if (!argument.fallback.empty()) text += "; otherwise " + argument.fallback;
    if (argument.joined_by) text += "; may be repeated";
    constexpr size_t kOptionWidth = 30;  // what is longer has a line of its own
    const char* gap = option.size() > kOptionWidth ? "\n                                 " : " ";
    std::printf("  %-30s%s%s\n", option.c_str(), gap, text.c_str());
  }
  std::fputs(
      "\n"
      "  --warehouse DIR                where the tables lie\n"
      "  --catalog_conf K=V             an option of the catalog; may be repeated\n"
      "  --path DIR                     the folder of the table, in place of warehouse, database and table\n"
      "  --format NAME                  table (default), csv, json, jsonl, markdown, line\n"
      "  --dialect NAME                 spark (default) or flink: whose columns the rows have\n",
      stdout);
  if (procedure.run == nullptr) return;  // a command only
  std::printf("\nIn SQL: CALL sys.%s(", procedure.name.c_str());
  const char* separator = "";
  for (const ProcedureArgument& argument : procedure.arguments) {
    std::printf("%s%s%s => ...%s", separator, argument.required ? "" : "[", argument.name.c_str(), argument.required ? "" : "]");
    separator = ", ";
  }
  std::fputs(")\n", stdout);
}

}  // namespace

int RunHelp(const std::vector<std::string>& words) {
  if (words.size() == 2 && words[0] == "--reference") {
    try {
      WriteReference(words[1]);
      return kDone;
    } catch (const Error& error) {
      std::fprintf(stderr, "Error: %s\n", error.what());
      return kFailed;
    }
  }
  if (words.empty()) {
    std::fputs(
        "mica reads, writes and looks after Apache Paimon tables.\n"
        "\n"
        "  mica sql       run SQL, or open the shell\n"
        "  mica ingest    write a stream of records to a table\n"
        "  mica version   versions of the program and its libraries\n"
        "  mica help      this text; mica help TOPIC or ACTION for more\n"
        "  mica completion bash   a script that completes these words in the shell\n"
        "\n"
        "Actions, the procedures of SQL (CALL sys.NAME):\n", stdout);
    for (const Procedure& procedure : Procedures()) {
      std::printf("  mica %-28s %s\n", procedure.name.c_str(), Headline(procedure.description).c_str());
    }
    std::fputs("\nTopics:\n", stdout);
    for (const Topic& topic : kTopics) std::printf("  %-14s %s\n", topic.name, topic.title);
    return kDone;
  }
  std::vector<std::string> known;
  for (const Topic& topic : kTopics) {
    if (words[0] == topic.name) {
      std::fputs(topic.text, stdout);
      return kDone;
    }
    known.push_back(topic.name);
  }
  if (EqualsIgnoreCase(IngestAction().name, words[0])) {
    PrintAction(IngestAction());
    return kDone;
  }
  known.push_back(IngestAction().name);
  for (const Procedure& procedure : Procedures()) {
    if (EqualsIgnoreCase(procedure.name, words[0])) {
      PrintAction(procedure);
      return kDone;
    }
    known.push_back(procedure.name);
  }
  std::fprintf(stderr, "Error: There is no help on '%s'%s. Topics: %s\n", words[0].c_str(),
               DidYouMean(words[0], known).c_str(), Join(known, ", ").c_str());
  return kUsage;
}

int RunVersion() {
  std::printf("mica %s (Arrow %s, DuckDB 1.5.6)\n", MICA_VERSION, ARROW_VERSION_STRING);
  return kDone;
}

}  // namespace mica::cli
