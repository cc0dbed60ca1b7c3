#include "cli/reference.h"

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "cli/action_options.h"
#include "dialect/statement_list.h"
#include "meta/option_list.h"

namespace mica::cli {

namespace {

constexpr std::string_view kMade = "This page is made by `mica help --reference docs/reference`; do not edit it.\n\n";

// A piece of code; one with back-quotes inside has two around it.
std::string Code(std::string_view text) {
  bool quoted = text.find('`') != std::string_view::npos;
  return quoted ? fmt::format("`` {} ``", text) : fmt::format("`{}`", text);
}

std::string Columns(const std::vector<DataField>& fields) {
  std::string text;
  for (const DataField& field : fields) text += (text.empty() ? "`" : ", `") + field.name + "` " + field.type.ToString();
  return text.empty() ? "not a procedure of this engine" : text;
}

std::string Signature(const Procedure& procedure) {
  std::string text = "CALL sys." + procedure.name + "(";
  const char* separator = "";
  for (const ProcedureArgument& argument : procedure.arguments) {
    std::string one = argument.name + " => " + std::string(ArgumentTypeName(argument.type));
    text += separator + (argument.required ? one : "[" + one + "]");
    separator = ", ";
  }
  return text + ")";
}

std::string ArgumentLine(const ProcedureArgument& argument) {
  std::string names = "`" + argument.name + "`";
  for (const std::string& alias : argument.aliases) names += ", `" + alias + "`";
  std::string option = "`--" + OptionOf(argument) + "`" + (argument.joined_by ? " (repeatable)" : "");
  std::string otherwise = argument.required ? "required" : argument.fallback;
  return fmt::format("| {} | {} | {} | {} | {} |\n", names, option, MarkdownCell(ArgumentTypeName(argument.type)),
                     MarkdownCell(otherwise), MarkdownCell(argument.description));
}

void Write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw IoError("The page '{}' cannot be written", path.string());
}

}  // namespace

std::string StatementPage() {
  std::string text = "# Statements\n\n";
  text += kMade;
  text += "`[x]` may be left out, `{a | b}` is one of them, `...` may be repeated. Every form is understood in both dialects.\n";
  std::string_view group;
  for (const dialect::StatementInfo& statement : dialect::Statements()) {
    if (statement.group != group) {
      group = statement.group;
      text += fmt::format("\n## {}\n\n", group);
    }
    text += fmt::format("- {}  \n  {}  \n  Example: {}\n", Code(statement.syntax), statement.meaning, Code(statement.example));
  }
  return text;
}

std::string ProcedurePage() {
  std::string text = "# Procedures\n\n";
  text += kMade;
  text +=
      "`CALL sys.NAME(argument => value, ...)` in SQL and `mica NAME --option value ...` on the command line run the same "
      "procedure. Arguments may be given by name in any order, or all by position; a value is any constant expression, and "
      "`NULL` or `''` stands for an argument that is not given. The dialect decides the columns of the answer.\n\n"
      "Every command also takes `--warehouse`, `--catalog_conf key=value` (repeatable), `--database`, `--path`, `--format`, "
      "`--dialect` and `--help`.\n";
  for (const Procedure& procedure : Procedures()) {
    text += fmt::format("\n## {}\n\n{}\n\n```sql\n{}\n```\n\n", procedure.name, procedure.description, Signature(procedure));
    text += "| argument | option | type | otherwise | meaning |\n|---|---|---|---|---|\n";
    for (const ProcedureArgument& argument : procedure.arguments) text += ArgumentLine(argument);
    text += fmt::format("\nRows in the Spark dialect: {}. In the Flink dialect: {}.\n", Columns(procedure.spark_result),
                        Columns(procedure.flink_result));
  }
  return text;
}

std::string OptionPage() {
  std::string text = "# Options of tables\n\n";
  text += kMade;
  text +=
      "Options are set with `TBLPROPERTIES` or `WITH`, with `ALTER TABLE ... SET`, for a session with "
      "`SET spark.paimon.<option>`, and for one statement with `/*+ OPTIONS(...) */`. Options that are not used are kept for "
      "other engines; where one would make Mica read or write something wrong, the table is refused by the option's name.\n\n"
      "| option | default | meaning | used |\n|---|---|---|---|\n";
  for (const OptionInfo& option : KnownOptions()) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", option.key, MarkdownCell(option.fallback), MarkdownCell(option.meaning),
                        option.used ? "yes" : "");
  }
  return text;
}

void WriteReference(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  std::filesystem::path root(folder);
  Write(root / "sql.md", StatementPage());
  Write(root / "procedures.md", ProcedurePage());
  Write(root / "options.md", OptionPage());
}

}  // namespace mica::cli
