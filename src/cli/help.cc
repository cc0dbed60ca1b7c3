// `mica help [topic]` and `mica version`.
#include <cstdio>

#include <arrow/util/config.h>

#include "base/text.h"
#include "cli/command.h"

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
    {"shell", "keys and dot commands of the shell",
     "A statement ends with ';' and may span lines. Tab completes, the arrow keys recall lines from ~/.mica_history,\n"
     "Ctrl-C stops a running statement, Ctrl-D leaves.\n"
     "\n"
     "  .help            this list            .mode NAME      table, csv, json, jsonl, markdown, line\n"
     "  .tables [LIKE]   tables               .maxrows N      rows shown of a table, 0 for all\n"
     "  .schema [TABLE]  CREATE TABLE text    .timer on|off   show how long a statement took\n"
     "  .read FILE       run a script         .output [FILE]  write results to a file, or back to the terminal\n"
     "  .quit            leave\n"},
    {"configuration", "where options come from",
     "Options of the catalog, the first that is given counts:\n"
     "  1. --warehouse and --catalog_conf\n"
     "  2. --conf spark.sql.catalog.NAME.KEY=VALUE\n"
     "  3. the environment: MICA_CATALOG__NAME__KEY, with '_' for '-'\n"},
    {"exit-codes", "what the program returns",
     "  0    done\n  1    failed\n  2    wrong usage\n  3    a conflict: another commit came first\n  130  interrupted\n"},
};

}  // namespace

int RunHelp(const std::vector<std::string>& words) {
  if (words.empty()) {
    std::fputs(
        "mica reads, writes and looks after Apache Paimon tables.\n"
        "\n"
        "  mica sql       run SQL, or open the shell\n"
        "  mica version   versions of the program and its libraries\n"
        "  mica help      this text; mica help TOPIC for more\n"
        "\n"
        "Topics:\n", stdout);
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
  std::fprintf(stderr, "Error: There is no help on '%s'%s. Topics: %s\n", words[0].c_str(),
               DidYouMean(words[0], known).c_str(), Join(known, ", ").c_str());
  return kUsage;
}

int RunVersion() {
  std::printf("mica %s (Arrow %s, DuckDB 1.5.6)\n", MICA_VERSION, ARROW_VERSION_STRING);
  return kDone;
}

}  // namespace mica::cli
