#include "cli/tail_command.h"

#include <atomic>
#include <csignal>
#include <cstdio>

#include <arrow/api.h>

#include "base/escape.h"
#include "base/text.h"
#include "cli/action_options.h"
#include "cli/command.h"
#include "cli/json_value.h"
#include "cli/sql_options.h"
#include "history/change_stream.h"
#include "table/row_changes.h"

namespace mica::cli {

namespace {

std::atomic<bool> interrupted{false};

// The arguments in the form of a procedure's, so that they are read and explained like those of an action.
const Procedure& TailAsProcedure() {
  static const Procedure procedure = {
      .name = "tail",
      .description = "Follows a table: its rows, then what each commit changes, as lines of JSON.",
      .arguments = {{.name = "table", .description = "the table, as 'database.table'", .required = true},
                    {.name = "options",
                     .description = "options of the table, such as 'scan.mode=latest' or 'consumer-id=c'",
                     .aliases = {"table_conf"},
                     .joined_by = ','},
                    {.name = "limit", .type = ArgumentType::kLong, .description = "end after so many rows"},
                    {.name = "bounded",
                     .type = ArgumentType::kBoolean,
                     .description = "end when there is nothing new",
                     .fallback = "false"}},
      .spark_result = SuccessAsText(),
      .flink_result = SuccessAsText(),
      .run = nullptr,
  };
  return procedure;
}

class Printer {
 public:
  explicit Printer(std::vector<DataField> fields) : fields_(std::move(fields)) {
    for (const DataField& field : fields_) CheckJsonType(field.type, field.name);
  }

  // False when nobody reads any more.
  bool Print(const arrow::RecordBatch& batch, int64_t rows) {
    const auto& kinds = static_cast<const arrow::Int8Array&>(*batch.column(batch.num_columns() - 1));
    std::string out;
    for (int64_t row = 0; row < rows; ++row) {
      out += "{\"rowkind\":\"";
      out += RowKindText(kinds.Value(row));
      out += '"';
      for (size_t i = 0; i < fields_.size(); ++i) {
        out += ',';
        AppendJsonText(out, fields_[i].name);
        out += ':';
        AppendJsonValue(*batch.column(static_cast<int>(i)), row, fields_[i].type, &out);
      }
      out += "}\n";
    }
    return std::fwrite(out.data(), 1, out.size(), stdout) == out.size() && std::fflush(stdout) == 0;
  }

 private:
  std::vector<DataField> fields_;
};

int Follow(ProcedureCall& call) {
  TablePtr table = call.Table()->WithOptions(call.OptionList());
  auto limit = call.OptionalInteger("limit");
  const bool bounded = call.BooleanOr("bounded", false);
  Printer printer(table->schema().fields);
  ChangeStream stream(table);
  int64_t printed = 0;
  auto next = [&] {
    if (!bounded) return AwaitNext(&stream, DiscoveryInterval(table->options()), [] { return interrupted.load(); });
    auto rows = interrupted ? nullptr : stream.Next();
    if (!rows) stream.Acknowledge();
    return rows;
  };
  while (!limit || printed < *limit) {
    auto rows = next();
    if (!rows) break;
    while (auto batch = rows->Next()) {
      if (interrupted) return kInterrupted;
      int64_t count = limit ? std::min(batch->num_rows(), *limit - printed) : batch->num_rows();
      if (!printer.Print(*batch, count)) return kFailed;
      printed += count;
      // What was not printed in full is not done.
      if (limit && printed == *limit) return kDone;
    }
    stream.Acknowledge();
  }
  return interrupted ? kInterrupted : kDone;
}

}  // namespace

int RunTail(std::vector<std::string> words) {
  if (!words.empty() && !words.front().starts_with("--")) words.front() = "--table=" + words.front();
  ActionOptions options;
  std::optional<ProcedureCall> call;
  try {
    options = ParseActionOptions(TailAsProcedure(), words);
    if (options.help) return RunHelp({"tail"});
    ProcedureSetting setting;
    setting.catalog = OpenCatalog(options.catalog);
    setting.catalog_name = options.catalog_name;
    setting.database = options.database;
    call.emplace(TailAsProcedure(), setting, options.arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "Error: %s\n", MaskSecrets(error.what(), options.catalog).c_str());
    return kUsage;
  }
  std::signal(SIGINT, [](int) { interrupted = true; });
  return RunTellingErrors(options.catalog, [&] { return Follow(*call); });
}

}  // namespace mica::cli
