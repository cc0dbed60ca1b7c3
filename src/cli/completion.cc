// `mica completion bash`: a script made from the registry, so it needs no call of the program at each key.
#include <cstdio>

#include "cli/action_options.h"
#include "cli/command.h"

namespace mica::cli {

namespace {

void PrintBash() {
  std::string commands = "sql version help completion";
  std::string cases;
  for (const Procedure& procedure : Procedures()) {
    commands += " " + procedure.name;
    std::string options = "--warehouse --catalog_conf --database --path --format --dialect --help";
    for (const ProcedureArgument& argument : procedure.arguments) {
      options += " --" + OptionOf(argument);
    }
    cases += "    " + procedure.name + ") words=\"" + options + "\" ;;\n";
  }
  std::printf(
      "# bash completion of mica: source <(mica completion bash)\n"
      "_mica() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\" words=\"\"\n"
      "  local commands=\"%s\"\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"$commands\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"$before\" in\n"
      "    --warehouse|--path|--file|-f|--init) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
      "    --format) COMPREPLY=($(compgen -W \"table csv json jsonl markdown line\" -- \"$word\")); return ;;\n"
      "    --dialect) COMPREPLY=($(compgen -W \"spark flink\" -- \"$word\")); return ;;\n"
      "  esac\n"
      "  case \"${COMP_WORDS[1]}\" in\n"
      "    sql) words=\"--warehouse --catalog_conf --catalog --database --dialect -c -f --init --format --continue --conf"
      " --memory --threads --help\" ;;\n"
      "    help) words=\"$commands shell configuration exit-codes\" ;;\n"
      "    completion) words=\"bash\" ;;\n"
      "%s"
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "}\n"
      "complete -o filenames -F _mica mica\n",
      commands.c_str(), cases.c_str());
}

}  // namespace

int RunCompletion(const std::vector<std::string>& words) {
  if (words.size() != 1 || words[0] != "bash") {
    std::fputs("Error: Completion is for one shell: mica completion bash\n", stderr);
    return kUsage;
  }
  PrintBash();
  return kDone;
}

}  // namespace mica::cli
